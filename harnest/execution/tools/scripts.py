r"""What file tools run inside a backend: POSIX shell, coreutils or busybox, and ``find``.

No script holds a single quote, since each travels as one quoted word. Paths come in as octal
escapes for ``printf`` and are decoded by ``d``, so every byte but NUL reaches the shell as it is,
whatever carries the command. Content comes in by standard input and leaves in base64.

``PLACE`` walks from the work directory to the folder of a path, name by name, and looks after each
step where it really is. A link may lead elsewhere below the work directory, and nowhere else.
A program in the backend may swap a folder for a link between two steps: it reaches nothing by that
which it could not have reached itself.

Exit codes from 81 on are those of :class:`~harnest.execution.tools.faults.Fault`.
"""

from __future__ import annotations

__all__ = [
    "CONTENTS",
    "CREATE_STEPS",
    "DISCARD",
    "EMIT",
    "HOLDING",
    "LIST",
    "PLACE",
    "READ",
    "REMOVE",
    "SLICED",
    "WALK",
    "WALK_HOLDING",
    "WRITE",
]

PLACE = r"""
LC_ALL=C; export LC_ALL; unset CDPATH; k=0; create=
needs() {
for p do command -v "$p" >/dev/null || { echo "$p: not found" >&2; exit 127; }; done
}
needs base64 cat head readlink stat tail
nl=$(printf "\n."); nl=${nl%.}
d() { v=$(printf "$1."); v=${v%.}; }
root() { d "$1"; cd -P "$v" 2>/dev/null || exit 81; r=${PWD%/}; }
inside() { case $PWD/ in "$r"/*) ;; *) exit 82;; esac; }
lost() { case $t in "$r"/*) exit 81;; /*) exit 82;; esac; exit 81; }
follow() {
while [ -L "./$n" ]; do
if [ -d "./$n" ]; then cd -P "./$n" 2>/dev/null || exit 84; n=.; inside; break; fi
k=$((k+1)); [ $k -le 40 ] || exit 91
t=$(readlink "./$n" && printf .) || exit 84
t=${t%.}; t=${t%"$nl"}
case $t in
*/|.|..|*/.|*/..) lost;;
*/*) n=${t##*/}; cd -P "${t%/*}/" 2>/dev/null || lost;;
*) n=$t;;
esac
inside
done
}
step() {
n=$v; follow
[ -z "$create" ] || [ -e "./$n" ] || made
[ -d "./$n" ] || { [ -e "./$n" ] && exit 87; exit 81; }
cd -P "./$n" 2>/dev/null || exit 84
inside
}
place() {
root "$1"; shift; n=.
while [ $# -gt 0 ]; do
d "$1"; shift
if [ $# -gt 0 ]; then step; else n=$v; fi
done
}
barred() {
case $e in *": No space left on device"|*": Disk quota exceeded") exit 93;; esac; exit 84
}
owned() { [ "$(id -u)" != 0 ] || chown "$(stat -c %u:%g "$1")" "$2" 2>/dev/null || :; }
"""
"""Functions that every script begins with. ``place BASE NAME...`` ends in the folder of the last
name, which is ``n``; ``barred`` ends with the reason that a program gave; ``owned`` gives what root
makes to the owner of what is there, if it can."""

CREATE_STEPS = r"""
create=1
made() { e=$(mkdir "./$n" 2>&1) || [ -d "./$n" ] || barred; owned . "./$n"; }
"""
"""Makes ``step`` create what is missing."""

READ = r"""
place "$@"; follow
[ -d "./$n" ] && exit 85
[ -e "./$n" ] || exit 81
[ -z "$slash" ] || exit 87
[ -f "./$n" ] || exit 83
[ -r "./$n" ] || exit 84
s=$(stat -c %s "./$n") || exit 84
echo "$s"
[ "$s" -gt "$most" ] || head -c "$s" "./$n"
"""
"""The size of a file on a line, then its content if that is not more than ``most`` bytes."""

SLICED = r"""
exec 4>&1
st=$( { { ( body "$@" ); echo $? >&3; } | part | base64 >&4; } 3>&1 ) || exit $?
exit ${st:-141}
"""
"""Runs ``body``, lets ``part`` take a piece of what it writes, and ends as ``body`` ended."""

CONTENTS = r"""
root "$1"; shift
for a do
d "$a"
if [ ! -L "./$v" ] && [ -f "./$v" ] && [ -r "./$v" ] &&
[ "$(stat -c %s "./$v")" -le "$most" ] && base64 < "./$v"
then echo .; else echo "?"; fi
done
"""
"""The content of each file in base64, with a line after it that says whether it was read."""

WRITE = r"""
needs chmod chown id ln mkdir mv rm sha256sum
clean() { [ -n "$keep" ] || rm -f "./$t"; }
place "$@"; follow; keep=; m=
d "$temporary"; t=$v
[ -d "./$n" ] && exit 85
if [ -e "./$n" ]; then
[ -f "./$n" ] || exit 83
[ "$rule" = create ] && exit 86
[ -w "./$n" ] || exit 84
m=$(stat -c 000%a "./$n") || exit 84
elif [ "$rule" = replace ]; then exit 90
fi
if [ -n "$first" ]; then
u=$(umask); umask 077
e=$( { set -C; : > "./$t"; } 2>&1 ) || barred
umask "$u"
fi
trap clean 0
[ -f "./$t" ] && [ ! -L "./$t" ] || exit 90
cat >> "./$t" || exit 93
if [ -z "$last" ]; then keep=1; exit 0; fi
if [ -n "$m" ]; then owned "./$n" "./$t"; chmod "${m#"${m%???}"}" "./$t"
else owned . "./$t"; chmod =rw "./$t"
fi
if [ -n "$digest" ]; then
s=$(sha256sum < "./$n") || exit 90
[ "${s%% *}" = "$digest" ] || exit 90
fi
if [ "$rule" = create ]; then
ln "./$t" "./$n" 2>/dev/null || { [ -e "./$n" ] && exit 86; exit 84; }
else
mv -f "./$t" "./$n" 2>/dev/null || exit 84
fi
[ ! -d "./$n" ] || { rm -f "./$n/$t"; exit 85; }
printf %s "${m:+old}"
"""
"""Adds standard input to a temporary file beside the target, and with ``last`` puts it in place. A
folder that came to be there meanwhile has taken it in, from where it is removed again."""

DISCARD = r"""
place "$@"; follow
d "$temporary"; rm -f "./$v"
"""
"""Removes the temporary file of a write that did not end."""

REMOVE = r"""
needs find rm rmdir
[ $# -gt 1 ] || exit 92
place "$@"
[ -L "./$n" ] || [ -e "./$n" ] || exit 81
s=$(stat -c "%f %s" "./$n") || exit 84
if [ -L "./$n" ] || [ ! -d "./$n" ]; then
[ -z "$slash" ] || exit 87
rm -f "./$n" 2>/dev/null || exit 84
elif [ -n "$recursive" ]; then
rm -rf "./$n" 2>/dev/null ||
{ find "./$n" -type d -exec rmdir {} +; rm -rf "./$n"; } 2>/dev/null || exit 84
else
e=$(rmdir "./$n" 2>&1) || case $e in *": Directory not empty") exit 88;; *) exit 84;; esac
fi
printf %s "$s"
"""
"""Removes what a path names itself, and says what it was. The ``rm`` of busybox leaves an empty
folder that it can't read."""

EMIT = r"""[ $# -gt 0 ] || exit 0
if s=$(stat -c "%f %s" "$@" 2>/dev/null)
then printf "%s\0" "$@"; printf "\0%s\0" "$s"
else for f do s=$(stat -c "%f %s" "$f" 2>/dev/null) && printf "%s\0\0%s\0" "$f" "$s"; done
fi
exit 0
"""
"""The records of some entries: their names, an empty name, and a line of mode and size for each.
What is gone by now, or lies in a folder whose names can be listed and not looked up, has none."""

HOLDING = r"""for f do [ -r "$f" ] || printf "%s\0" "$f"; done
if [ "$(echo x | grep --null -c x 2>/dev/null)" = 1 ]
then grep -ls --null $fold -F -e "$literals" -- "$@"
else for f do grep -qs $fold -F -e "$literals" -- "$f" && printf "%s\0" "$f"; done
fi
exit 0
"""
"""The names of those files that hold one of the texts, and of those that can't be read: whoever
wants them will see. Busybox has no option ``--null``."""

LIST = r"""
needs find
place "$@"; v=$n; step
[ -r . ] || exit 84
find . ! -name . -prune -exec sh -c "$emit" sh {} +
"""
"""The entries of a folder."""

WALK = r"""
needs find
place "$@"; v=$n; step
[ -r . ] || exit 84
deeper
seek -exec sh -c "$emit" sh {} + 2>/dev/null || echo harnest-incomplete >&2
"""
"""What ``seek``, which is a call of ``find``, finds below a folder."""

WALK_HOLDING = r"""
needs find grep xargs
exec 5>&2
place "$@"; v=$n; step
[ -r . ] || exit 84
deeper
{
seek -size +"$largest"c -exec printf "%s\0" {} + || echo harnest-incomplete >&5
seek ! -size +"$largest"c -exec sh -c "$holding" sh {} + || echo harnest-incomplete >&5
} 2>/dev/null |
xargs -0 sh -c "$emit" sh
"""
"""The same, of the files that hold one of some texts or are larger than ``largest`` bytes. It
takes two walks: busybox forgets an ``-exec ... +`` that stands in parentheses."""
