"""Checks of what a policy is made of; a message names the field, the rule and what was given."""

from __future__ import annotations

import ipaddress
import re

from .. import limits

__all__ = ["address_range", "choice", "host", "path", "port", "texts", "word"]

_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)


def path(name: str, value: object) -> str:
    """Return an absolute path without ``.`` and ``..``, as a policy takes it.

    Raises:
        ValueError: It is something else.
    """
    most = limits.POLICY_PATH_CHARACTERS
    if not isinstance(value, str) or not value.startswith("/") or len(value) > most:
        raise ValueError(f"{name} must be an absolute path of at most {most} characters")
    if any(part in (".", "..") for part in value.split("/")) or not value.isprintable():
        raise ValueError(f"{name} must hold neither '.', '..' nor control characters: {value!r}")
    return value


def host(name: str, value: object) -> str:
    """Return a host's name or address in lower case; ``*`` may stand for its first label only.

    Raises:
        ValueError: It is something else.
    """
    if not isinstance(value, str) or not value or len(value) > limits.HOST_CHARACTERS:
        raise ValueError(f"{name} must be a host of at most {limits.HOST_CHARACTERS} characters")
    lower = value.lower().rstrip(".")
    if _is_address(lower):
        return lower
    first, *others = lower.split(".")
    wild = first in ("*", "**")
    if wild and not others:
        raise ValueError(f"{name} must not allow every host: {value!r}")
    if not all(_LABEL.fullmatch(label) for label in (others if wild else [first, *others])):
        raise ValueError(
            f"{name} must be a DNS name or an address, with a wildcard in its first label at "
            f"most: {value!r}"
        )
    return lower


def port(name: str, value: object) -> int:
    """Return an int from 1 to 65535.

    Raises:
        ValueError: It is something else.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 65535:
        raise ValueError(f"{name} must be an int from 1 to 65535, not {value!r}")
    return value


def word(name: str, value: object) -> str:
    """Return a name of letters, digits, dots, hyphens and underscores.

    Raises:
        ValueError: It is something else.
    """
    most = limits.NAME_CHARACTERS
    if not isinstance(value, str) or len(value) > most or not _WORD.fullmatch(value):
        raise ValueError(
            f"{name} must be 1 to {most} letters, digits, dots, hyphens or underscores, starting "
            f"with a letter or digit, not {value!r}"
        )
    return value


def address_range(name: str, value: object) -> str:
    """Return an address or a range of addresses in its normal form.

    Raises:
        ValueError: It is something else.
    """
    try:
        return str(ipaddress.ip_network(str(value)))
    except ValueError:
        raise ValueError(f"{name} must be an address or a CIDR range, not {value!r}") from None


def choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Refuse what is none of some texts.

    Raises:
        ValueError: It is something else.
    """
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, not {value!r}")


def texts(name: str, value: object) -> tuple[object, ...]:
    """Return the items of a list or tuple, once each.

    Raises:
        TypeError: It is something else, such as one bare text.
    """
    if not isinstance(value, list | tuple):
        raise TypeError(f"{name} must be a list or tuple, not {type(value).__name__}")
    return tuple(dict.fromkeys(value))


def _is_address(value: str) -> bool:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return True
