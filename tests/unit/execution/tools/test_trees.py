"""Listing, finding and searching: the same text wherever the files are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from harnest.execution.tools import limits
from tests.unit.execution.tools.conftest import make_bench

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.execution.tools.conftest import Bench

TREE = {
    "a.py": b"import os\nx = 1\n",
    "b.txt": b"one\ntwo\nthree\nfour\nfive\nsix\nseven\n",
    ".hidden.py": b"secret = 1\n",
    ".git/config": b"x = 1\n",
    "src/c.py": b"def f():\n    return 'x = 1'\n",
    "src/d.js": b"const x = 1;\r\n",
    "src/deep/e.ts": b"let x = 1",
    "src/deep/.env": b"X=1\n",
    "src/latin.txt": b"caf\xe9 x = 1\n",
    "src/data.bin": b"x = 1\0",
    "odd\nname/[a]*.py": b"x = 1\n",
}


@pytest.fixture
def tree(bench: Bench) -> Bench:
    """Return tools on a small project."""
    for name, content in TREE.items():
        path = bench.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (bench.root / "src" / "up").symlink_to("..")
    return bench


GLOBS = {
    "*": ["a.py", "b.txt", '"odd\\nname/"', "src/"],
    "*.py": ["a.py"],
    "**/*.py": ["a.py", '"odd\\nname/[a]*.py"', "src/c.py"],
    "src/**": [
        "src/",
        "src/c.py",
        "src/d.js",
        "src/data.bin",
        "src/deep/",
        "src/deep/e.ts",
        "src/latin.txt",
        "src/up",
    ],
    "**/deep/**/*.ts": ["src/deep/e.ts"],
    "**/": ['"odd\\nname/"', "src/", "src/deep/"],
    "src/*.{py,js}": ["src/c.py", "src/d.js"],
    "{a,src/c}.{py,txt}": ["a.py", "src/c.py"],
    "src/[cd].*": ["src/c.py", "src/d.js"],
    "src/[!c].*": ["src/d.js"],
    "?.py": ["a.py"],
    ".*": [".git/", ".hidden.py"],
    ".git/*": [".git/config"],
    "**/.env": ["src/deep/.env"],
    "*/[[]a]\\*.py": ["(no matches)"],
    "*/[[]a][*].py": ['"odd\\nname/[a]*.py"'],
    "./src//c.py": ["src/c.py"],
    "nothing": ["(no matches)"],
}


@pytest.mark.parametrize("pattern", GLOBS)
def test_a_pattern_finds_what_a_shell_would(pattern: str, tree: Bench) -> None:
    """Wildcards stay within names, ** crosses folders, and hidden names have to be asked for."""
    assert tree.say("glob", pattern=pattern).split("\n") == GLOBS[pattern]


def test_hidden_names_and_other_folders_can_be_asked_for(tree: Bench) -> None:
    """The argument hidden lets wildcards match dots; path says where to look and how to answer."""
    assert tree.say("glob", pattern="**/*.py", hidden=True).split("\n") == [
        ".hidden.py",
        "a.py",
        '"odd\\nname/[a]*.py"',
        "src/c.py",
    ]
    assert tree.say("glob", pattern="*.ts", path="./src/deep/") == "src/deep/e.ts"
    assert tree.say("glob", pattern="*.ts", path="src/up/src/deep") == "src/up/src/deep/e.ts"
    absolute = f"{tree.root}/src"
    assert tree.say("glob", pattern="*.py", path=absolute) == f"{absolute}/c.py"


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("", "must be a text of 1 to 1000 characters without NUL"),
        ("/etc/*", "must be relative and without ..; give the folder as path"),
        ("../*", "must be relative and without ..; give the folder as path"),
        ("./", "must hold a name or a wildcard"),
        ("{a,b}" * 7, "stand for more than 64 patterns"),
    ],
)
def test_a_pattern_that_is_none_is_refused(pattern: str, said: str, bench: Bench) -> None:
    """The reason says what a pattern must be."""
    answer = bench.answer("glob", pattern=pattern)
    assert answer.kind == "invalid-argument"
    assert said in answer.text


GREPS = {
    "plain": (
        {"pattern": "x = 1"},
        (
            'a.py\n2:x = 1\n\n"odd\\nname/[a]*.py"\n1:x = 1\n\n'
            "src/c.py\n2:    return 'x = 1'\n\nsrc/d.js\n1:const x = 1;\r\n\n"
            "src/deep/e.ts\n1:let x = 1\n\nsrc/latin.txt\n1:caf\ufffd x = 1\n"
            "[6 matches in 6 files]\n[1 binary file left out]"
        ),
    ),
    "anchors": (
        {"pattern": "^x = 1$", "include": "*.py"},
        'a.py\n2:x = 1\n\n"odd\\nname/[a]*.py"\n1:x = 1\n[2 matches in 2 files]',
    ),
    "before-cr-lf": (
        {"pattern": ";$", "path": "src"},
        "src/d.js\n1:const x = 1;\r\n[1 match in 1 file]",
    ),
    "no-literal": (
        {"pattern": r"^\w{5}$", "path": "b.txt"},
        "b.txt\n3:three\n7:seven\n[2 matches in 1 file]",
    ),
    "case": (
        {"pattern": "CONST|IMPORT", "ignore_case": True},
        "a.py\n1:import os\n\nsrc/d.js\n1:const x = 1;\r\n[2 matches in 2 files]",
    ),
    "case-matters": ({"pattern": "CONST|IMPORT"}, "(no matches)"),
    "context": (
        {"pattern": "one|three|seven", "include": "*.txt", "context": 1, "path": "."},
        "b.txt\n1:one\n2-two\n3:three\n4-four\n--\n6-six\n7:seven\n[3 matches in 1 file]",
    ),
    "include-path": (
        {"pattern": "x = 1", "include": "src/**/*.{ts,js}"},
        "src/d.js\n1:const x = 1;\r\n\nsrc/deep/e.ts\n1:let x = 1\n[2 matches in 2 files]",
    ),
    "hidden-by-name": (
        {"pattern": "X", "include": ".env"},
        "src/deep/.env\n1:X=1\n[1 match in 1 file]",
    ),
    "hidden": (
        {"pattern": "secret|^x", "hidden": True, "include": "{.*,config}"},
        ".git/config\n1:x = 1\n\n.hidden.py\n1:secret = 1\n[2 matches in 2 files]",
    ),
    "literal-dash": ({"pattern": "-v"}, "(no matches)"),
    "nothing": ({"pattern": "nowhere"}, "(no matches)"),
    "invalid": (
        {"pattern": "(a"},
        (
            "Error (invalid-pattern): pattern '(a', character 3: a group is not closed; write \\( "
            "for the character"
        ),
    ),
    "looks-around": (
        {"pattern": "(?=a)"},
        (
            "Error (invalid-pattern): pattern '(?=a)', character 3: only (...) and (?:...) are "
            "groups here, nothing looks around"
        ),
    ),
    "too-much-context": (
        {"pattern": "a", "context": 21},
        "Error (invalid-argument): context must be at most 20, not 21",
    ),
    "missing-path": ({"pattern": "a", "path": "no"}, "Error (not-found): no does not exist"),
}


@pytest.mark.parametrize("case", GREPS)
def test_a_search_finds_lines(case: str, tree: Bench) -> None:
    """Each file's path stands above its lines; what was left out is said."""
    arguments, expected = GREPS[case]
    assert tree.say("grep", **arguments) == expected


def test_a_file_without_a_matching_line_is_no_match(bench: Bench) -> None:
    """The texts by which files are chosen beforehand decide nothing."""
    (bench.root / "f").write_bytes(b"abc\ndef\n")
    assert bench.say("grep", pattern="abc$|xdef") == "f\n1:abc\n[1 match in 1 file]"
    assert bench.say("grep", pattern="^bc") == "(no matches)"


def test_a_listing_tells_kind_and_size(tree: Bench) -> None:
    """Every entry has its kind, files their size, folders a slash."""
    (tree.root / "empty").mkdir()
    assert tree.say("list_directory", path="src") == (
        "file              28  c.py\n"
        "file              14  d.js\n"
        "file               6  data.bin\n"
        "folder                deep/\n"
        "file              11  latin.txt\n"
        "link                  up"
    )
    assert tree.say("list_directory", path="empty") == "(empty folder)"


def test_at_most_a_thousand_entries_are_told(bench: Bench) -> None:
    """What is beyond the limit is counted, and the order is that of the names."""
    for number in range(limits.ENTRIES + 3):
        (bench.root / f"{number:05}").touch()
    listed = bench.say("list_directory").split("\n")
    assert listed[0].endswith("  00000")
    assert listed[999].endswith("  00999")
    assert listed[1000:] == ["[the first 1000 of 1003 entries]"]
    found = bench.say("glob", pattern="*").split("\n")
    assert found[:1000] == [f"{number:05}" for number in range(1000)]
    assert found[1000:] == ["[the first 1000 of 1003 matches; narrow the pattern]"]


DEEPER = "[what is more than 25 levels down was left out; choose a folder further down]"


def test_twenty_five_levels_are_looked_at(bench: Bench) -> None:
    """What lies deeper is not found, wherever the files are, and that is said."""
    folder = bench.root
    for _ in range(limits.DEPTH + 1):
        folder /= "d"
        folder.mkdir()
        (folder / "f").write_text("x")
    *found, note = bench.say("glob", pattern="**/f").split("\n")
    assert note == DEEPER
    assert len(found) == limits.DEPTH - 1
    assert max(path.count("/") for path in found) == limits.DEPTH - 1
    said = bench.say("grep", pattern="x")
    assert said.endswith(f"[{limits.DEPTH - 1} matches in 24 files]\n{DEEPER}")
    assert bench.say("grep", pattern="y") == f"(no matches)\n{DEEPER}"


def test_only_what_is_really_deeper_is_said_to_be(bench: Bench) -> None:
    """Neither an empty folder on the last level counts, nor what the search would not look at."""
    last = bench.root.joinpath(*["d"] * limits.DEPTH)
    last.mkdir(parents=True)
    assert bench.say("glob", pattern="**/f") == "(no matches)"
    (last / ".h").touch()
    assert bench.say("glob", pattern="**/f") == "(no matches)"
    assert bench.say("grep", pattern="y") == "(no matches)"
    assert bench.say("glob", pattern="**/f", hidden=True) == f"(no matches)\n{DEEPER}"
    assert bench.say("grep", pattern="y", hidden=True) == f"(no matches)\n{DEEPER}"
    (last / "g").touch()
    assert bench.say("glob", pattern="**/f") == f"(no matches)\n{DEEPER}"
    assert bench.say("glob", pattern="d/*/f") == "(no matches)"
    assert bench.say("glob", pattern="*/" * 25 + "g") == f"(no matches)\n{DEEPER}"
    assert bench.say("glob", pattern="**/g", path="d").endswith("/g")


@pytest.mark.parametrize("place", ["host", "dash"])
def test_what_can_not_match_does_not_count(place: str, tmp_path: Path) -> None:
    """The bound of a walk is on what may match; whoever asks for all is told that there is more."""
    root, folder = tmp_path / "work", tmp_path / "bin"
    for new in (root / "a", root / "z", folder):
        new.mkdir(parents=True)
    for number in range(limits.WALK_ENTRIES):
        (root / "a" / f"{number}").touch()
    (root / "z" / "wanted.py").write_text("x\n")
    bench = make_bench(place, root, folder)
    assert bench.say("glob", pattern="**/*.py") == "z/wanted.py"
    assert bench.say("grep", pattern="x", include="*.py") == "z/wanted.py\n1:x\n[1 match in 1 file]"
    *_, first, second = bench.say("glob", pattern="**").split("\n")
    assert first == "[the first 1000 of 50000 matches; narrow the pattern]"
    assert second == (
        "[there are more than 50000 entries, and some were left out; choose a folder further down]"
    )


def test_a_search_stops_at_a_megabyte_of_lines(bench: Bench) -> None:
    """The answer is cut between lines, and says so."""
    for name in "ab":
        (bench.root / name).write_bytes(b"x" * 999 + b"\n" * 1 + (b"x" * 999 + b"\n") * 699)
    said = bench.say("grep", pattern="x")
    assert limits.GREP_BYTES - 1100 < len(said) < limits.GREP_BYTES + 200
    assert said.endswith(
        "matches in 2 files]\n[output cut at 1048576 bytes; narrow the pattern, path or include]"
    )


def test_a_file_that_is_too_large_to_search_is_counted(bench: Bench) -> None:
    """It is left out whatever it holds, and that is said."""
    with (bench.root / "big").open("wb") as file:
        file.truncate(limits.WRITE_BYTES + 1)
    (bench.root / "f").write_bytes(b"x")
    assert bench.say("grep", pattern="x") == (
        "f\n1:x\n[1 match in 1 file]\n[1 file of more than 10485760 bytes left out]"
    )


def test_many_files_are_searched(bench: Bench) -> None:
    """More files than one command takes, and one larger than a piece, all have their lines."""
    for number in range(2 * limits.BATCH_FILES + 1):
        (bench.root / f"n{number:03}").write_bytes(b"needle %d\n" % number)
    large = b"hay\n" * (limits.PIECE_BYTES // 2) + b"needle z\n"
    (bench.root / "z").write_bytes(large)
    said = bench.say("grep", pattern=r"needle \w+")
    assert said.endswith(f"z\n{limits.PIECE_BYTES // 2 + 1}:needle z\n[130 matches in 130 files]")
    assert said.count("needle") == 130


def test_a_pattern_that_would_never_end_elsewhere_ends(bench: Bench) -> None:
    """Nothing that a model writes keeps the process busy for long."""
    (bench.root / "f").write_bytes(b"a" * 100_000 + b"!\n")
    assert bench.say("grep", pattern="(a+)+$") == "(no matches)"
    assert bench.say("grep", pattern="(a|a|aa)*!").startswith("f\n1:aaa")


STARS = "*a" * 20 + "b"


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("glob", {"pattern": STARS}), ("grep", {"pattern": "x", "include": STARS})],
)
def test_any_number_of_stars_is_matched_without_going_back(
    bench: Bench, tool: str, arguments: dict[str, str]
) -> None:
    """A name of 200 letters that nearly matches 20 stars would otherwise take years."""
    for name in ("a" * 200, "a" * 200 + "b"):
        (bench.root / name).write_text("x\n")
    told = bench.say(tool, **arguments)
    assert told.startswith("a" * 200 + "b")
    assert told.count("a" * 200) == 1
