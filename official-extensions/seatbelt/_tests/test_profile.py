from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from harnest_extension_seatbelt.lib.places import real_path, unlinked
from harnest_extension_seatbelt.lib.profile import Profile
from harnest_extension_seatbelt.lib.sbpl import Text, expression

WORK, TMP = "/private/var/folders/x/work", "/private/var/folders/x/tmp"
PLAIN = Profile(writable=(WORK, TMP), readable=("/opt/python",))

HOSTILE = {
    '/a"b': '"/a\\"b"',
    "/a\\b": '"/a\\\\b"',
    '/a\\"b': '"/a\\\\\\"b"',
    "/a\nb": '"/a\\nb"',
    "/a\r\tb": '"/a\\r\\tb"',
    "/a(b)": '"/a(b)"',
    '/") (allow default) ("': '"/\\") (allow default) (\\""',
    "/a;b": '"/a;b"',
    "/a b": '"/a b"',
    "/a\x01\x7fb": '"/a\\x01\\x7fb"',
    "/caf\u00e9": '"/caf\u00e9"',
    "/#|x|#": '"/#|x|#"',
}


def read(text: str) -> list:
    """The expressions of a profile, by a small reader of Scheme of its own."""
    token = re.compile(r'\s*(?:(\()|(\))|"((?:[^"\\]|\\.)*)"|([^\s()";]+))', re.DOTALL)
    stack: list[list] = [[]]
    at = 0
    while text[at:].strip():
        match = token.match(text, at)
        assert match, text[at : at + 40]
        at = match.end()
        opened, closed, quoted, symbol = match.groups()
        if opened:
            stack.append([])
        elif closed:
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(symbol if quoted is None else ("text", unquoted(quoted)))
    assert len(stack) == 1
    return stack[0]


def unquoted(text: str) -> str:
    """What a reader makes of the inside of a quoted text."""

    def meaning(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        return {"n": "\n", "r": "\r", "t": "\t"}.get(match[2], match[2])

    return re.sub(r"\\(?:x([0-9a-f]{2})|(.))", meaning, text, flags=re.DOTALL)


def rules(profile: Profile, kind: str, operation: str) -> list:
    """What rules of a kind say of an operation."""
    found = [line for line in read(profile.text()) if line[0] == kind and operation in line]
    return [part for line in found for part in line if isinstance(part, list)]


def test_the_profile_is_exactly_this() -> None:
    """Every permission stands there; a change of one is a change of this file."""
    golden = Path(__file__).with_name("golden.sb").read_text(encoding="utf-8")
    assert PLAIN.text() == golden


def test_everything_is_denied_before_anything_is_allowed() -> None:
    """What no rule names is denied."""
    assert read(PLAIN.text())[:2] == [["version", "1"], ["deny", "default"]]
    assert not rules(PLAIN, "allow", "default")


def test_only_the_two_folders_are_writable() -> None:
    """Beside them there are only devices that swallow what is written."""
    folders = [["subpath", ("text", WORK)], ["subpath", ("text", TMP)]]
    assert rules(PLAIN, "allow", "file-write*") == folders
    sinks = [["literal", ("text", "/dev/null")], ["literal", ("text", "/dev/zero")]]
    assert rules(PLAIN, "allow", "file-write-data") == [["subpath", ("text", "/dev/fd")], *sinks]
    assert ["deny", "file-write-setugid"] in read(PLAIN.text())


def test_no_home_is_readable_also_not_through_the_volume_that_holds_it() -> None:
    """The readable folders are the system's, the interpreter's and the sandbox's own."""
    found = [part[1][1] for part in rules(PLAIN, "allow", "file-read*") if part[0] == "subpath"]
    for home in ("/Users/me", "/System/Volumes/Data/Users/me", "/private/var/root", "/Volumes/x"):
        assert not [folder for folder in found if f"{home}/".startswith(f"{folder}/")]
    assert {"/opt/python", WORK, TMP, "/usr/lib"} <= set(found)


def test_without_the_network_nothing_of_it_is_allowed() -> None:
    """No operation of the network stands in an allowing rule."""
    assert "network" not in PLAIN.text()
    assert "system-socket" not in PLAIN.text()
    assert "resolv" not in PLAIN.text()


def test_with_the_network_only_ip_and_the_resolver_are_allowed() -> None:
    """Sockets of daemons in the file system stay out of reach."""
    having = Profile(writable=(WORK,), network=True)
    assert rules(having, "allow", "network-outbound") == [
        ["remote", "ip"],
        ["literal", ("text", "/private/var/run/mDNSResponder")],
    ]
    assert rules(having, "allow", "network-bind") == [["local", "ip"]]


@pytest.mark.parametrize(("path", "written"), HOSTILE.items(), ids=map(repr, HOSTILE))
def test_a_hostile_name_stays_one_text(path: str, written: str) -> None:
    """No name ends its text, opens a list or starts a comment."""
    assert str(Text(path)) == written
    profile = Profile(writable=(f"/w{path}",), readable=(f"/r{path}",))
    assert rules(profile, "allow", "file-write*") == [["subpath", ("text", f"/w{path}")]]
    assert ["subpath", ("text", f"/r{path}")] in rules(profile, "allow", "file-read*")
    assert len(read(profile.text())) == len(read(PLAIN.text()))


def test_a_nul_is_refused() -> None:
    """No path has one, and the reader of profiles would stop at it."""
    with pytest.raises(ValueError, match="NUL"):
        Text("/a\0b")


def test_lists_nest() -> None:
    """An expression is symbols, texts and lists."""
    assert expression("a", Text("b"), ("c", Text("d"))) == '(a "b" (c "d"))'


@pytest.mark.parametrize(
    "path", ["/", "relative", "/a/../b", "/a//b", "/a/", "/tmp/x", "/var/x", "/etc", ""]
)
def test_a_path_whose_rule_would_match_nothing_or_all_is_refused(path: str) -> None:
    """Links of macOS, relative and unshortened paths, and the whole host."""
    with pytest.raises(ValueError, match=r"no absolute path|link of macOS"):
        Profile(writable=(path,))
    with pytest.raises(ValueError, match=r"no absolute path|link of macOS"):
        Profile(writable=(WORK,), readable=(path,))


def test_a_sandbox_without_a_writable_folder_is_refused() -> None:
    """Programs need their work directory."""
    with pytest.raises(ValueError, match="write"):
        Profile(writable=())


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/tmp", "/private/tmp"),
        ("/tmp/a", "/private/tmp/a"),
        ("/var/folders/x", "/private/var/folders/x"),
        ("/etc/hosts", "/private/etc/hosts"),
        ("/private/tmp/a", "/private/tmp/a"),
        ("/tmpfile", "/tmpfile"),
        ("/Users/me/tmp", "/Users/me/tmp"),
        ("/", "/"),
    ],
)
def test_links_at_the_root_of_macos_are_replaced(path: str, expected: str) -> None:
    """A rule for the link's path would match nothing."""
    assert unlinked(path) == expected


def test_links_are_followed_to_what_there_is(tmp_path: Path) -> None:
    """The path in a rule is that of the file, not that of a link to it."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    expected = unlinked(os.path.realpath(tmp_path / "folder"))
    assert real_path(str(tmp_path / "link")) == expected
    with pytest.raises(FileNotFoundError):
        real_path(str(tmp_path / "absent"))
