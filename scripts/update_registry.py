"""What ``scripts/update-registry`` does, in the project's environment."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from harnest_ext.errors import HarnestExtensionError  # noqa: E402 - the checkout's, found only now
from scripts import shipped  # noqa: E402 - likewise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harnest_ext.problem import Problem


def main(arguments: list[str]) -> int:
    """Update or check the registry; return an exit code."""
    registry = ROOT / "registry"
    try:
        made = shipped.make_wheels(ROOT, registry / "wheels")
        if arguments == ["--check"]:
            return report(shipped.differences(registry, made))
        changed = shipped.update(registry, made)
    except HarnestExtensionError as error:
        print(error, file=sys.stderr)
        return 1
    for name in changed:
        print(f"update-registry: changed registry/{name}")
    print(f"update-registry: {len(made.releases)} wheels, {len(changed)} files changed")
    return report(made.problems)


def report(problems: Sequence[Problem]) -> int:
    """Say what is wrong; return an exit code."""
    for problem in problems:
        print(problem.describe(), file=sys.stderr)
    state = "stale or broken" if problems else "up to date"
    print(f"update-registry: registry/ is {state}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
