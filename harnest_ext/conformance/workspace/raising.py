"""Demands on what a call raises."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from harnest_ext.conformance.checks import Broken, origin

if TYPE_CHECKING:
    from collections.abc import Awaitable

__all__ = ["raises", "refused"]

_E = TypeVar("_E", bound=BaseException)


async def refused(what: str, action: Awaitable[object]) -> ValueError:
    """Demand that a call is refused with a ValueError."""
    return await raises(what, ValueError, action)


async def raises(what: str, kind: type[_E], action: Awaitable[object]) -> _E:
    """Demand that a call raises an exception of a kind; return it.

    Raises:
        Broken: It does not.
    """
    try:
        await action
    except kind as error:
        return error
    except Exception as error:  # noqa: BLE001 - whatever a tier raises is judged here
        raise Broken(f"{what}: expected {kind.__name__}, got {origin(error)}") from None
    raise Broken(f"{what}: expected {kind.__name__}, and it was carried out")
