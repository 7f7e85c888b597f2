"""Rules of a resolution. Data only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from harnest_ext.resolution.eligibility import Reason
from harnest_ext.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "BY_REASON",
    "CONFLICT",
    "EMPTY_RANGE",
    "NO_DEPS",
    "NO_RELEASE",
    "RING",
    "TOO_HARD",
    "UNKNOWN",
]

CONFLICT = Rule(
    id="resolution.conflict",
    kind="resolution-conflict",
    why="Two versions of one extension can't be loaded side by side.",
    example="b needs d<2, c needs d>=2, and a needs both.",
    fix="Ask for other releases, or ask the maintainers for releases that agree.",
)
EMPTY_RANGE = Rule(
    id="resolution.empty-range",
    kind="resolution-conflict",
    why="A range that excludes every version can't be met by any release, present or future.",
    example="docker>=1,<1 or docker==1,==2.",
    fix="Ask for a range that some version lies in.",
)
RING = Rule(
    id="resolution.ring",
    kind="resolution-conflict",
    why="Extensions are started after what they require; in a ring there is no first one.",
    example="a requires b, and b requires a.",
    fix="Ask the maintainers to move what both need into a third extension.",
)
TOO_HARD = Rule(
    id="resolution.too-hard",
    kind="resolution-conflict",
    why="A search without a bound may take longer than anybody waits.",
    example="Dozens of extensions whose many releases exclude each other.",
    fix="Name the versions of some of the extensions exactly, so that fewer have to be tried.",
)
UNKNOWN = Rule(
    id="resolution.unknown",
    kind="not-found",
    why="Nothing is guessed: what is installed is what was named.",
    example="dokcer, when only docker is known.",
    fix="Check the name: harnest extensions search lists what can be installed.",
)
NO_RELEASE = Rule(
    id="resolution.no-release",
    kind="not-found",
    why="What is installed satisfies what was asked.",
    example="docker>=9, when the newest release is 1.0.0.",
    fix="Ask for a release that exists.",
)
NO_DEPS = Rule(
    id="resolution.no-deps",
    kind="resolution-conflict",
    why="With --no-deps nothing is added unasked, and nothing runs without what it needs.",
    example="docker, which requires rag, with --no-deps and no rag.",
    fix="Leave out --no-deps, or name the missing extension too.",
)
BY_REASON: Final[Mapping[Reason, Rule]] = {
    Reason.BROKEN: Rule(
        id="resolution.broken",
        kind="metadata-invalid",
        why="A release that is no valid package can't be installed.",
        example="A wheel whose RECORD doesn't match.",
        fix="Ask for another release, and tell its maintainers.",
    ),
    Reason.COOLDOWN: Rule(
        id="resolution.cooldown",
        kind="not-found",
        why="A release that has just appeared may be an attack that nobody has noticed yet.",
        example="--cooldown 7, and the only release is of yesterday.",
        fix="Wait, or give fewer days to --cooldown.",
    ),
    Reason.HARNEST: Rule(
        id="resolution.harnest",
        kind="incompatible-harnest",
        why="A release states the versions of Harnest that it was made for.",
        example="A release for harnest>=2 under Harnest 1.0.0.",
        fix="Ask for a release that fits this Harnest, or upgrade Harnest.",
    ),
    Reason.OBJECTION: Rule(
        id="resolution.objection",
        kind="registry-policy",
        why="A source must not hand out what it can't vouch for.",
        example="A file on an index without a sha256.",
        fix="Ask for another release, or use another source.",
    ),
    Reason.PRERELEASE: Rule(
        id="resolution.prerelease",
        kind="not-found",
        why="A pre-release is taken only when it is asked for.",
        example="Only 1.0.0rc1 exists.",
        fix="Add --pre, or name the pre-release, such as docker==1.0.0rc1.",
    ),
    Reason.PYTHON: Rule(
        id="resolution.python",
        kind="incompatible-python",
        why="A release states the versions of Python that it was made for.",
        example="A release for Python >=3.13 under Python 3.11.",
        fix="Ask for a release that fits this Python, or use another Python.",
    ),
    Reason.YANKED: Rule(
        id="resolution.yanked",
        kind="yanked",
        why="Its publisher has withdrawn the release, and says why.",
        example="The only release was withdrawn.",
        fix="Ask for another release; to take this one all the same, name it exactly with ==.",
    ),
}
