"""How the documentation site is built: Sphinx with MyST Markdown, warnings as errors."""

from __future__ import annotations

from harnest import __version__

project = "Harnest"
author = "The Harnest authors"
project_copyright = "The Harnest authors, Apache-2.0"
version = release = __version__

extensions = ["myst_parser"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"Harnest {__version__}"
html_copy_source = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
# The documents at the repository's root are pages of the site, and link to each other as files.
suppress_warnings: list[str] = []
