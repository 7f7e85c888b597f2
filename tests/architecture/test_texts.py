"""What no file in the repository says, and that what its documents point at is there."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

from tests.architecture.source import ROOT

HOSTS = {"www.apache.org", "harnest.dev", "json-schema.org", "localhost", "127.0.0.1"}
"""Hosts that a tracked file may name: licence, schema identifiers, this machine."""
DOCUMENTATION = (".example", ".invalid", ".test", "example.com", "example.org")
"""Names that are reserved for examples."""
WORKPLACE = re.compile("/" + "(?:work|tmp/plan)" + r"/")
TALK = re.compile(r"\b(?:TODO|FIXME|XXX|issue #?\d+)\b")


@cache
def texts() -> dict[Path, str]:
    """Return every tracked text file that is there, by path from the root."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    found = {}
    for name in listed.stdout.decode().split("\0"):
        path = ROOT / name
        if name and path.is_file() and not path.is_symlink():
            try:
                found[Path(name)] = path.read_text("utf-8")
            except UnicodeDecodeError:
                continue
    return found


def lines_with(pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    """Return ``path:line`` and the match for each match in a tracked file."""
    return [
        (f"{path}:{number}", match.group())
        for path, text in texts().items()
        for number, line in enumerate(text.splitlines(), 1)
        for match in pattern.finditer(line)
    ]


def test_no_file_names_a_foreign_host() -> None:
    """The project depends on no particular index, mirror or registry: it names none."""
    pattern = re.compile(r"https?://(?:[^/@\s\"'`<>]*@)?([\w.-]+)")
    named = [
        (where, url, url.split("://")[1].rpartition("@")[2].lower())
        for where, url in lines_with(pattern)
    ]
    wrong = [
        (where, url)
        for where, url, host in named
        if host not in HOSTS and re.search(r"\.[a-z]", host) and not host.endswith(DOCUMENTATION)
    ]
    assert wrong == []


def test_no_file_names_a_path_of_the_machine_it_was_made_on() -> None:
    """Nothing works only where it was written."""
    assert lines_with(WORKPLACE) == []


def test_no_file_talks_about_unfinished_work() -> None:
    """The project speaks of itself, as it is."""
    own = str(Path(__file__).relative_to(ROOT))
    assert [found for found in lines_with(TALK) if not found[0].startswith(own)] == []


def test_links_between_documents_lead_somewhere() -> None:
    """Every relative link in a Markdown file outside the site names a file that is there."""
    link = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)")
    wrong = [
        f"{path}: {target}"
        for path, text in texts().items()
        if path.suffix == ".md" and path.parts[0] not in {"docs", "templates"}
        for target in link.findall(text)
        if not (ROOT / path.parent / target).exists()
    ]
    assert wrong == []
