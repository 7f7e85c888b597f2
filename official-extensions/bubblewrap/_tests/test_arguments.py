from __future__ import annotations

from dataclasses import replace

import pytest
from harnest_extension_bubblewrap.lib.arguments import FILES, Box, arguments
from harnest_extension_bubblewrap.lib.view import View

BOX = Box(
    view=View(
        read_only=(("/etc/ld.so.cache", "/etc/ld.so.cache"), ("/usr", "/usr")),
        links=(("usr/bin", "/bin"),),
    ),
    work="/var/tmp/w",
    environment={"LANG": "C.UTF-8", "A": "two words"},
    tmp_bytes=1024,
    hidden_files=("/proc/keys",),
    hidden_folders=("/proc/acpi",),
)

GOLDEN = """
--unshare-all --unshare-user --disable-userns --unshare-cgroup
--uid 1000 --gid 1000 --hostname sandbox
--die-with-parent --new-session --as-pid-1 --cap-drop ALL --seccomp 9
--clearenv --setenv A two|words --setenv LANG C.UTF-8
--proc /proc --ro-bind /dev/null /proc/keys
--size 4096 --tmpfs /proc/acpi --remount-ro /proc/acpi --remount-ro /proc
--dev /dev --perms 1777 --size 67108864 --tmpfs /dev/shm --remount-ro /dev
--perms 1777 --size 1024 --tmpfs /tmp
--dir /run --dir /var --symlink ../tmp /var/tmp
--symlink usr/bin /bin --ro-bind /etc/ld.so.cache /etc/ld.so.cache --ro-bind /usr /usr
--perms 0444 --ro-bind-data 11 /etc/group --perms 0444 --ro-bind-data 10 /etc/passwd
--bind /var/tmp/w /home/sandbox --remount-ro / --chdir /home/sandbox
"""


def test_the_arguments_of_a_sandbox_are_exactly_these() -> None:
    """Every namespace, mount and bound stands there; a change of one is a change of this text."""
    made = arguments(BOX, seccomp=9, files={"/etc/passwd": 10, "/etc/group": 11})
    assert made == [part.replace("|", " ") for part in GOLDEN.split()]


def test_only_the_network_namespace_is_shared_and_only_when_asked_for() -> None:
    """Having the network changes one argument."""
    without = arguments(BOX, seccomp=9, files={})
    having = arguments(replace(BOX, network=True), seccomp=9, files={})
    assert [part for part in having if part not in without] == ["--share-net"]
    having.remove("--share-net")
    assert having == without


@pytest.mark.parametrize(
    "hostile", ["/a b", "/a'b", '/a"b', "/a\nb", "/-a", "/--bind", "/a;b", "/$(x)", "/caf\udce9"]
)
def test_a_hostile_name_is_one_argument_in_its_place(hostile: str) -> None:
    """Names are arguments as they are: no shell reads them, and none starts with a dash."""
    box = replace(
        BOX, view=View(read_only=((hostile, hostile),)), work=hostile, environment={"A": hostile}
    )
    made = arguments(box, seccomp=9, files={})
    assert made.count(hostile) == 4
    bind = made.index("--bind")
    assert made[bind : bind + 3] == ["--bind", hostile, "/home/sandbox"]
    option = made.index("--ro-bind", made.index("/var/tmp"))
    assert made[option : option + 3] == ["--ro-bind", hostile, hostile]


def test_the_sandbox_s_own_files_give_way_to_a_folder_that_the_caller_shows() -> None:
    """A path that is allowed is shown as it is, also where the sandbox would put its own."""
    assert BOX.files() == dict(FILES)
    shown = replace(BOX, view=View(read_only=(("/etc", "/etc"),)))
    assert shown.files() == {}


def test_the_users_of_the_host_are_not_among_the_sandbox_s_own() -> None:
    """The names that programs can look up are three, and the sandbox's has its number."""
    names = [line.split(":")[0] for line in FILES["/etc/passwd"].splitlines()]
    assert names == ["root", "sandbox", "nobody"]
    assert "sandbox:x:1000:1000:sandbox:/home/sandbox:/bin/sh" in FILES["/etc/passwd"]


def test_the_environment_is_not_shown_in_a_representation() -> None:
    """Values may be secrets."""
    assert "two words" not in repr(BOX)


@pytest.mark.parametrize("place", ["/", "usr", "", "./usr"])
def test_a_view_of_everything_or_of_a_relative_place_is_refused(place: str) -> None:
    """The whole host is never shown."""
    with pytest.raises(ValueError, match="no place inside"):
        View(read_only=(("/usr", place),))
