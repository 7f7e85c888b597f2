"""Tell the daemon's refusals apart by status and a few fixed words; its text goes no further."""

from .port import Fault

_WORDS: tuple[tuple[str, Fault], ...] = (
    ("toomanyrequests", Fault.RATE_LIMITED),
    ("rate limit", Fault.RATE_LIMITED),
    ("pull access denied", Fault.DENIED),
    ("unauthorized", Fault.DENIED),
    ("authentication required", Fault.DENIED),
    ("manifest unknown", Fault.NOT_FOUND),
    ("no matching manifest", Fault.ARCHITECTURE),
    ("exec format error", Fault.ARCHITECTURE),
    ("does not match the specified platform", Fault.ARCHITECTURE),
    ("pool overlaps", Fault.OVERLAP),
    ("overlaps with other", Fault.OVERLAP),
    ("address pools have been fully subnetted", Fault.POOL_EXHAUSTED),
    ("non-overlapping ipv4 address pool", Fault.POOL_EXHAUSTED),
    ("no available network", Fault.POOL_EXHAUSTED),
    ("removal in progress", Fault.IN_PROGRESS),
    ("is already in progress", Fault.IN_PROGRESS),
    ("marked for removal", Fault.IN_PROGRESS),
    ("executable file not found", Fault.NO_PROGRAM),
    ("no such file or directory: unknown", Fault.NO_PROGRAM),
    ("unknown runtime", Fault.NO_RUNTIME),
    ("unknown or invalid runtime", Fault.NO_RUNTIME),
    ("no space left on device", Fault.NO_SPACE),
    ("dial tcp", Fault.NO_REGISTRY),
    ("no such host", Fault.NO_REGISTRY),
    ("tls handshake", Fault.NO_REGISTRY),
    ("client.timeout exceeded", Fault.NO_REGISTRY),
    ("connection refused", Fault.NO_REGISTRY),
    ("http request to an https server", Fault.CERTIFICATE),
)
_STATUSES = {404: Fault.NOT_FOUND, 409: Fault.CONFLICT, 429: Fault.RATE_LIMITED}


def recognise(status: int, text: str) -> Fault:
    """Return the kind of a refusal: *status* is HTTP's, *text* the daemon's explanation."""
    lowered = text.lower()
    for words, fault in _WORDS:
        if words in lowered:
            return fault
    return _STATUSES.get(status, Fault.REFUSED)
