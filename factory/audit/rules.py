"""The registry of rules that `factory check` knows: what each says, why it matters and how to mend it.

docs/check.md is generated from here. A rule belongs to the gate that it blocks; a rule without a gate is printed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from factory.audit.foreign_rules import (
    HOW_PUBLISHED_BANKS_ARE_READ,
    HOW_RULES_ARE_SILENCED,
    PUBLISHED_RULES,
)
from factory.audit.leak_lists import LISTS
from factory.audit.leak_rules import HOW_LEAKS_ARE_SEARCHED
from factory.audit.rare_words import OFTEN, ONCE, RARE, TWICE
from schemas import Finding, GateName

MAX_EXAMPLES = 5

Hit = tuple[str, str]
"""(rule id, where it is broken)."""


@dataclass(frozen=True)
class Rule:
    """One promise."""

    rule: str
    """Id, shown in findings."""
    gate: GateName | None
    """Gate that it blocks; none: printed only."""
    says: str
    """The promise, one sentence."""
    why: str
    """Why it matters."""
    fix: str
    """How to mend it."""
    published: bool = False
    """Whether it is of published banks of others; our bundles have promises of their own."""


_COMPOSE = (
    "run `factory run EVENT --from compose`; if it stays, report it as a defect of the composer"
)
_RESOLVE = "run `factory run EVENT --from resolve`, or correct the claim's resolution"
_TRANSLATE = "run `factory run EVENT --from translate`"
_PAIR = "drop the whole twin cell, or run `factory run EVENT --from pair`"

RULES: dict[str, Rule] = {
    r.rule: r
    for r in (
        # -- labels ------------------------------------------------------------------------------
        Rule("label", "labels", "An answer is 1 exactly when the claim has an occurrence inside the window.", "A wrong label grades every system wrongly.", _COMPOSE),
        Rule("label-evidence", "labels", "A question carries the occurrences that decide it: those inside the window, else all later ones.", "A label that cannot be traced cannot be trusted.", _COMPOSE),
        Rule("quote", "labels", "The quote of an occurrence stands verbatim in its statement.", "An invented quote is an invented label.", _RESOLVE),
        Rule("occurrence-place", "labels", "An occurrence names a node of the timeline and a statement of that node.", "Evidence that does not exist proves nothing.", _RESOLVE),
        Rule("occurrence-day", "labels", "An occurrence happens on its statement's day, else on its node's, and nothing happens after the node that tells of it.", "The day decides every label of the claim.", _RESOLVE),
        Rule("passes", "labels", "Both passes of the resolver agree on state and days.", "One reading alone is an opinion.", _RESOLVE),
        Rule("refutation", "labels", "A sentence that contradicts a claim stands in the timeline, and the first such day is stated.", "What ends the asking must be readable.", _RESOLVE),
        Rule("stance-days", "labels", "A claim about counted posts happens on exactly the days whose share of posts meets its test.", "Its label is arithmetic on the shares of the timeline and nothing else.", _RESOLVE),
        Rule("stance-figures", "labels", "A claim about counted posts says the stance and the figures of its test, in both editions.", "The words are what is answered, the test is what is graded.", "run `factory run EVENT --from claims`"),
        Rule("basis", "labels", "A claim that occurs is stated, and one that never does is contradicted only where both passes say so.", "The basis tells readers how sure a `never` is.", _RESOLVE),
        Rule("unresolved", "labels", "Every asked claim is resolved and not annulled.", "A claim without a known answer has no label.", _PAIR),
        # -- structure ---------------------------------------------------------------------------
        Rule("unknown-name", "structure", "Every name in a question or dated event occurs in the context of its point.", "An examinee cannot forecast about somebody that was never introduced.", _COMPOSE),
        Rule("future-premise", "structure", "A claim is asked only from the cutoff on at which a reader knows what it takes for granted.", "A premise from the future tells what happened.", _COMPOSE),
        Rule("unknown-reference", "structure", "Every point, claim, family and searched sentence that a row names exists.", "A dangling id cannot be audited.", _COMPOSE),
        Rule("repeated-id", "structure", "Ids of nodes, statements, points, questions, events, claims and pairs are unique.", "Answers are joined by id.", _COMPOSE),
        Rule("claim-fields", "structure", "A question repeats its claim's family, level, dimension and difficulty.", "Statistics are clustered and broken down by these fields.", _COMPOSE),
        Rule("claim-kind", "structure", "A claim's kind fits its level, its node and its occasion; claims of one family share the occasion.", "Types, ladders and variants are read from them.", "run `factory run EVENT --from claims`"),
        Rule("stance-shares", "structure", "Shares of stances are of whole posts and sum to 1.", "A share that no count gives was edited.", "run `factory run EVENT --from distil`"),
        Rule("window-start", "structure", "A window starts at the cutoff of its point.", "One meaning of a window, everywhere.", _COMPOSE),
        Rule("window-text", "structure", "The text names exactly the first and the last day of the window and says that both count.", "Examinees answer the text, labels follow the fields.", _COMPOSE),
        Rule("beyond-observed", "structure", "No node, window or dated event lies beyond the observed span.", "What was not observed is not `never`.", _COMPOSE),
        Rule("after-occurrence", "structure", "A claim that can happen once is not asked after it happened.", "The context would answer it.", _PAIR),
        Rule("after-refutation", "structure", "A claim that can happen once is not asked after the timeline contradicted it.", "The context would answer it.", _PAIR),
        Rule("window-monotone", "structure", "At one cutoff a claim that is true in a short window is true in every longer one.", "Otherwise two answers contradict each other.", _COMPOSE),
        Rule("ladder-monotone", "structure", "Within a family the general claim is true wherever a more detailed one is.", "Otherwise two answers contradict each other.", _RESOLVE),
        Rule("variants-exclusive", "structure", "The outcome and the variants of one occasion do not both happen.", "Variants promise to exclude each other.", _RESOLVE),
        Rule("duplicate", "structure", "No two questions of a point ask the same words over the same window.", "A repeated question counts twice.", _PAIR),
        Rule("contradiction", "structure", "No two questions of a point with the same words and window have different answers.", "One of them is wrong.", _RESOLVE),
        Rule("context-split", "structure", "A context holds every node before the cutoff in order and nothing else; the truth holds the rest.", "A node at or after the cutoff gives answers away.", "run `factory run EVENT --from points`"),
        Rule("stem-date", "structure", "A text names no day before the cutoff.", "A past date makes a question past or gives a hint.", "rewrite the claim without a date"),
        Rule("claim-date", "structure", "A claim holds no date.", "The window is the only time that a question states.", "rewrite the claim without a date"),
        Rule("internal-id", "structure", "No internal id and no token stands in a text.", "Ids are noise to a reader and a key to a cheat.", _COMPOSE),
        Rule("text-of-claim", "structure", "A text is its claim's words in one of the known phrasings.", "Hand-edited stems escape every other audit.", _COMPOSE),
        Rule("order", "structure", "Rows are sorted by opaque id.", "Any other order may carry time or labels.", "sort the rows by id"),
        Rule("event-day", "structure", "A dated event's answer is the claim's first occurrence at or after the cutoff.", "A wrong day grades every system wrongly.", _COMPOSE),
        Rule("event-range", "structure", "A dated event lies 0 to 90 days after the cutoff.", "The score has no bucket for other days.", _COMPOSE),
        Rule("event-claim", "structure", "A dated event asks an outcome at level 1 that happens, once a point.", "Its day must be defined.", _COMPOSE),
        Rule("event-date-in-text", "structure", "The text of a dated event names no date.", "It would be a hint at the answer.", _COMPOSE),
        Rule("drift", "structure", "No difference of meaning between the raw and the anonymised timeline is open.", "Questions would be about something that was not reported.", "settle it with `factory review EVENT`"),
        Rule("sibling-answers", "structure", "Within one session no claim holds the words of another one whole.", "Who reads one learns about the other.", _PAIR),
        Rule("near-duplicate", "structure", "Within one session no two claims of the same names and figures are worded nearly alike.", "They count as two and answer each other.", _PAIR),
        Rule("axes-share-claim", None, "A point asks no family in both its calibration and its temporal exam.", "The two exams are separate sessions; whoever joins them learns that the claim happens.", "collect a longer arc, or ask for more outcomes a node"),
        # -- parity ------------------------------------------------------------------------------
        Rule("edition-missing", "parity", "Every asked claim, statement, question and event has both editions.", "The editions must be one exam.", _TRANSLATE),
        Rule("edition-refs", "parity", "Both editions of a text hold the same references.", "One edition would ask about somebody else.", _TRANSLATE),
        Rule("edition-numbers", "parity", "Both editions of a text hold the same figures.", "A figure decides an answer.", _TRANSLATE),
        Rule("edition-dates", "parity", "Both editions of a text hold the same dates.", "A date decides an answer.", _TRANSLATE),
        Rule("figure-value", "parity", "The stored value of a figure is what its words say.", "Editions are compared by it.", _TRANSLATE),
        # -- mirror ------------------------------------------------------------------------------
        Rule("twin-missing", "mirror", "Every cell of a pair is asked on both sides, and no question stands outside its pair.", "A single question tilts the balance that makes structure useless.", _PAIR),
        Rule("twin-labels", "mirror", "Each twin cell has one answer 1 and one answer 0.", "Otherwise a rule without reading scores above 50.", _PAIR),
        Rule("twin-text", "mirror", "Twins share phrasing, window and days in both editions.", "A phrasing of its own would mark a side.", _COMPOSE),
        Rule("twin-type", "mirror", "A question has the type that its pair states for its side, and a claim is never both A and C.", "Types steer the shares.", _COMPOSE),
        Rule("pair-relation", "mirror", "How twins are related follows from their claims: D is made up, `own` is of one family, `late` happens elsewhere, `never` nowhere.", "Readers judge by it what the false side is worth.", _PAIR),
        Rule("balance", "mirror", "Answers 1 and 0 are equally many at every point, prompt and window.", "Base rates by window or point are a shortcut.", _PAIR),
        Rule("flips", "mirror", "A row without a twin is false and then true at each of its points, and such rows carry at most 4 % of the weight.", "Whoever sees both rungs in one prompt knows both answers.", "lower compose.flips and run `factory run EVENT --from order`"),
        Rule("one-role", "mirror", "A family is true or false in the whole bank, never both; only an `own` pair holds both in one family.", "A second role gives the first away.", _PAIR),
        Rule("one-bundle", "mirror", "A prompt asks one claim of a family; an `own` pair asks its two sides.", "Family size is a shortcut.", _PAIR),
        # -- bundles -----------------------------------------------------------------------------
        Rule("bundle-digest", "structure", "Every file of a bundle has the digest that its manifest states.", "The bundle was changed after release.", "download it again, or release again"),
        Rule("manifest", "structure", "The manifest names its event, each file once with its size, and exactly the waived and failed gates.", "It is read first and often alone.", "run `factory run EVENT --from release`"),
        Rule("baselines", "structure", "The stated scores of rules that read no text are those that the bank gives.", "Every score is compared with them.", "run `factory run EVENT --from baselines`"),
        Rule("context-bytes", "structure", "The context file of a point is a byte-exact prefix of the timeline, in both editions.", "An edited context is another exam.", "run `factory run EVENT --from release`"),
        Rule("derived-file", "structure", "Every other file of a bundle repeats what its key says.", "Tables and exports that differ from the key are another benchmark.", "run `factory run EVENT --from release`"),
        Rule("report-counts", "structure", "Counts and shares of report and manifest are those of the rows.", "Readers trust the card.", "run `factory run EVENT --from compose`"),
        Rule("exam-view", "structure", "An exam file shows exactly the ids, days and texts of the key, and no field that tells more.", "Types, levels and families give labels away.", "run `factory run EVENT --from release`"),
        # -- public bytes ------------------------------------------------------------------------
        Rule("leak-name", "leak", "No name of the table stands in a public byte, in any width, case, script, escape or pinyin, without its accents, glued to other words or taken apart, as told below.", "A real name identifies the event.", "add the form to the table or reword the place, then run `factory run EVENT --from anonymise`"),
        Rule("leak-near-name", "leak", "No capitalised word is one letter away from a Latin name of six letters or more.", "A misspelt name is read as the name.", "add the spelling to the table, or reword an ordinary word that happens to look like a name, then run `factory run EVENT --from anonymise`"),
        Rule("leak-real-name", "leak", "No country, people, currency, chamber, large medium or platform of the real world is named.", "Few events fit one real name; a false one misleads.", "add the name to the table or reword the place, then run `factory run EVENT --from anonymise`"),
        Rule("leak-path", "leak", "Paths, keys and file names hold words of the layout and opaque ids only.", "Paths and keys are public, too.", "rename it so that it carries the opaque id alone"),
        Rule("leak-date", "leak", "No day of the raw calendar stands in a public byte with its year, in any of the forms told below.", "A day of the raw calendar gives the offset away.", "find the mention that was not shifted, then run `factory run EVENT --from anonymise`"),
        Rule("leak-calendar", "leak", "Every date has a form that is rendered, no holiday of a long list is named, and a weekday fits the day beside it.", "Such a date was not shifted, or it names a day of the real calendar.", "shift or reword it with `factory review EVENT`, then run `factory run EVENT --from anonymise`"),
        Rule("leak-shape", "leak", "No address, handle, tag, case number or title of a lawsuit stands in a text.", "It can be looked up as it stands.", "reword the place with `factory review EVENT`, then run `factory run EVENT --from anonymise`"),
        Rule("leak-meta", "leak", "No text speaks of the process: real names, cutoffs, internal ids, placeholders, a model's own words.", "Notes of the process tell about the raw side.", "reword the text that holds it and run its stage again"),
        Rule("leak-placeholder", "leak", "A placeholder is a known class and label, stands alone, and is introduced in the timeline of its edition.", "A broken placeholder can be read in two ways or names nobody.", "run `factory run EVENT --from anonymise`; if it stays, report it as a defect"),
        Rule("leak-editions", "leak", "Both editions of a released unit name the same references, days, months and digits.", "The difference tells what was changed.", _TRANSLATE),
        Rule("leak-points", "leak", "Every released context is the beginning of the longest one of its edition.", "Two tellings of one day can be compared.", "run `factory run EVENT --from points`"),
        Rule("leak-unreadable", "leak", "Every file is what its name says: UTF-8, JSON, JSON lines or Parquet.", "What cannot be read cannot be cleared.", "make the file again; it must be UTF-8, valid JSON or Parquet"),
        Rule("secret-value", "secret", "Salt, topic and folder of the event stand nowhere.", "A secret undoes the anonymisation or names the event.", "remove it and draw new secrets"),
        Rule("secret-key", "secret", "No credential and no offset stands in a public byte.", "A key in a public file can be used by anybody.", "revoke it and remove it"),
        # -- published banks of others -----------------------------------------------------------
        *(
            Rule(rule, None, says, why, fix, published=True)
            for rule, says, why, fix in PUBLISHED_RULES
        ),
    )
}  # fmt: skip


NOTES: dict[GateName | None, str] = {
    "structure": (
        "`sibling-answers` and `near-duplicate` compare wording and nothing else, and pass by the two sides of an `own` pair, "
        "which contradict each other by design. Whether the meaning of one question of a "
        "prompt entails or excludes another is not tested, beyond windows, ladders and variants of one claim: auditors of "
        "the stage vet look for it inside a family, and nobody proves it between families."
    ),
    None: (
        "Also printed, as `announced day`: how many dated events ask for a day that the context of their point names as a "
        "date, by a day, a weekday that was read as that day, or a span of one day. A longer span, a month or a length of "
        "time does not count. Such an event is foreseen from a known calendar; that is no leak, no rule is broken, and no "
        "gate depends on it. `--explain ID` says it of one dated event and quotes the sentences. Contexts of published "
        "banks are not read for it."
    ),
}
"""What a reader must know of the rules of one gate."""


def collect(hits: Iterable[Hit]) -> list[Finding]:
    """Findings of broken rules in the registry's order, each with its count and up to five places."""
    places: dict[str, list[str]] = {}
    for rule, place in hits:
        places.setdefault(rule, []).append(place)
    unknown = set(places) - set(RULES)
    if unknown:
        raise KeyError(f"rules not in the registry: {sorted(unknown)}")
    return [
        Finding(
            rule=rule.rule,
            count=len(places[rule.rule]),
            examples=tuple(sorted(set(places[rule.rule]))[:MAX_EXAMPLES]),
            why=rule.why,
            fix=rule.fix,
        )
        for rule in RULES.values()
        if rule.rule in places
    ]


def rules_page() -> str:
    """docs/check.md as markdown."""
    lines = [
        "# Rules of `factory check`",
        "",
        "Generated from `factory/audit/rules.py`; a test holds this page current. A finding of a rule blocks "
        "its gate; rules without a gate are printed.",
        "",
    ]
    gates = [*dict.fromkeys(rule.gate for rule in RULES.values() if not rule.published)]
    for gate in gates:
        lines += _section(
            gate or "Printed only",
            [rule for rule in RULES.values() if rule.gate == gate and not rule.published],
        )
        lines += [NOTES[gate], ""] if gate in NOTES else []
    lines += HOW_LEAKS_ARE_SEARCHED
    lines += _lists()
    lines += _section("Published banks", [rule for rule in RULES.values() if rule.published])
    return "\n".join((*lines, *HOW_PUBLISHED_BANKS_ARE_READ, *HOW_RULES_ARE_SILENCED))


def _lists() -> list[str]:
    return [
        "## Listed for a person",
        "",
        "The scanner cannot judge these, so they block nothing. Of a real event `factory review EVENT` asks whether the "
        "figures and the rare words may stand; the anonymisation card counts both and says whether a person has looked. "
        "Rare words are listed by edition, the ones with the most surprisal times mentions first, by counts of ordinary "
        "text that come with the package: "
        f"at a surprisal of {RARE['en']} nats in English and {RARE['zh']} in Chinese from {OFTEN} mentions on, at "
        f"{TWICE['en']} and {TWICE['zh']} from two, at {ONCE} from one; a Chinese word that no list holds from {OFTEN}. "
        "A common thing in an uncommon role is not among them.",
        "",
        "| list | what stands in it |",
        "|---|---|",
        *(f"| {name} | {what} |" for name, what in LISTS.items()),
        "",
    ]


def _section(title: str, rules: list[Rule]) -> list[str]:
    return [
        f"## {title}",
        "",
        "| rule | promise | why | how to mend it |",
        "|---|---|---|---|",
        *(f"| `{rule.rule}` | {rule.says} | {rule.why} | {rule.fix} |" for rule in rules),
        "",
    ]
