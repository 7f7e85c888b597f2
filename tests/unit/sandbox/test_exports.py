"""The exported names, signatures and defaults are the documented ones, to the letter."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
import typing

import pytest

import harnest.sandbox
from harnest.sandbox import (
    Sandbox,
    SandboxBackend,
    SandboxBudget,
    SandboxContext,
    SandboxFile,
    SandboxNetworkMode,
    SandboxNetworkPolicy,
    SandboxProvider,
    SandboxProviderCapabilities,
    SandboxRequest,
    SandboxResult,
    SandboxStatus,
    cleanup_control,
    control,
)

EXPORTS = [
    "Sandbox",
    "SandboxBackend",
    "SandboxBudget",
    "SandboxCancelledError",
    "SandboxContext",
    "SandboxExecutionError",
    "SandboxFile",
    "SandboxInputFilesUnsupportedError",
    "SandboxNetworkMode",
    "SandboxNetworkPolicy",
    "SandboxPolicyUnsupportedError",
    "SandboxProvider",
    "SandboxProviderCapabilities",
    "SandboxRequest",
    "SandboxResult",
    "SandboxStatus",
    "cleanup_control",
    "control",
]

CONSTRUCTORS = {
    "SandboxBackend": "(*args, **kwargs)",
    "SandboxBudget": "(cpu: float = 1.0, memory_bytes: int = 536870912, pids: int = 64, "
    "scratch_bytes: int = 67108864) -> None",
    "SandboxContext": "(agent_name: str | None = None, invocation_id: str | None = None, "
    "user_id: str | None = None, session_id: str | None = None) -> None",
    "SandboxExecutionError": "(message: str, *, status: SandboxStatus = "
    "<SandboxStatus.FAILED: failed>) -> None",
    "SandboxFile": "(name: str, content: str | bytes, mime_type: str = text/plain) -> None",
    "SandboxNetworkPolicy": "(mode: SandboxNetworkMode = <SandboxNetworkMode.NONE: none>, "
    "allow_hosts: tuple[str, ...] = (), allow_ports: tuple[int, ...] = (), "
    "block_private_networks: bool = True) -> None",
    "SandboxProvider": "(*args, **kwargs)",
    "SandboxProviderCapabilities": "(network_modes: frozenset[SandboxNetworkMode] = frozenset(), "
    "host_allowlist: bool = False, port_allowlist: bool = False, "
    "private_network_blocking: bool = False) -> None",
    "SandboxRequest": "(code: str, timeout_seconds: int | None = None, "
    "context: SandboxContext = <factory>, input_files: tuple[SandboxFile, ...] = (), "
    "execution_id: str | None = None, metadata: Mapping[str, Any] = <factory>, "
    "network_policy: SandboxNetworkPolicy | None = None) -> None",
    "SandboxResult": "(stdout: str = , stderr: str = , "
    "output_files: tuple[SandboxFile, ...] = (), "
    "metadata: Mapping[str, Any] = <factory>, "
    "status: SandboxStatus = <SandboxStatus.SUCCEEDED: succeeded>, "
    "exit_code: int | None = None) -> None",
    "cleanup_control": "(timeout_seconds: int = 5) -> Iterator[SandboxControl]",
}

METHODS = [
    (
        Sandbox.provider,
        (
            "(factory: Callable[[], Any], *, name: str = custom, "
            "timeout_seconds: int | None = None, "
            "metadata: Mapping[str, Any] | None = None, "
            "network_policy: SandboxNetworkPolicy | None = None, "
            "adapter_options: Mapping[str, Any] | None = None) -> Sandbox"
        ),
    ),
    (Sandbox.to_adk_executor, "(self) -> Any"),
    (Sandbox.to_langchain_tool, "(self) -> Any"),
    (Sandbox.build, "(self) -> Any"),
    (SandboxBackend.execute, "(self, request: SandboxRequest) -> SandboxResult"),
    (SandboxProvider.execute, "(self, request: SandboxRequest) -> SandboxResult"),
    (SandboxNetworkPolicy.none, "() -> SandboxNetworkPolicy"),
    (
        SandboxNetworkPolicy.unrestricted,
        "(*, block_private_networks: bool = False) -> SandboxNetworkPolicy",
    ),
    (
        SandboxNetworkPolicy.allowlist,
        (
            "(*hosts: str, ports: tuple[int, ...] = (), block_private_networks: bool = True) "
            "-> SandboxNetworkPolicy"
        ),
    ),
    (SandboxProviderCapabilities.require, "(self, policy: SandboxNetworkPolicy) -> None"),
    (control.execute, "(timeout_seconds: int | None) -> Iterator[SandboxControl]"),
    (control.cleanup, "(timeout_seconds: int = 5) -> Iterator[SandboxControl]"),
    (control.current, "() -> SandboxControl | None"),
]


def shown(thing: typing.Callable[..., object]) -> str:
    """Return a signature without the quotes and module names that differ by how it is written."""
    return str(inspect.signature(thing)).replace("'", "").replace("harnest.sandbox.", "")


def test_the_exported_names_are_the_documented_ones() -> None:
    """``__all__`` is exactly the documented list, and each name is there."""
    assert harnest.sandbox.__all__ == EXPORTS
    assert all(hasattr(harnest.sandbox, name) for name in EXPORTS)


@pytest.mark.parametrize("name", [name for name in EXPORTS if name.startswith("Sandbox")])
def test_classes_report_the_public_module(name: str) -> None:
    """A class says that it lives in harnest.sandbox, where pickles and readers look for it."""
    exported = getattr(harnest.sandbox, name)
    assert exported.__module__ == "harnest.sandbox"
    assert exported.__qualname__ == name
    assert pickle.loads(pickle.dumps(exported)) is exported


@pytest.mark.parametrize(("name", "signature"), CONSTRUCTORS.items())
def test_constructors_have_the_documented_signature(name: str, signature: str) -> None:
    """Parameters, their order, kinds, types and defaults are the documented ones."""
    assert shown(getattr(harnest.sandbox, name)) == signature


@pytest.mark.parametrize(("method", "signature"), METHODS)
def test_methods_have_the_documented_signature(
    method: typing.Callable[..., object], signature: str
) -> None:
    """Parameters, their order, kinds, types and defaults are the documented ones."""
    assert shown(method) == signature


def test_the_declaration_has_the_documented_fields_first() -> None:
    """The five documented fields come in order, with their defaults; bindings are private."""
    parameters = list(inspect.signature(Sandbox).parameters.values())
    public = [p for p in parameters if not p.name.startswith("_")]
    assert [p.name for p in public] == [
        "factory",
        "backend",
        "timeout_seconds",
        "metadata",
        "network_policy",
    ]
    declared = Sandbox(factory=dict)
    assert (declared.backend, declared.timeout_seconds) == ("custom", None)
    assert declared.metadata == {}
    assert declared.network_policy is None


def test_enumerations_have_the_documented_members() -> None:
    """Names and values of both enumerations, in order."""
    assert {mode.name: mode.value for mode in SandboxNetworkMode} == {
        "NONE": "none",
        "UNRESTRICTED": "unrestricted",
        "ALLOWLIST": "allowlist",
    }
    assert {status.name: status.value for status in SandboxStatus} == {
        "SUCCEEDED": "succeeded",
        "FAILED": "failed",
        "TIMED_OUT": "timed_out",
        "OUTPUT_LIMIT_EXCEEDED": "output_limit_exceeded",
        "CANCELLED": "cancelled",
    }


@pytest.mark.parametrize(
    "value", [SandboxBudget, SandboxContext, SandboxFile, SandboxRequest, SandboxResult, Sandbox]
)
def test_type_hints_resolve(value: type) -> None:
    """Tools that read annotations at run time can resolve every one."""
    fields = [p for p in inspect.signature(value).parameters if not p.startswith("_")]
    assert set(fields) <= set(typing.get_type_hints(value))
    assert set(fields) <= set(typing.get_type_hints(value.__init__))


def test_the_cleanup_export_is_the_control_namespaces_own() -> None:
    """Both names are one function."""
    assert cleanup_control is control.cleanup
    assert sorted(control.__all__) == ["cleanup", "current", "execute"]


def test_importing_the_contract_imports_the_standard_library_alone() -> None:
    """A provider pays for nothing but the contract: no framework, no SDK, no dependency."""
    program = (
        "import sys; before = set(sys.modules); import harnest.sandbox\n"
        "new = set(sys.modules) - before\n"
        "roots = {name.split('.')[0] for name in new}\n"
        "print(sorted(roots - set(sys.stdlib_module_names) - {'harnest'}))\n"
        "print(sorted(new & {'asyncio', 'json', 'logging', 'ipaddress', 'base64'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:2] == ["[]", "[]"]
