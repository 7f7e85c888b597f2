"""Declare that files may be exchanged with a program."""

from dataclasses import dataclass

from ..limits import FILES_BYTES, FILES_BYTES_MAX, FILES_COUNT, FILES_COUNT_MAX
from .checks import integer


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerFiles:
    """Turn file exchange on, within bounds that hold for each direction of each call.

    Input files arrive in the working directory before the run; what the program leaves under
    ``outputs/`` comes back.

    Attributes:
        max_count: files, 1 to 4096.
        max_bytes: bytes of all of them, 1 to 256 MiB.

    Raises:
        ValueError: a bound is not an int in its range.
    """

    max_count: int = FILES_COUNT
    max_bytes: int = FILES_BYTES

    def __post_init__(self) -> None:
        integer(self.max_count, "files max_count", least=1, most=FILES_COUNT_MAX)
        integer(self.max_bytes, "files max_bytes", least=1, most=FILES_BYTES_MAX)
