"""One OpenAI-compatible endpoint: a request goes out, a reply or a named fault comes back.

Uses the openai client's authentication and transport (aiohttp), without its retries, its typed-dict walk and
its response models: the gateway has its own retry layer and needs four fields of a response. No error text
that leaves this file holds the API key.
"""

from __future__ import annotations

import asyncio
import email.utils
import json
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from factory.errors import BadInput
from factory.llm.reply import Reply, compact, read_completion
from factory.sections import Profile

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

Kind = Literal[
    "throttled",
    "server",
    "timeout",
    "connection",
    "key",
    "model",
    "quota",
    "too_long",
    "filtered",
    "request",
]
SECRET_MARK = "[secret]"


@dataclass(frozen=True)
class Fault:
    """Why a request has no answer."""

    kind: Kind
    status: str
    """For the ledger: http_<code>, timeout or connection."""
    message: str
    retry_after: float | None = None
    """Seconds the endpoint asks to wait."""


def api_key(profile: Profile, name: str) -> str:
    """The key of a profile from the environment; BadInput names the variable when it is not set."""
    if not profile.api_key_env:
        return ""
    key = os.environ.get(profile.api_key_env, "").strip()
    if not key:
        raise BadInput(
            f"profile {name} needs the environment variable {profile.api_key_env}, which is not set; "
            'set it to your key, set api_key_env = "" for a server without keys (`factory doctor` checks both), '
            "or answer by hand with `factory run EVENT --manual DIR`"
        )
    return key


def _retry_after(headers: Any) -> float | None:
    """Seconds from Retry-After-Ms, Retry-After as a number, or Retry-After as a date."""
    for name, scale in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers.get(name, "")) * scale)
        except ValueError:
            continue
    when = email.utils.parsedate_tz(headers.get("retry-after", ""))
    return max(0.0, email.utils.mktime_tz(when) - time.time()) if when else None


def _root(error: BaseException) -> str:
    """The message of the first cause."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__


class Endpoint:
    """A profile's connection pool. Opened by the first request, closed by aclose()."""

    def __init__(self, name: str, profile: Profile) -> None:
        self.name = name
        self.profile = profile
        self.key = api_key(profile, name)
        self.answered = False
        """Whether it ever answered, with whatever status."""
        self._client: AsyncOpenAI | None = None

    def client(self) -> AsyncOpenAI:
        """The openai client, made once: no retries, explicit timeouts, as many connections as calls."""
        if self._client is None:
            import httpx2
            from openai import AsyncOpenAI, DefaultAioHttpClient

            profile = self.profile
            timeout = httpx2.Timeout(profile.read_timeout, connect=profile.connect_timeout)
            limits = httpx2.Limits(
                max_connections=profile.concurrency, max_keepalive_connections=profile.concurrency
            )
            self._client = AsyncOpenAI(
                api_key=self.key or "none",
                base_url=profile.base_url,
                max_retries=0,
                timeout=timeout,
                http_client=DefaultAioHttpClient(timeout=timeout, limits=limits),
            )
        return self._client

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    def clean(self, text: str) -> str:
        """The text without the API key."""
        return text.replace(self.key, SECRET_MARK) if len(self.key) > 3 else text

    @property
    def address(self) -> str:
        """The base address without credentials and query, for messages."""
        scheme, _, rest = self.profile.base_url.partition("://")
        host, slash, path = rest.partition("/")
        return f"{scheme}://{host.rpartition('@')[2]}{slash}{path.partition('?')[0]}"

    async def post(self, body: dict[str, Any]) -> Reply | Fault:
        """Send one chat completion request, once."""
        import httpx2
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        try:
            # The transport's read timeout restarts with every byte; this one does not.
            async with asyncio.timeout(self.profile.connect_timeout + self.profile.read_timeout):
                response = await self.client().post(
                    "/chat/completions",
                    cast_to=httpx2.Response,
                    content=compact(body).encode(),
                    options={"headers": {"Content-Type": "application/json"}},
                )
        except (TimeoutError, APITimeoutError) as error:
            if isinstance(error.__cause__, httpx2.ConnectTimeout):
                # The transport reports a refused connection in this way too.
                return Fault("connection", "connection", self.clean(_root(error)))
            return Fault("timeout", "timeout", f"no answer within {self.profile.read_timeout:g} s")
        except APIStatusError as error:
            self.answered = True
            return self._fault(error)
        except APIConnectionError as error:
            return Fault("connection", "connection", self.clean(_root(error)))
        self.answered = True
        try:
            return read_completion(json.loads(self.clean(response.text)))
        except ValueError as error:
            return Fault("server", "http_200", f"the answer is no chat completion ({error})")

    def _fault(self, error: APIStatusError) -> Fault:
        status = error.status_code
        detail = error.body if isinstance(error.body, dict) else {}
        code = str(detail.get("code") or detail.get("type") or "")
        message = self.clean(str(detail.get("message") or error.message))[:300]
        label = f"http_{status}"
        after = _retry_after(error.response.headers)
        if code == "insufficient_quota":
            return Fault("quota", label, message)
        if status == 429:
            return Fault("throttled", label, message, after)
        if status in (401, 403):
            return Fault("key", label, message)
        if status == 404:
            return Fault("model", label, message)
        if status in (408, 409) or status >= 500:
            return Fault("server", label, message, after)
        if "content_filter" in code:
            return Fault("filtered", label, message)
        if "context_length" in code or "context length" in message.lower() or status == 413:
            return Fault("too_long", label, message)
        return Fault("request", label, message)
