"""What runs inside of a sandbox beside the caller's own commands: POSIX shell and a little Python.

The gateway gives a command up after its time-out with exit code 124 and lets it run on, and it has
no call to end one. So every command is run by ``RUNNER``:

- in a session of its own, whose leader's number stands in a file, and with a variable by which its
  processes are found even where they left that session; those that dropped it too are found by the
  output that they hold, without whose end the gateway would go on waiting;
- when the leader ends, or when ``KILLER`` asks for it in a second command, everything of it ends;
- a program's own 124 is told from the gateway's by a file that only a leader's end writes.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "BOOTSTRAP",
    "DISCARD",
    "KILLER",
    "NEEDED",
    "OWN_CODES",
    "PROBE",
    "RUNNER",
    "STAGE",
    "STATUS",
    "TIMED_OUT",
]

TIMED_OUT: Final = 124
"""What a gateway answers for a command that it gave up; a program may end with it too."""
OWN_CODES: Final = frozenset({TIMED_OUT, 125})
"""Exit codes that need a look at the file: a time-out of the gateway's, and a failing runner."""

NEEDED: Final = (
    "cat", "env", "find", "grep", "mkdir", "readlink", "rm", "setsid", "sleep", "tar", "xargs"
)  # fmt: skip
"""Programs that an image must have; ``find`` and ``tar`` those of GNU."""

_SWEEP: Final = r"""
sweep() {
  passes=0
  while [ "$passes" -lt 40 ]; do
    passes=$((passes + 1))
    found=
    for file in $(grep -ls "HARNEST_RUN=$id" /proc/[0-9]*/environ 2>/dev/null); do
      pid=${file#/proc/}
      kill -9 "${pid%/environ}" 2>/dev/null && found=yes
    done
    for file in $(holders); do
      pid=${file#/proc/}
      pid=${pid%%/*}
      case "$own" in *" $pid "*) continue ;; esac
      kill -9 "$pid" 2>/dev/null && found=yes
    done
    if [ -n "$leader" ]; then
      for file in /proc/[0-9]*/stat; do
        line=
        { read -r line <"$file"; } 2>/dev/null
        pid=${line%% *}
        in_session ${line##*) } && kill -9 "$pid" 2>/dev/null && found=yes
      done
    fi
    [ -n "$found" ] || return 0
  done
}
holders() {
  [ -z "$out$err" ] || find /proc/[0-9]*/fd -maxdepth 1 -perm -200 \
    \( -lname "$out" -o -lname "$err" \) 2>/dev/null
}
in_session() { [ "$4" = "$leader" ] && [ "$1" != Z ] && [ "$1" != X ]; }
"""

RUNNER: Final = (
    r"""
mask=$(umask)
umask 077
dir=$1 id=$2 work=$3
shift 3
leader=
"""
    + _SWEEP
    + r"""
ancestors() {
  pid=$$
  while [ "${pid:-0}" -gt 1 ] && { read -r line <"/proc/$pid/stat"; } 2>/dev/null; do
    printf ' %s ' "$pid"
    set -- ${line##*) }
    pid=$2
  done
}
pipe() {
  link=$(readlink "/proc/$$/fd/$1")
  number=${link#"pipe:["}
  [ "$link" = "$number" ] || printf 'pipe:\\[%s\\]' "${number%]}"
}
out=$(pipe 1) err=$(pipe 2) own=$(ancestors)
refuse() { echo "refused $1" >"$dir/status"; exit 125; }
mkdir -p -- "$dir" && echo $$ >"$dir/runner" || exit 125
[ ! -e "$dir/cancelled" ] || refuse cancelled
if [ -e "$dir/stdin.00000000" ]; then
  cat "$dir"/stdin.* >"$dir/stdin" && rm -f "$dir"/stdin.* || refuse input
  exec 3<"$dir/stdin"
  rm -f "$dir/stdin"
else
  exec 3<&0
fi
if [ -e "$dir/command.00000000" ]; then
  text=$(cat "$dir"/command.* && echo x) || refuse command
  rm -f "$dir"/command.*
  set -- "$@" "${text%x}"
fi
[ -d "$work" ] || mkdir -p -- "$work" || refuse directory
cd -- "$work" || refuse directory
trap 'sweep; exit 143' TERM
# A shell without job control lets what runs behind it ignore these signals.
signals=
env --default-signal=INT,QUIT true 2>/dev/null && signals=--default-signal=INT,QUIT
umask "$mask"
setsid env $signals HARNEST_RUN="$id" "$@" <&3 3<&- &
leader=$!
exec 3<&- </dev/null 2>/dev/null  # what a shell says of a killed child is no output of the command
umask 077
echo "$leader" >"$dir/leader"
[ ! -e "$dir/cancelled" ] || { sweep; refuse cancelled; }
wait "$leader"
code=$?
trap '' TERM
sweep
case "$code" in
  124|125) mkdir -p -- "$dir" && echo "exit $code" >"$dir/status" ;;
  *) rm -rf -- "$dir" ;;
esac
exit "$code"
"""
)
"""Arguments: folder, id, work directory, then the command's own."""

KILLER: Final = (
    r"""
umask 077
dir=$1 id=$2
leader= out= err=
"""
    + _SWEEP
    + r"""
tries=0
until mkdir -p -- "$dir" && true >"$dir/cancelled"; do  # a command that just ends removes it
  tries=$((tries + 1))
  [ "$tries" -lt 100 ] || exit 1
done
runner=
[ ! -e "$dir/runner" ] || read -r runner <"$dir/runner"
[ ! -e "$dir/leader" ] || read -r leader <"$dir/leader"
if [ -n "$runner" ]; then
  kill -TERM "$runner" 2>/dev/null
  waited=0
  while kill -0 "$runner" 2>/dev/null && [ "$waited" -lt 10 ]; do
    sleep 0.05
    waited=$((waited + 1))
  done
fi
[ -n "$leader" ] || [ ! -e "$dir/leader" ] || read -r leader <"$dir/leader"
sweep
[ -z "$runner" ] || kill -9 "$runner" 2>/dev/null
sweep
[ -z "$runner" ] || rm -rf -- "$dir"
exit 0
"""
)
"""Arguments: folder, id. What has not begun yet will not begin."""

STATUS: Final = r"""
[ -e "$1/status" ] || exit 0
cat "$1/status"
rm -rf -- "$1"
"""
"""Prints how a command ended by itself; nothing if it did not. Argument: folder."""

STAGE: Final = r"""
umask 077
mkdir -p -- "$1" && cat >"$1/$2"
"""
"""Writes its input to a file, however often it is repeated. Arguments: folder, name."""

DISCARD: Final = 'rm -rf -- "$1"'
"""Removes a folder of ours. Argument: folder."""

PROBE: Final = r"""
work=$1
shift
for tool in "$@"; do
  command -v "$tool" >/dev/null || echo "missing $tool"
done
dir=${TMPDIR:-/tmp}
[ -d /proc/self ] || echo "missing /proc"
[ -w "$dir" ] || echo "not writable: $dir"
[ -d "$work" ] && [ -w "$work" ] || echo "not writable: the work directory"
find / -prune -printf '' 2>/dev/null || echo "missing GNU find"
tar --version 2>/dev/null | grep -q GNU || echo "missing GNU tar"
"""
"""Prints what an image lacks, a line each. Arguments: work directory, names of programs."""

BOOTSTRAP: Final = r"""
def main():
    import os, sys
    source = sys.stdin.buffer.read()
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    sys.argv[:] = ["program"]
    # Last: a file that an earlier call left there must not replace one of the library.
    sys.path[:] = [*filter(None, sys.path), os.getcwd()]
    names = sys.modules["__main__"].__dict__
    names.pop("main", None)
    try:
        exec(compile(source, "<program>", "exec"), names)
    except SystemExit:
        raise
    except BaseException as error:
        import linecache, traceback
        lines = source.decode("utf-8", "replace").splitlines(True)
        linecache.cache["<program>"] = (len(source), None, lines, "<program>")
        own = error.__traceback__.tb_next
        error = error.with_traceback(own)
        try:
            sys.stdout.flush()
        finally:
            traceback.print_exception(type(error), error, own)
    else:
        return
    sys.exit(1)
main()
"""
"""Runs the Python program that is its input, as ``__main__`` and with an empty input of its own."""
