"""What a release demands: read from a whole wheel, or from METADATA that lies beside it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harnest_ext.errors import InvalidExtension, SourceError
from harnest_ext.host import Host
from harnest_ext.resolution import Facts
from harnest_ext.resolution.ranges import holds
from harnest_ext.sources import rules

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

__all__ = ["Metadata", "facts_of_wheel"]

_HOST_RULES = "incompatible-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """METADATA of a wheel that was not downloaded: good for excluding it, not for more.

    What a manifest requires does not stand in it.

    Attributes:
        facts: What it says of the host, of Python and of other extensions.
    """

    facts: Facts

    @classmethod
    def read(cls, body: bytes, sha256: str) -> Self | None:
        """Return what METADATA says; None when it can't be read, and the wheel has to be asked.

        Args:
            body: The file.
            sha256: Digest that the index states for it; empty when it states none.

        Raises:
            SourceError: The digest is another.
        """
        from email.parser import BytesHeaderParser  # noqa: PLC0415 - few look-ups need it

        if sha256 and hashlib.sha256(body).hexdigest() != sha256:
            message = "METADATA beside the wheel is not what the index promised."
            raise SourceError(rules.HASH_MISMATCH.problem(message, expected=f"sha256 {sha256}"))
        message_ = BytesHeaderParser().parsebytes(body)
        needs = _host_ranges(message_.get_all("Requires-Dist") or [])
        if needs is None:
            return None
        python = message_.get("Requires-Python")
        host = ",".join(part for part in needs if part) or None
        return cls(facts=Facts(host_range=host, requires_python=str(python) if python else None))

    def excludes(self, host: Host) -> bool:
        """Return whether the release can't be used with this host."""
        python = self.facts.requires_python or ""
        return not (
            holds(self.facts.host_range or "", host.harnest_version)
            and holds(python, host.python_version.rstrip("+"))
        )


def _host_ranges(requirements: list[str]) -> list[str] | None:
    """The ranges of Harnest among some requirements; None when one of them can't be read."""
    from packaging.requirements import (  # noqa: PLC0415 - 38 ms that few look-ups need
        InvalidRequirement,
        Requirement,
    )

    from harnest_ext.identity import HOST_DISTRIBUTION, normalized  # noqa: PLC0415 - likewise

    try:
        parsed = [Requirement(str(text)) for text in requirements]
    except InvalidRequirement:
        return None
    return [str(r.specifier) for r in parsed if normalized(r.name) == HOST_DISTRIBUTION]


def facts_of_wheel(path: Path) -> Facts:
    """Return what a wheel demands, having checked it whole.

    Args:
        path: A local wheel.

    Raises:
        InvalidExtension: It breaks a rule; ranges that exclude this host are no breach here.
    """
    from harnest_ext.package import check_package  # noqa: PLC0415 - it loads the whole of package

    report = check_package(path, host=Host())
    broken = [p for p in report.problems if _refuses(p.kind) and p.severity == "error"]
    if broken or report.package is None:
        raise InvalidExtension(broken or report.problems)
    package = report.package
    return Facts(
        requires=package.extension_requirements,
        host_range=package.host_range,
        requires_python=package.requires_python,
    )


def _refuses(kind: str) -> bool:
    return not kind.startswith(_HOST_RULES)
