from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent

if "harnest_extension_seatbelt" not in sys.modules:
    # This folder is what is tested, whatever is installed.
    package = types.ModuleType("harnest_extension_seatbelt")
    package.__path__ = [str(FOLDER)]
    sys.modules[package.__name__] = package
if "harnest.extensions.seatbelt" not in sys.modules:
    # Likewise for workspaces, which look the tier up by the name that installed extensions have.
    extension = importlib.import_module("harnest_extension_seatbelt.extension")
    sys.modules["harnest.extensions.seatbelt"] = extension
