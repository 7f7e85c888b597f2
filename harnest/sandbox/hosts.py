"""Exact host names and addresses of an allowlist, in the one spelling that providers compare.

Nothing is looked up. A host is an IP literal in canonical form, or a DNS name in lower-case ASCII
(IDNA) without its trailing dot. Patterns, URLs, ports and scope ids are no hosts.
"""

from __future__ import annotations

import re

from harnest.sandbox import limits

__all__ = ["normalized_hosts"]

_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
"""A last label that resolvers take for an address in an old spelling: 127.1 or 0x7f000001."""
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)


def normalized_hosts(values: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    """Return the hosts in normal form, each once, in the order given.

    Raises:
        ValueError: One of them is no exact host.
    """
    return tuple(dict.fromkeys(_normalized(value) for value in values))


def _normalized(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("allow_hosts must hold str only")  # noqa: TRY004 - a scalar, not a container: the contract says ValueError
    text = value.strip().rstrip(".").lower()
    return _address(text) or _name(text)


def _address(text: str) -> str:
    if not (":" in text or text[-1:].isdigit()):
        return ""
    import ipaddress  # noqa: PLC0415 - most policies name no address and then don't pay for it

    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return ""
    if "%" in text:
        raise ValueError("an address in allow_hosts must have no scope id")
    return str(address)


def _name(text: str) -> str:
    name = text if text.isascii() else _idna(text)
    labels = name.split(".")
    if len(name) > limits.HOST_CHARACTERS or not all(map(_LABEL.fullmatch, labels)):
        raise ValueError(
            "allow_hosts must hold exact DNS names or IP literals, "
            "without scheme, port, path, user or wildcard"
        )
    if _NUMBER.fullmatch(labels[-1]):
        raise ValueError(
            "an address in allow_hosts must be in the usual spelling, such as 127.0.0.1"
        )
    return name


def _idna(text: str) -> str:
    try:
        encoded = text.encode("idna")
    except UnicodeError:
        raise ValueError("a name in allow_hosts can't be encoded as a DNS name") from None
    return encoded.decode("ascii").rstrip(".").lower()
