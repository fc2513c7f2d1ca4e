"""Rules for published banks of others: what each promises, why it matters, how to mend it; and how such banks are read.

Each row was met in a published bank. docs/check.md is generated from here by way of `factory.audit.rules`.
"""

from __future__ import annotations

_RELABEL = "recompute the answer from the event's own day and the window, in both editions"
_WINDOW = "state the first and the last day of the window in the text, and store the same two days"
_DROP = "drop the question in both editions"
_REWORD = "reword the stem in both editions"

PUBLISHED_RULES: tuple[tuple[str, str, str, str], ...] = (
    # labels
    ("published-a-label", "A question of type A has the answer 1 exactly when its stored distance is at most its window.", "The label breaks the bank's own rule, so a system is graded on a slip.", _RELABEL),
    ("published-monotone", "Questions of type A with one base text at one point: what is true in a short window is true in a longer one.", "Two answers contradict each other.", _RELABEL),
    ("published-contradiction", "No two questions of a point with the same words, punctuation and window fields aside, have different answers.", "One of them is wrong, and no reader can know which.", "keep one of them, with the answer that the timeline gives"),
    ("published-target-window", "A question of type A that counts its window around its target day is not answered 0 for lying outside a window from the cutoff.", "The text shows a window that holds the true day, and the answer denies it.", "count every window from the cutoff, in text and label"),
    ("published-past-target", "No question asks about an event before its cutoff: stored distances are 0 or more.", "The answer is history; the context may hold it.", _DROP),
    ("published-event-range", "A dated event lies 0 to 90 days after its cutoff.", "Systems are asked, and the answer is never scored.", "drop the event at this point"),
    ("published-event-day", "The day of a dated event is its cutoff and the stored distance.", "Two fields give two answers.", "recompute the distance"),
    ("published-weight", "A stored weight is 1 / (1 + 0.04 * max(0, distance)) * window / (window + 4), rounded to three places.", "Scores computed with it are not the stated ones.", "recompute the weight; do not join rows by their text"),
    ("published-fields", "Every point states a cutoff and has a context with days, every question a window and a distance.", "What is not stated cannot be checked or scored.", "add the field"),
    # windows and days in texts
    ("published-window-text", "A text that states lengths of time states the stored window among them.", "Readers answer the text, scores follow the field.", _WINDOW),
    ("published-window-unstated", "A text states its window: as an exact length, or by its two days.", "Readers cannot know when the question ends.", _WINDOW),
    ("published-sibling-date", "No stem names a day that answers a dated event of the same point.", "Who reads one exam learns answers of the other.", "name the window's own two days only, or ask the event at another point"),
    ("published-past-date", "No stem names a day before the cutoff.", "The question is past, or the day was not shifted.", _REWORD),
    ("published-far-date", "A stem that names months names one within a month of its target day.", "The day in the text and the stored day are of two calendars: one of them was not shifted.", "shift text and fields together"),
    ("published-impossible-date", "What is written like a day is a day of the calendar.", "Shifting has damaged it.", _REWORD),
    # words
    ("published-internal-id", "No internal id stands in a stem.", "It means nothing to a reader and is a key to who has the bank.", "write out what the id stands for"),
    ("published-absolute-word", "Absolute words (all, permanently, immediately ...) do not make the answer 0 more likely.", "A reader of words alone gains.", "reword made-up questions like real ones, or give true ones the same words"),
    ("published-premise", "No stem takes for granted that a dated event of the same point, still to come at the cutoff, has happened.", "The premise answers the other exam.", "ask for the premise itself, or ask at a later point"),
    ("published-unknown-name", "Every placeholder of a stem occurs in the context of its point, in the same edition.", "Nobody can forecast about somebody who was never introduced.", "use the name that the context uses, or ask at a later point"),
    ("published-word-order", "No English stem puts a name before its verb (`Country X Will ...`).", "The name was put back at the wrong place after translation, so the sentence may say something else.", "translate the stem again"),
    ("published-no-question", "Where most stems ask, all do.", "A statement has no window and no tense to answer.", _REWORD),
    ("published-duplicate", "No two questions of a point have the same words, punctuation aside.", "It counts twice, and whoever joins by text joins wrongly.", "keep one of them in both editions"),
    # contexts and editions
    ("published-context-cutoff", "A context holds no node on or after its cutoff.", "Questions about that day are answered by reading.", "cut the context before the cutoff"),
    ("published-context-order", "Nodes of a context follow in time.", "A later day is told as if it were known earlier.", "sort the nodes by day"),
    ("published-prefix", "The context of a point begins the context of the next one, word for word.", "The difference tells what was edited after the cut.", "cut every context from one timeline"),
    ("published-parity", "Both editions have the same points, cutoffs, dated events and question fields.", "They are two exams, and their mean is of neither.", "export both editions from one set of records"),
    ("published-event-order", "The order of the dated events' ids does not follow time.", "Who is told that order means nothing learns the order of the answers.", "give ids at random, and list by id"),
)  # fmt: skip

HOW_PUBLISHED_BANKS_ARE_READ: tuple[str, ...] = (
    "## How published banks are read",
    "",
    "`factory check PATH --format societybench` takes the project page (`zh/` and `en/` with `<event>/P01.json` beside",
    "`P01_context.md`, or a folder that holds them as `demo/`) and the dataset layout (`<event>/<zh|en>/questionbank/`,",
    "`contexts/` and so on). `auto`, the default, tells them from a bundle and refuses a folder that is neither or more",
    "than one. Every finding counts rows or places in both editions together and says how many are of which edition.",
    "",
    "- Texts are compared after NFKC, without case, punctuation and spaces. The base text of `published-monotone` also",
    "  lacks the phrase of the window (`within the next 14 days`, `截至目标日的7天内`) and days written YYYY-MM-DD, so that",
    "  one question is known over its windows. That finds more pairs than a comparison that removes the length alone; the",
    "  finding says how many of them have one target day, where the contradiction is certain.",
    "- A window is stated by a length in days, weeks or months (30 days each), in figures or spelled, or by two days that",
    "  lie so far apart. `about two weeks` is no exact length. Any other length in the text (a truce of two weeks) counts",
    "  in favour of the text: a conflict is reported only when none of the lengths is the stored window.",
    "- `published-sibling-date` counts stems with a day that is the answer of any dated event of the point, the one that",
    "  the stem itself asks about among them: the exams are given separately, and it answers the other one.",
    "- `published-premise` looks at questions about opinion for a clause (`after ...`, `在...后`) that shares two fifths of",
    "  its pairs of characters, or words, with a dated event still to come. It proposes; a person decides.",
    "- `published-a-label` and `published-target-window` need distances that are the events' own. A bank that stores the",
    "  window's end instead, as exports of this factory do, is not measured by them.",
    "- The leak scanner reads every file of the bank. It has no replacement table, so `leak-name`, `leak-near-name`,",
    "  `leak-date` and `secret-value` are not evaluated. `July 4` is no leak there, but ordinary English.",
    "- Scores of rules without text are printed as for `factory score`: pooled over the points of an event and edition,",
    "  mean of the editions, mean of the events. `structure` rows are models fitted on windows, distances, siblings and",
    "  the text's record at other points, with each event answered from the others (each point, in a bank of one event).",
    "  `metadata only` and `chance` answer both axes; their figure is the mean of the two.",
    "",
)
HOW_RULES_ARE_SILENCED: tuple[str, ...] = (
    "## Silencing a rule",
    "",
    "A bank may break a rule knowingly. It says so itself, in `silenced.json` at its root, which maps rule ids to reasons:",
    "",
    "```json",
    '{"axes-share-claim": "The arc is too short for disjoint exams."}',
    "```",
    "",
    "In a bundle the file is listed with its digest in the manifest, like every other file; put the table into the",
    "setting `release.silenced` and release. An unknown rule and an empty reason are refused. A silenced finding is still",
    "printed, with its reason, and does not make `factory check` fail. The gates leak, secret, labels, structure, parity",
    "and mirror stay as they are: a finding of theirs is printed with its reason and fails all the same.",
    "",
)
