"""Which module may import which, held against the source itself."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter

from tests.architecture.source import Import, Module, extension_modules, modules

LEVELS = (
    ("harnest._namespace",),
    ("harnest", "harnest.sandbox", "harnest._identity", "harnest.logging", "harnest.tracing"),
    ("harnest_ext", "harnest_ext.limits", "harnest_ext.resources", "harnest_ext.text"),
    ("harnest_ext.toml_fault",),
    ("harnest_ext.problem",),
    ("harnest_ext.errors", "harnest_ext.rule"),
    ("harnest_ext.rules",),
    ("harnest.credentials",),
    ("harnest.context", "harnest.continuation", "harnest.durable"),
    ("harnest.execution", "harnest_ext.identity", "harnest_ext.host"),
    ("harnest.extensions", "harnest_ext.manifest"),
    ("harnest_ext.package", "harnest_ext.resolution", "harnest_ext.distributions"),
    ("harnest_ext.sources", "harnest_ext.store", "harnest_ext.scaffold"),
    ("harnest_ext.manager", "harnest_ext.environment", "harnest_ext.runtime"),
    ("harnest_ext.conformance",),
    ("harnest_ext.cli",),
    ("harnest_ext.__main__",),
)
"""Leaves first. A unit imports only from the lines above its own, and from itself."""

BRIDGES = {
    ("harnest.extensions", "harnest_ext.runtime"): "importing an installed extension activates it",
}
"""Units that reach up the ladder, inside a function only, and why they have to."""

OWNERS = {
    "click": ("harnest_ext.cli",),
    "docker": (),
    "filelock": ("harnest_ext.store",),
    "google": ("harnest.execution.adapters", "harnest.sandbox.adapters"),
    "importlib_metadata": ("harnest_ext.distributions", "harnest_ext.package.wheel"),
    "jinja2": ("harnest_ext.scaffold", "harnest_ext.sources"),
    "langchain_core": ("harnest.execution.adapters", "harnest.sandbox.adapters"),
    "pydantic": (
        "harnest.sandbox.adapters",
        "harnest_ext.manifest",
        "harnest_ext.sources",
        "harnest_ext.runtime",
    ),
    "resolvelib": ("harnest_ext.resolution",),
    "rich": ("harnest_ext.cli",),
    "tomlkit": ("harnest_ext.store",),
    "urllib3": ("harnest_ext.sources",),
}
"""Third-party package to the units that may import it."""

EXECUTES = {"__import__", "compile", "eval", "exec", "execv", "execve", "execvp", "fork"}
EXECUTES |= {"import_module", "popen", "posix_spawn", "run_module", "run_path", "spawnv", "system"}
EXECUTES |= {"exec_module", "load_module"}
PROCESSES = {"asyncio.subprocess", "importlib", "multiprocessing", "pty", "runpy", "subprocess"}


def unit(name: str) -> tuple[int, str]:
    """Return the level and the unit that a module belongs to: the longest name that leads to it."""
    best = (-1, "")
    for level, units in enumerate(LEVELS):
        for candidate in units:
            own = name == candidate or name.startswith(f"{candidate}.")
            if own and len(candidate) > len(best[1]):
                best = (level, candidate)
    return best


def bridge(module: Module, imported: Import) -> bool:
    """Say whether this is one of the imports that may reach up the ladder."""
    return imported.deferred and (unit(module.name)[1], unit(imported.target)[1]) in BRIDGES


def internal(module: Module) -> list[tuple[int, str]]:
    """Return line and target of each import of a module of the product, bridges left out."""
    known = modules()
    found = [i for i in module.imports if i.target in known and not bridge(module, i)]
    return [(i.line, i.target) for i in found]


def test_every_module_has_a_place_on_the_ladder() -> None:
    """No module of the product is outside the table of levels by being new at the top."""
    roots = {"harnest", "harnest_ext"}
    lost = [n for n in modules() if n not in roots and unit(n)[1] in roots]
    assert lost == []


def test_modules_import_only_from_above_their_own_line() -> None:
    """A module imports itself, and units of earlier lines; nothing else."""
    wrong = []
    for name, module in modules().items():
        level, own = unit(name)
        for line, target in internal(module):
            other_level, other = unit(target)
            if other != own and other_level >= level:
                wrong.append(f"{module.where}:{line} {own} imports {other}")
    assert wrong == []


def test_nothing_imports_in_a_circle() -> None:
    """The graph of all imports at run time, deferred ones included, bridges not, has no cycle."""
    graph = {
        name: {
            i.target
            for i in module.imports
            if i.target in modules() and not i.typing_only and i.target != name
            if not bridge(module, i)
        }
        for name, module in modules().items()
    }
    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise AssertionError(f"import cycle: {' -> '.join(error.args[1])}") from error
    assert set(order) == set(modules())


def test_the_contract_does_not_import_the_manager() -> None:
    """No module of harnest imports harnest_ext when it is imported itself."""
    wrong = [
        f"{module.where}:{i.line}"
        for name, module in modules().items()
        for i in module.imports
        if name.split(".")[0] == "harnest" and i.target.split(".")[0] == "harnest_ext"
        if not i.deferred and not i.typing_only
    ]
    assert wrong == []


def reachable(start: str) -> set[str]:
    """Return the modules that a unit's modules lead to by any import, itself included."""
    todo = [name for name in modules() if unit(name)[1] == start]
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += [i.target for i in modules()[name].imports if i.target in modules()]
    return seen


def test_the_manager_never_reaches_the_runtime() -> None:
    """Managing extensions loads nothing that could execute one."""
    reached = reachable("harnest_ext.manager")
    assert {
        n for n in reached if unit(n)[1] in {"harnest_ext.runtime", "harnest.extensions"}
    } == set()


def test_the_manager_has_no_means_to_execute_a_package() -> None:
    """Nothing that the manager reaches imports by name, compiles, executes or starts a process."""
    wrong = []
    for name in sorted(reachable("harnest_ext.manager")):
        module = modules()[name]
        wrong += [
            f"{module.where}:{i.line} imports {i.target}"
            for i in module.imports
            if i.target in PROCESSES and not i.typing_only
        ]
        wrong += [f"{module.where}:{line} calls {called}" for line, called in _executions(module)]
    assert wrong == []


def test_the_runtime_does_not_reach_the_network_or_the_manager() -> None:
    """Loading what is installed needs neither a package source nor the manager."""
    reached = reachable("harnest_ext.runtime")
    managing = {"harnest_ext.sources", "harnest_ext.manager"}
    assert {n for n in reached if unit(n)[1] in managing} == set()


def test_third_party_packages_stay_where_they_belong() -> None:
    """Each library is imported by the units that exist for it and by no other."""
    wrong = []
    for name, module in modules().items():
        for i in module.imports:
            owners = OWNERS.get(i.target.split(".")[0])
            owned = owners is not None and any(name.startswith(owner) for owner in owners)
            if owners is not None and not owned and not i.typing_only:
                wrong.append(f"{module.where}:{i.line} imports {i.target}")
    assert wrong == []


def test_official_extensions_stand_on_the_public_contract_alone() -> None:
    """An extension imports harnest, its own files and its SDK: never the manager, never another."""
    wrong = [
        f"{module.where}:{i.line} imports {i.target}"
        for name, module in extension_modules().items()
        for i in module.imports
        if i.target.split(".")[0] == "harnest_ext"
        or i.target.startswith("harnest.extensions.")
        or _another_extension(i.target, name)
    ]
    assert wrong == []


def test_the_docker_sdk_is_imported_in_one_file() -> None:
    """One module speaks to the Docker SDK, so everything else can be tested without it."""
    files = {
        module.where
        for module in extension_modules().values()
        for i in module.imports
        if i.target.split(".")[0] == "docker" and not i.typing_only
    }
    assert len(files) == 1


def _another_extension(target: str, own: str) -> bool:
    package = target.split(".", maxsplit=1)[0]
    return package.startswith("harnest_extension_") and package != own.split(".", maxsplit=1)[0]


def _executions(module: Module) -> list[tuple[int, str]]:
    found = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called.rpartition(".")[2] in EXECUTES and called != "re.compile":
                found.append((node.lineno, called))
    return found
