"""How the suites try the docker extension: `harnest extensions test PATH` reads it.

They need a daemon that answers, and the image harnest-test/python that `scripts/test-images` builds.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from docker_profile import DOCKER as PROFILE
from docker_profile import WORKSPACE

__all__ = ["PROFILE", "WORKSPACE"]
