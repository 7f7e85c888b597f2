"""What a check works with: providers as wanted, requests, threads, and bounds on time."""

from __future__ import annotations

import contextvars
import threading
import time
from typing import TYPE_CHECKING, Any, TypeVar

from harnest.sandbox import SandboxContext, SandboxRequest, SandboxResult
from harnest_ext.conformance.checks import Broken, origin
from harnest_ext.conformance.features import Wanted
from harnest_ext.conformance.timing import SOON_SECONDS, Deadlines

if TYPE_CHECKING:
    from collections.abc import Callable

    from harnest.sandbox import SandboxBackend
    from harnest_ext.conformance.features import Feature, ProviderProfile

__all__ = ["LONG_SECONDS", "Bench", "Running", "identity"]

LONG_SECONDS = 60
"""Deadline of requests in checks that are not about deadlines; none should come near it."""

_T = TypeVar("_T")


def identity(**parts: str) -> SandboxContext:
    """Return a complete identity, with some parts of the caller's choice."""
    whole = {"agent_name": "a", "user_id": "u", "session_id": "s", "invocation_id": "i"}
    return SandboxContext(**(whole | parts))


class Running:
    """Something that runs in a thread of its own.

    Args:
        action: What; it gets a copy of this thread's context, control scopes included.
    """

    def __init__(self, action: Callable[[], object]) -> None:
        self.value: object = None
        self.error: BaseException | None = None
        self._action = action
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._run,), daemon=True)
        self._thread.start()

    def join(self, seconds: float) -> bool:
        """Wait; return whether it is over."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def result(self, seconds: float) -> Any:
        """Return what it returned.

        Raises:
            Broken: It raised, or is not over after ``seconds``.
        """
        if not self.join(seconds):
            raise Broken(f"a call did not return within {seconds:.1f} s")
        if self.error is not None:
            raise Broken(f"a call raised {type(self.error).__name__}") from None
        return self.value

    def _run(self) -> None:
        try:
            self.value = self._action()
        except BaseException as error:  # noqa: BLE001 - handed to the check's own thread
            self.error = error


class Bench:
    """One check's access to the provider under test.

    Args:
        profile: The provider under test.
    """

    def __init__(self, profile: ProviderProfile) -> None:
        self.profile = profile
        self._made: list[Any] = []
        self._default: Any = None

    def supports(self, feature: Feature) -> bool:
        """Return whether the provider offers something."""
        return feature in self.profile.supports

    def make(self, **wanted: Any) -> Any:
        """Return a new provider; it is closed after the check."""
        provider: SandboxBackend = self.profile.make(Wanted(**wanted))
        self._made.append(provider)
        return provider

    @property
    def provider(self) -> Any:
        """The provider without wishes, made at first use."""
        if self._default is None:
            self._default = self.make()
        return self._default

    def request(self, code: str, **options: Any) -> SandboxRequest:
        """Return a request with a complete identity."""
        options.setdefault("context", identity())
        options.setdefault("timeout_seconds", LONG_SECONDS)
        return SandboxRequest(code=code, **options)

    def run(self, code: str, *, on: Any = None, **options: Any) -> SandboxResult:
        """Execute a program, by default on :attr:`provider`.

        Raises:
            Broken: What came back is no result, or the provider raised.
        """
        provider = self.provider if on is None else on
        try:
            result = provider.execute(self.request(code, **options))
        except Exception as error:  # noqa: BLE001 - whatever a provider raises is judged here
            raise Broken(f"execute raised {origin(error)}") from None
        if not isinstance(result, SandboxResult):
            raise Broken(f"execute returned {type(result).__name__}, not SandboxResult")
        return result

    @property
    def soon(self) -> float:
        """Seconds within which something that ends is over; the profile's slack widens it."""
        return SOON_SECONDS + self.profile.slack_seconds

    def deadlines(self) -> Deadlines:
        """Return deadlines for a program that is to be ended by one."""
        return Deadlines(self.profile.slack_seconds)

    def within(self, what: str, action: Callable[[], _T]) -> _T:
        """Return what an action returns, which must be :attr:`soon`.

        Raises:
            Broken: It took longer.
        """
        bound = self.soon
        start = time.monotonic()
        value = action()
        took = time.monotonic() - start
        if took > bound:
            raise Broken(f"{what} took {took:.2f} s, more than {bound:.2f} s")
        return value

    def close(self) -> None:
        """Close every provider that the check made."""
        for provider in self._made:
            if callable(getattr(provider, "close", None)):
                provider.close()
        self._made.clear()
        self._default = None
