"""Why an agent has no sandbox of some name, what to add where, and which grants lead nowhere."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from harnest.context import ContextResourceError
from harnest_ext.runtime import rules

if TYPE_CHECKING:
    from harnest_ext.problem import Problem
    from harnest_ext.runtime.running import Running

__all__ = ["refuse_agent", "refuse_sandbox", "undeclared_grants"]


def undeclared_grants(running: Running) -> tuple[Problem, ...]:
    """Return a warning for each grant of a sandbox that no file declares."""
    there = {*running.catalog.declared, *running.catalog.broken}
    return tuple(
        rules.UNDECLARED_GRANT.problem(
            f"The agent {agent.name!r} is granted the sandbox {name!r}, which no file declares.",
            path=running.project.config_path.name,
            line=agent.line or None,
            got=name,
        )
        for agent in running.config.agents.values()
        for name in agent.sandboxes
        if name not in there
    )


def refuse_sandbox(running: Running, agent: str, name: str) -> ContextResourceError:
    """Return the refusal of a sandbox that an agent does not have."""
    declared = running.catalog.declared
    config = running.config.agents.get(agent)
    if name in running.catalog.broken:
        problem = running.catalog.broken[name]
        return ContextResourceError(f"The sandbox {name!r} can't be used: {problem.message}")
    if name not in declared:
        close = get_close_matches(name[:80], declared, n=3)
        hint = f" Did you mean {', '.join(map(repr, close))}?" if close else ""
        return ContextResourceError(
            f"There is no sandbox {name[:80]!r}: no file sandbox/{name[:80]}.py declares it.{hint}"
        )
    granted = ", ".join(config.sandboxes) if config and config.sandboxes else "none"
    return ContextResourceError(
        f"The sandbox {name!r} is not granted to the agent {agent!r}, whose 'sandboxes' list has: "
        f"{granted}. Add {name!r} to it under 'spec.agents' in config.yaml."
    )


def refuse_agent(running: Running, agent: str) -> ContextResourceError:
    """Return the refusal of an agent that the project does not declare."""
    known = ", ".join(running.config.agents) or "none"
    return ContextResourceError(
        f"There is no agent {agent[:80]!r} in this project; declared under 'spec.agents' in "
        f"config.yaml: {known}."
    )
