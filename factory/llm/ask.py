"""The door bound to one stage: what stages call, and how the errors of many calls become one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, Any, cast

from factory.errors import AnswerFailed, AnswersWaiting, BadInput, FactoryError, Several
from factory.llm.calls import Call, first_limit
from factory.llm.reply import well_formed
from factory.llm.shapes import shape_of
from factory.stage import Answer, T

if TYPE_CHECKING:
    from factory.llm.gateway import Gateway


class StageAsk:
    """The door bound to one stage: the protocol `Ask` of factory/stage.py."""

    def __init__(self, gateway: Gateway, stage: str, number: int) -> None:
        self._gateway = gateway
        self._stage = stage
        self._number = number

    async def __call__(
        self,
        prompt: str,
        answer: type[Answer],
        *,
        item: str,
        sample: int = 0,
        role: str | None = None,
        lang: str | None = None,
        **variables: Any,
    ) -> Answer:
        """See factory/stage.py."""
        gateway = self._gateway
        rendered = gateway.prompts.render(
            prompt, lang=lang, variables=variables, fence_key=gateway.keys.salt
        )
        if rendered.answer != answer.__name__:
            raise BadInput(
                f"prompt {prompt} says answer = {rendered.answer!r}, but stage {self._stage} reads a "
                f"{answer.__name__}; correct the front matter"
            )
        role = role or rendered.role
        profile = gateway.settings.profile(role)
        call = Call(
            stage=self._stage,
            number=self._number,
            item=item,
            sample=sample,
            prompt=prompt,
            digest=rendered.digest,
            role=role,
            profile_name=gateway.settings.roles.get(role, "default"),
            profile=profile,
            shape=shape_of(answer, profile.dialect),
            system=well_formed(rendered.system),
            user=well_formed(rendered.user),
            max_tokens=first_limit(profile),
        )
        return await gateway.ask(call, answer)

    async def gather(self, *calls: Awaitable[T]) -> list[T | AnswerFailed]:
        """See factory/stage.py."""
        results: list[T | BaseException] = await asyncio.gather(*calls, return_exceptions=True)
        stops: list[FactoryError] = []
        for result in results:
            if isinstance(result, AnswerFailed):
                continue
            if isinstance(result, FactoryError):
                stops.append(result)
            elif isinstance(result, BaseException):
                raise result
        if stops:
            raise together(stops)
        return cast("list[T | AnswerFailed]", results)


def together(errors: Sequence[FactoryError]) -> FactoryError:
    """One error for all that stopped a run; of their own class when they are of one."""
    first, kinds = errors[0], {type(error) for error in errors}
    if kinds == {AnswersWaiting}:
        from factory.llm.manual import waiting_message

        stops = [error for error in errors if isinstance(error, AnswersWaiting)]
        waiting = sum(stop.waiting for stop in stops)
        met = stops[0].first
        return AnswersWaiting(waiting_message(met, waiting), waiting, met)
    if len({str(error) for error in errors}) == 1:
        return first
    if len(kinds) == 1:
        return type(first)(f"{first} ({len(errors) - 1} more like it)")
    return Several(errors)
