"""What the panel is worth: the same auditors on texts whose answer is known beforehand.

The raw text shows whether they recognise the event at all (power; an upper bound, since its names are in it), its
bare class how often a guess without any text is right (prior), and invented events of the same form how often the
true one is named by chance (false HIGH). Every control uses the prompt of the rounds and is graded against the
event's own truth card. They run once an event, because none of them depends on the table or the offset.
"""

from __future__ import annotations

from dataclasses import dataclass

from factory import resources
from factory.anonymise.apply import build_timeline, parse_timeline
from factory.anonymise.expand import has_cjk
from factory.anonymise.figures import panel_figures
from factory.anonymise.match import Matcher
from factory.anonymise.panel import hold
from factory.errors import AnswerFailed, BadInput
from factory.segments import node_text, render
from factory.stage import StageContext
from schemas import (
    AnonTimeline,
    AuditorReply,
    ControlRound,
    Lang,
    PanelFigures,
    ReplacementTable,
    ShownText,
    Timeline,
    TruthCard,
)

DECOYS = "anonymise/_decoys"
"""Folder of the decoys below the prompts, one file an event and language."""
_CLASS: dict[Lang, str] = {
    "en": "Nothing is left of the text but the kind of event: {}.",
    "zh": "文本只剩下事件的类型：{}。",
}
_COMMA: dict[Lang, str] = {"en": ", ", "zh": "、"}


def shown_text(timeline: AnonTimeline) -> str:
    """All that is public of the arc as a reader sees it: days, facts, opinion and, after each day, its themes."""
    lang = timeline.lang
    parts = []
    for node in timeline.nodes:
        parts.append(node_text(node, lang))
        themes = node.opinion.themes if node.opinion is not None else ()
        if themes:
            parts.append("; ".join(render(theme.text[lang], lang) for theme in themes))
    return "\n\n".join(parts)


def raw_text(timeline: Timeline) -> str:
    """The raw timeline in the very form of the anonymised one: no name is replaced and no day moved."""
    parsed = parse_timeline(timeline, Matcher(ReplacementTable(entities=())), 0)
    texts = {key: value.segments for key, value in parsed.items()}
    return shown_text(build_timeline(timeline, texts, "raw", 0))


def class_text(truth: TruthCard, lang: Lang, matcher: Matcher) -> str:
    """One sentence that tells the kind of event and nothing else; terms that hold a name are left out.

    So do terms with a figure, which may be a year. Empty when no term of the language remains.
    """
    terms = [
        term
        for term in truth.event_class
        if has_cjk(term) == (lang == "zh")
        and not matcher.find(term)
        and not any(char.isdigit() for char in term)
    ]
    return _CLASS[lang].format(_COMMA[lang].join(terms)) if terms else ""


def decoys(lang: Lang) -> dict[str, str]:
    """Name -> text of the shipped decoys of a language. BadInput when there is none."""
    folder = resources.prompts_folder() / DECOYS
    found = {
        path.name.removesuffix(f".{lang}.md"): path.read_text(encoding="utf-8").strip()
        for path in sorted(folder.glob(f"*.{lang}.md"))
    }
    if not found:
        raise BadInput(
            f"the folder {folder} holds no decoy in {lang}; add one as <name>.{lang}.md "
            "or set anonymise.controls = false"
        )
    return found


@dataclass(frozen=True)
class Controls:
    """Hearings on control texts and what they say about the panel."""

    rounds: tuple[ControlRound, ...] = ()

    def replies(self, text: ShownText) -> list[AuditorReply]:
        """All replies on one kind of text."""
        return [reply for row in self.rounds if row.text == text for reply in row.replies]

    def figures(self, *, scripted: bool = False) -> tuple[PanelFigures, ...]:
        """One row a kind of text that was shown; without shares when the answers were written by hand."""
        kinds = dict.fromkeys(row.text for row in self.rounds)
        return tuple(panel_figures(kind, self.replies(kind), scripted=scripted) for kind in kinds)


async def hold_controls(
    ctx: StageContext, timeline: Timeline, truth: TruthCard, matcher: Matcher
) -> Controls:
    """Hear the panel on the raw text, the bare class and every decoy; nothing when controls are off."""
    if not ctx.settings.anonymise.controls:
        return Controls()
    lang = timeline.lang
    texts: list[tuple[ShownText, str, str]] = [("raw", "raw", raw_text(timeline))]
    bare = class_text(truth, lang, matcher)
    if bare:
        texts.append(("class", "class", bare))
    else:
        ctx.reject("class", "control not held", f"the truth card has no plain term in {lang}")
    texts += [("decoy", f"decoy-{name}", text) for name, text in decoys(lang).items()]
    audits = await ctx.ask.gather(*(hold(ctx, text, truth, name, lang) for _, name, text in texts))
    rounds = []
    for (kind, name, _), audit in zip(texts, audits, strict=True):
        if isinstance(audit, AnswerFailed):
            # hold() keeps failed answers as UNKNOWN replies; nothing else may raise one.
            raise audit
        rounds.append(
            ControlRound(
                text=kind,
                name=name.removeprefix("decoy-"),
                prompt_digest=audit.digest,
                replies=audit.replies,
            )
        )
    return Controls(tuple(rounds))
