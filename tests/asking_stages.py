"""Two small stages that ask a model, for tests of versions: the second asks about what the first was answered."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from factory.stage import Stage, StageContext
from schemas import Counts, Rejection


class WordAnswer(BaseModel):
    """What a word becomes."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    text: str
    """One word."""


PROMPT = """---
role = "{role}"
answer = "WordAnswer"
description = "A word."
variables = ["word", "place"]
---
{task}
{{% include "{stage}/_style.md" %}}
===user===
{{{{ fence(word) }}}} at {{{{ place }}}}
"""


async def _ask(ctx: StageContext, prompt: str, words: list[str], path: str) -> Counts:
    answers = await ctx.ask.gather(
        *(ctx.ask(prompt, WordAnswer, item=word, word=word, place="sea") for word in words)
    )
    rows = [
        Rejection(stage=ctx.stage, item=word, reason=answer.text)
        for word, answer in zip(words, answers, strict=True)
        if isinstance(answer, WordAnswer)
    ]
    ctx.workspace.write_lines(path, rows)
    return Counts(received=len(words), kept=len(rows))


async def first(ctx: StageContext) -> Counts:
    return await _ask(ctx, "first/word", ctx.event.topic.split(), "01_first/words.jsonl")


async def second(ctx: StageContext) -> Counts:
    words = [row.reason for row in ctx.workspace.read_lines(Rejection, "01_first/words.jsonl")]
    return await _ask(ctx, "second/word", words, "02_second/words.jsonl")


async def release(ctx: StageContext) -> Counts:
    ctx.workspace.write_bytes(
        "09_release/all.txt", ctx.workspace.path("02_second/words.jsonl").read_bytes()
    )
    return Counts(received=1, kept=1)


GRAPH = (
    Stage(
        name="first",
        run="tests.asking_stages:first",
        inputs=(),
        outputs=("01_first/words.jsonl",),
        prompts=("first/word",),
        roles=("distil",),
        event=("topic",),
    ),
    Stage(
        name="second",
        run="tests.asking_stages:second",
        inputs=("01_first/words.jsonl",),
        outputs=("02_second/words.jsonl",),
        prompts=("second/word",),
        roles=("claims",),
    ),
    Stage(
        name="release",
        run="tests.asking_stages:release",
        inputs=("02_second/words.jsonl",),
        outputs=("09_release",),
    ),
)
PROMPTS = ("first/word", "second/word")


def shipped() -> dict[str, str]:
    """The prompts tree of this graph."""
    files: dict[str, Any] = {"first/_decoys/one.md": "A text that no prompt includes."}
    for stage, role in (("first", "distil"), ("second", "claims")):
        files[f"{stage}/word.md"] = PROMPT.format(role=role, stage=stage, task=f"Task {stage}.")
        files[f"{stage}/_style.md"] = "Be brief.\n"
    return files
