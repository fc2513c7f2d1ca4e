"""Three small real stages for the tests of the runner: they read, transform and write artefacts."""

from __future__ import annotations

from factory.errors import BadInput, ReviewWaiting
from factory.stage import Stage, StageContext
from schemas import Counts, ReviewRequest

RUNS: list[str] = []


async def first(ctx: StageContext) -> Counts:
    RUNS.append("first")
    ctx.workspace.write_text("a.txt", ctx.event.topic.upper())
    ctx.reject("x", "too short")
    return Counts(received=2, kept=1, rejected=1)


async def second(ctx: StageContext) -> Counts:
    RUNS.append("second")
    text = ctx.workspace.path("a.txt").read_text()
    if "BROKEN" in text:
        raise BadInput("the text is broken; write another")
    choice = ctx.request_review(
        ReviewRequest(
            stage="second",
            review_id="r1",
            kind="alias",
            question="Is it one?",
            options=("yes", "no"),
        )
    )
    if "ASK" in text and choice is None:
        raise ReviewWaiting("1 decision waits; see `factory review`")
    ctx.workspace.write_text("b.txt", f"{text} {choice} {ctx.settings.points.count}")
    return Counts(received=1, kept=1)


async def third(ctx: StageContext) -> Counts:
    RUNS.append("third")
    ctx.workspace.write_text("c/one.txt", ctx.workspace.path("b.txt").read_text() + "!")
    return Counts(received=1, kept=1)


GRAPH = (
    Stage(
        name="first",
        run="tests.running_stages:first",
        inputs=(),
        outputs=("a.txt",),
        event=("topic",),
    ),
    Stage(
        name="second",
        run="tests.running_stages:second",
        inputs=("a.txt",),
        outputs=("b.txt",),
        sections=("points",),
    ),
    Stage(name="third", run="tests.running_stages:third", inputs=("b.txt",), outputs=("c",)),
)
