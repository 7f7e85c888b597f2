"""Write the pages of docs/reference that are made from the code, so that they can't drift from it.

``python docs/generate.py`` writes them; with ``--check`` nothing is written and the exit code says
whether a page differs from what the code says.
"""

from __future__ import annotations

import ast
import difflib
import sys
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from pkgutil import walk_packages
from typing import TYPE_CHECKING

import click
from interface import interface

import harnest_ext
from harnest.execution import Workspace, WorkspaceConfig
from harnest.execution.tools import WorkspaceTools
from harnest.execution.tools.answer import KINDS
from harnest_ext import errors
from harnest_ext.cli.lazy import load
from harnest_ext.cli.table import COMMANDS, GROUPS
from harnest_ext.conformance.extension_suite import extension_checks
from harnest_ext.conformance.provider_suite import provider_checks
from harnest_ext.conformance.workspace_suite import workspace_checks
from harnest_ext.manifest.capabilities import CAPABILITIES
from harnest_ext.problem import Severity
from harnest_ext.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "docs" / "reference"
NOTICE = "<!-- Written by docs/generate.py from the code. Change the code, then run it. -->"

LIMIT_MODULES = (
    ("The manager and the runtime", "harnest_ext/limits.py"),
    ("The sandbox contract", "harnest/sandbox/limits.py"),
    ("Execution backends", "harnest/execution/limits.py"),
    ("Programs that are processes of this host", "harnest/execution/local/limits.py"),
    ("Tools of agents", "harnest/execution/tools/limits.py"),
    ("Sandboxes of local processes", "harnest/execution/local/provider/limits.py"),
    ("The docker extension", "official-extensions/docker/lib/limits.py"),
    ("The bubblewrap extension", "official-extensions/bubblewrap/lib/limits.py"),
    ("The openshell extension", "official-extensions/openshell/lib/limits.py"),
    ("The process extension", "official-extensions/process/lib/limits.py"),
    ("The seatbelt extension", "official-extensions/seatbelt/lib/limits.py"),
)


def main() -> int:
    """Write or check every generated page and return the exit code."""
    check = "--check" in sys.argv[1:]
    stale = [name for name, make in PAGES.items() if not _settle(name, make(), check=check)]
    for name in stale:
        print(f"docs/reference/{name} is not what the code says: run python docs/generate.py")
    return 1 if stale else 0


def commands() -> str:
    """Return the page of every command, from the commands themselves."""
    lines = ["# Commands", "", f"```text\n{_root_help()}\n```", ""]
    for group in ("", *GROUPS):
        if group:
            lines += [f"## harnest {group}", "", GROUPS[group], ""]
        for path in sorted(COMMANDS):
            if path.rpartition(" ")[0] == group:
                lines += _command(path, level=3 if group else 2)
    return "\n".join(lines)


def _root_help() -> str:
    from harnest_ext.cli.main import root  # noqa: PLC0415 - reads streams only when used

    group = root()
    return group.get_help(click.Context(group, info_name="harnest", terminal_width=90))


def _command(path: str, level: int) -> list[str]:
    command = load(COMMANDS[path][0])
    context = click.Context(command, info_name=f"harnest {path}", terminal_width=90)
    return [f"{'#' * level} harnest {path}", "", "```text", command.get_help(context), "```", ""]


def rules() -> str:
    """Return the page of every rule that a refusal can name."""
    lines = [
        "# Rules",
        "",
        "Every refusal names the rule that was broken, as `[rule.id]` in the text and as `rule` in",
        "JSON. The kind is the coarse class, see [Errors](errors.md).",
        "",
    ]
    area = ""
    for rule in sorted(_rules().values(), key=lambda r: r.id):
        if rule.id.partition(".")[0] != area:
            area = rule.id.partition(".")[0]
            lines += [f"## {area}", ""]
        lines += [f"### {rule.id}", "", f"{rule.why}", ""]
        points_out = " · a warning" if rule.severity is Severity.WARNING else ""
        lines += [f"*Kind* `{rule.kind}`{points_out}", ""]
        lines += [f"- Breaks it: {_one_line(rule.example)}", f"- Fix: {_one_line(rule.fix)}", ""]
    return "\n".join(lines)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _rules() -> dict[str, Rule]:
    found: dict[str, Rule] = {}
    for module in walk_packages(harnest_ext.__path__, "harnest_ext."):
        if "rules" in module.name.split("."):
            members = vars(import_module(module.name)).values()
            found |= {member.id: member for member in members if isinstance(member, Rule)}
    return found


def kinds() -> str:
    """Return the page of error kinds, their rules, error classes and exit codes."""
    table: dict[str, set[str]] = {}
    for rule in _rules().values():
        table.setdefault(rule.kind, set()).add(rule.id)
    lines = ["# Errors and exit codes", "", *_exit_codes(), *_tree(), "## Kinds", ""]
    lines += ["| kind | rules |", "| --- | --- |"]
    for kind in sorted(table):
        shown = (f"[{r}](rules.md#{_anchor(r)})" for r in sorted(table[kind]))
        lines.append(f"| `{kind}` | {', '.join(shown)} |")
    return "\n".join(lines)


def _exit_codes() -> list[str]:
    return [
        "## Exit codes",
        "",
        "| code | means |",
        "| --- | --- |",
        "| 0 | done |",
        "| 1 | refused or failed |",
        "| 2 | the command line can't be taken as it is |",
        "| 3 | another process is writing to the project and did not finish in time |",
        "| 4 | a registry, an index or a download failed |",
        "| 130 | stopped by Ctrl-C |",
        "",
        "`harnest sandbox run` exits with the program's own status instead; 124: its deadline",
        "passed, 123: its output limit was reached, 125: Harnest itself failed.",
        "",
    ]


def _tree() -> list[str]:
    drawing = (errors.__doc__ or "").partition("::")[2].partition("Each carries")[0]
    body = "\n".join(line.removeprefix("    ") for line in drawing.strip("\n").splitlines())
    return [
        "## Classes",
        "",
        "What the Python interface raises. Each carries `problems`, and of the first one `kind`,",
        "`rule`, `path`, `line`, `expected`, `got` and `remedy`.",
        "",
        f"```text\n{body.rstrip()}\n```",
        "",
    ]


def _anchor(heading: str) -> str:
    return heading.lower().replace(".", "").replace(" ", "-")


def limits() -> str:
    """Return the page of every named bound, with its value and what it bounds."""
    lines = ["# Limits", "", "An error that reports a bound prints the bound's value.", ""]
    for title, name in LIMIT_MODULES:
        path = ROOT / name
        if path.exists():
            lines += [f"## {title}", "", "| name | value | what |", "| --- | --- | --- |"]
            lines += [f"| `{n}` | {value} | {text} |" for n, value, text in _bounds(path)] + [""]
    return "\n".join(lines)


def _bounds(path: Path) -> Iterator[tuple[str, str, str]]:
    tree = ast.parse(path.read_text("utf-8"))
    values: dict[str, object] = {"Final": None}
    code = compile(tree, str(path), "exec")
    exec(code, values)  # noqa: S102 - a module of constants of this repository
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        documented = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        if isinstance(node, ast.AnnAssign) and documented:
            name = ast.unparse(node.target)
            text = " ".join(str(after.value.value).replace("``", "`").split())
            yield name, _shown(values[name]), text.replace("|", "\\|")


def _shown(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, (frozenset, set)):
        return ", ".join(f"`{item}`" for item in sorted(value))
    if isinstance(value, tuple):
        return ", ".join(f"`{item}`" for item in value)
    return f"{value}"


def capabilities() -> str:
    """Return the page of the closed vocabulary of capabilities."""
    lines = [
        "# Capabilities",
        "",
        "What a manifest may list under `capabilities`. They are declarations that a reader can",
        "review before installing; where the runtime hands out the authority itself, it refuses",
        "what was not declared.",
        "",
    ]
    groups: dict[str, list[str]] = {}
    for name in sorted(CAPABILITIES):
        groups.setdefault(name.partition(".")[0], []).append(f"`{name}`")
    lines += [f"- {', '.join(names)}" for names in groups.values()]
    return "\n".join(lines)


def conformance() -> str:
    """Return the page of every check of the conformance suites."""
    lines = [
        "# Conformance checks",
        "",
        "What `harnest extensions test` tries, and `pytest --harnest-provider` of a provider. A",
        "check that needs a feature which is not declared is reported as unsupported, never as",
        "passed. A tier that can't run on the host at all fails once, as `opening.available`, with",
        "its own reason and remedy; nothing else of the extension's is tried then.",
        "",
        "## Features of a provider",
        "",
    ]
    lines += _table(("feature", "meaning"), _features("features.py", "Feature"))
    lines += ["## Features of a tier of workspaces", ""]
    kept = _features("workspace_profile.py", "WorkspaceFeature")
    lines += _table(("feature", "meaning"), kept)
    suites = (
        ("Provider", provider_checks()),
        ("Workspace", workspace_checks()),
        ("Extension", extension_checks()),
    )
    for title, checks in suites:
        lines += [f"## {title} suite", "", f"{len(checks)} checks.", ""]
        rows = [(f"`{c.name}`", c.promise, ", ".join(sorted(c.needs))) for c in checks]
        lines += _table(("check", "promise", "needs"), rows)
    return "\n".join(lines)


def _features(file: str, kind: str) -> list[tuple[str, ...]]:
    """Return each feature with the text below it in its class."""
    tree = ast.parse((ROOT / "harnest_ext/conformance" / file).read_text("utf-8"))
    (body,) = (n.body for n in tree.body if isinstance(n, ast.ClassDef) and n.name == kind)
    found = []
    for member, text in pairwise(body):
        if isinstance(member, ast.Assign) and isinstance(text, ast.Expr):
            name = ast.literal_eval(member.value)
            found.append((f"`{name}`", _one_line(ast.literal_eval(text.value))))
    return found


def tools() -> str:
    """Return the page of every tool of agents, from what a model is shown of it."""
    lines = ["# Tools of agents", ""]
    lines += ["`harnest.execution.tools.WorkspaceTools` offers them, and so do its adapters.", ""]
    for tool in WorkspaceTools(Workspace(WorkspaceConfig(tier="process"))):
        schema = tool.schema
        rows = [
            (f"`{name}`", item["type"], _left_out(name, item, schema), _cell(item["description"]))
            for name, item in schema["properties"].items()
        ]
        lines += [f"## {tool.name}", "", _prose(tool.description), ""]
        lines += _table(("argument", "type", "left out", "meaning"), rows)
    lines += ["## Kinds of failures", "", _prose(_KIND_TEXT), ""]
    rows = [(f"`{kind}`", f"`{error.__name__}`") for error, kind in KINDS]
    rows += [("`not-empty`", "`OSError`"), ("`unknown-tool`", ""), ("`internal`", "any other")]
    return "\n".join(lines + _table(("kind", "exception"), rows))


_KIND_TEXT = (
    "`answer()` begins a failure with its kind, `Error (not-found): ...`; called directly, a tool "
    "raises the exception. Of `internal` failures a model is told the type alone."
)


def _left_out(name: str, item: dict[str, object], schema: dict[str, list[str]]) -> str:
    if name in schema["required"]:
        return "required"
    return f"`{item['default']}`" if "default" in item else ""


def _cell(text: str) -> str:
    return _prose(text).replace("|", "\\|")


def _prose(text: str) -> str:
    """Return text with everything kept as it is written that Markdown would read as a sign."""
    return "".join(f"\\{sign}" if sign in "*[]\\<>{}_" else sign for sign in text)


def _table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    lines = [f"| {' | '.join(columns)} |", f"|{' --- |' * len(columns)}"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows), ""]


PAGES: dict[str, Callable[[], str]] = {
    "capabilities.md": capabilities,
    "commands.md": commands,
    "conformance.md": conformance,
    "errors.md": kinds,
    "interface.md": interface,
    "limits.md": limits,
    "rules.md": rules,
    "tools.md": tools,
}


def _settle(name: str, body: str, *, check: bool) -> bool:
    path = REFERENCE / name
    text = f"{NOTICE}\n\n{body.rstrip()}\n"
    there = path.read_text("utf-8") if path.exists() else ""
    if check and there != text:
        print("\n".join(difflib.unified_diff(there.splitlines(), text.splitlines(), n=0)))
        return False
    if there != text:
        path.write_text(text, "utf-8")
    return True


if __name__ == "__main__":
    sys.exit(main())
