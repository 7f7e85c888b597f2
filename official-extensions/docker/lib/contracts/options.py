"""Check the options of the framework adapter that a sandbox passes on."""

from collections.abc import Mapping
from typing import Any

from ..limits import DELIMITERS, RETRY_ATTEMPTS_MAX
from .checks import integer, sequence, text

_ALLOWED = (
    "code_block_delimiters",
    "error_retry_attempts",
    "execution_result_delimiters",
    "optimize_data_file",
    "stateful",
)


def check_options(value: object) -> dict[str, Any]:
    """Return parsing and retry options for the adapter.

    ``error_retry_attempts`` (0-100), ``code_block_delimiters`` (pairs of texts),
    ``execution_result_delimiters`` (one pair), ``stateful`` and ``optimize_data_file`` (must be False).

    Raises:
        TypeError: not a mapping.
        ValueError: an unknown option, or a value that is not allowed.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError("options must be a mapping")
    unknown = [str(name) for name in value if name not in _ALLOWED]
    if unknown:
        raise ValueError(
            f"options has unknown entries ({len(unknown)}); known are {', '.join(_ALLOWED)}"
        )
    return {name: _check_option(name, option) for name, option in value.items()}


def _check_option(name: str, value: object) -> object:
    if name == "error_retry_attempts":
        return integer(value, name, least=0, most=RETRY_ATTEMPTS_MAX)
    if name == "code_block_delimiters":
        return [_pair(pair, name) for pair in sequence(value, name, most=DELIMITERS)]
    if name == "execution_result_delimiters":
        return _pair(value, name)
    if value is not False:
        raise ValueError(
            f"options: {name} must be False, since calls share nothing but declared scopes"
        )
    return value


def _pair(value: object, option: str) -> tuple[str, str]:
    pair = sequence(value, option, most=2)
    if len(pair) != 2:
        raise ValueError(f"options: {option} needs pairs of a beginning and an end")
    return text(pair[0], option, empty=True), text(pair[1], option, empty=True)
