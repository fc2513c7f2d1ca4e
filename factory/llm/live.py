"""The one retry layer: paced, budgeted requests until there is an answer or a reason why there is none.

429 waits for the endpoint (pacing.py); 5xx, timeouts and lost connections back off and try again; a
truncated answer is asked again with a larger limit. Every request that goes out leaves a ledger row.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from factory.errors import AnswerFailed, EndpointError
from factory.llm.budget import Budget
from factory.llm.calls import Asked, Call, Served, limit_name
from factory.llm.endpoint import Endpoint, Fault
from factory.llm.ledger import cost_of
from factory.llm.pacing import LONGEST_PAUSE, Pacer, backoff
from factory.llm.reply import Reply
from factory.llm.tokens import MARGIN, count_tokens

UNREACHED_TRIES = 2
"""Tries after the first while an endpoint has never answered: a wrong address shall be said soon."""

Write = Callable[[Asked, str, Served], None]
"""Writes a ledger row of a request that gave no usable answer: what was asked, status, what it took."""


class LiveLine:
    """One profile's endpoint with its pace."""

    def __init__(self, endpoint: Endpoint, budget: Budget, write: Write) -> None:
        self.endpoint = endpoint
        self.profile = endpoint.profile
        self.budget = budget
        self.write = write
        self.pacer = Pacer(
            rpm=self.profile.rpm,
            tpm=self.profile.tpm,
            concurrency=self.profile.concurrency,
            patience=self.profile.retries,
        )
        self._usual_answer = 0.0

    async def answer(self, asked: Asked) -> Served:
        """A whole answer; AnswerFailed when truncated at the cap or refused, EndpointError, BudgetReached."""
        call, tries = asked.call, 0
        prompt_tokens = call.shape.tokens + count_tokens(call.system) + count_tokens(call.user)
        while True:
            asked.body[limit_name(self.profile)] = call.max_tokens
            result, spent = await self._once(asked, prompt_tokens)
            if isinstance(result, Fault):
                tries += result.kind != "throttled"
                await self._judge(call, result, tries)
            elif result.refused:
                self.write(asked, "refused", spent)
                raise AnswerFailed(
                    f"{call.where}: {self.profile.model} refused to answer"
                    + (f" ({result.refusal[:200]})" if result.refusal else " (content filter)"),
                    reason="refused",
                    raw=result.text,
                )
            elif result.truncated:
                self.write(asked, "truncated", spent)
                if call.max_tokens >= self.profile.max_tokens_cap:
                    raise AnswerFailed(
                        f"{call.where}: the answer is still cut off at max_tokens_cap = "
                        f"{self.profile.max_tokens_cap}; ask with less input or raise the cap",
                        reason="truncated",
                        raw=result.text,
                    )
                call.max_tokens = min(call.max_tokens * 2, self.profile.max_tokens_cap)
            else:
                return spent

    async def _once(self, asked: Asked, prompt_tokens: int) -> tuple[Reply | Fault, Served]:
        """One request: reserve, wait for a place, send, settle."""
        price, call = self.profile.price, asked.call
        most = cost_of(price, int(prompt_tokens * MARGIN), 0, call.max_tokens)
        if self.pacer.broken is not None:
            raise self.pacer.broken
        await self.budget.reserve(most)
        spent = 0.0
        try:
            expected = int(self._usual_answer or min(call.max_tokens, 500))
            ticket = await self.pacer.enter(prompt_tokens + expected)
            try:
                started = time.perf_counter()
                result = await self.endpoint.post(asked.body)
                seconds = time.perf_counter() - started
                if isinstance(result, Fault):
                    if result.kind == "throttled":
                        self.pacer.throttled(ticket, result.retry_after)
                    self.write(
                        asked, result.status, Served(Reply(""), "live", seconds, reserved=most)
                    )
                    return result, Served(Reply(""), "live")
                result = self._with_usage(result, prompt_tokens)
                self.pacer.answered(ticket, result.prompt_tokens + result.completion_tokens)
            finally:
                self.pacer.leave(ticket)
            spent = cost_of(
                price, result.prompt_tokens, result.cached_tokens, result.completion_tokens
            )
            return result, Served(result, "live", seconds, most, spent)
        finally:
            self.budget.settle(most, spent)

    def _with_usage(self, reply: Reply, prompt_tokens: int) -> Reply:
        """Some local servers report no usage: then the estimate stands in, so that a cap still works."""
        if not reply.prompt_tokens and not reply.completion_tokens:
            reply = Reply(
                reply.text,
                reply.finish_reason,
                reply.refusal,
                prompt_tokens=prompt_tokens,
                completion_tokens=count_tokens(reply.text),
            )
        # Running mean over about 20 answers: what the token bucket books for the next request.
        weight = 0.05 if self._usual_answer else 1.0
        self._usual_answer += weight * (reply.completion_tokens - self._usual_answer)
        return reply

    async def _judge(self, call: Call, fault: Fault, tries: int) -> None:
        """Return to try again (after a pause where one is due), or raise what ends the call or the run."""
        profile, name = self.profile, self.endpoint.name
        here = f"endpoint {self.endpoint.address} (profile {name})"
        if fault.kind == "throttled":
            if self.pacer.blocked:
                self._break(
                    f"{here} answers every request with 429 ({fault.message}); lower rpm or concurrency, or "
                    "run the same command again later"
                )
            if (fault.retry_after or 0) > LONGEST_PAUSE:
                self._break(
                    f"{here} asks to wait {fault.retry_after:.0f} s ({fault.message}); run the same command "
                    "again after that"
                )
            return
        if fault.kind == "key":
            source = profile.api_key_env or "no key at all"
            self._break(
                f"{here} does not accept the key from {source} ({fault.status[5:]}: {fault.message}); "
                "check the key and its rights, then run the same command again"
            )
        if fault.kind == "model":
            self._break(
                f"{here} does not know the model {profile.model!r} or the path ({fault.message}); set model "
                "and base_url of the profile, `factory doctor` lists what the endpoint offers"
            )
        if fault.kind == "quota":
            self._break(
                f"the account at {here} has no quota left ({fault.message}); top it up and run again"
            )
        if fault.kind == "request":
            raise EndpointError(
                f"{here} refuses the request for {call.where} ({fault.status[5:]}: {fault.message}); "
                "`factory doctor` shows which mode and dialect it takes"
            )
        if fault.kind == "filtered":
            raise AnswerFailed(
                f"{call.where}: the endpoint's filter refused the prompt ({fault.message})",
                reason="refused",
            )
        if fault.kind == "too_long":
            raise AnswerFailed(
                f"{call.where}: the prompt is longer than {profile.model} takes ({fault.message}); "
                "ask with less input",
                reason="truncated",
            )
        most = profile.retries
        if fault.kind == "connection" and not self.endpoint.answered:
            most = min(most, UNREACHED_TRIES)
        if tries > most:
            message = (
                f"{here} gives no answer for {call.where} after {tries} tries ({fault.message}); check the "
                "address and the service, then run the same command again: stored answers are kept"
            )
            if fault.kind == "connection":
                self._break(message)
            raise EndpointError(message)
        await asyncio.sleep(
            backoff(tries) if fault.retry_after is None else min(fault.retry_after, LONGEST_PAUSE)
        )

    def _break(self, message: str) -> None:
        """End every call of this endpoint with one error."""
        error = EndpointError(message)
        self.pacer.break_with(error)
        raise error

    async def aclose(self) -> None:
        """Close the endpoint."""
        await self.endpoint.aclose()
