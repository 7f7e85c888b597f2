"""Credentials of the running invocation."""

from __future__ import annotations

import asyncio
import copy
import os
import pickle
from typing import TYPE_CHECKING, Any

import pytest

from harnest import context
from harnest.credentials import (
    Credential,
    CredentialProviderError,
    CredentialRequest,
    CredentialUnavailableError,
)
from tests.support.projects import extension, installed
from tests.support.runtimes import open_runtime, shown

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "hunter2-is-secret"


class Recording:
    """A provider that a test hands to the runtime."""

    def __init__(self, answer: object = None) -> None:
        self.requests: list[CredentialRequest] = []
        self.answer = answer

    async def resolve(self, request: CredentialRequest) -> Credential:
        """Note the request and give the answer."""
        self.requests.append(request)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer  # type: ignore[return-value]


def configured(parent: Path, text: str) -> Path:
    """Return a project that chooses a credential provider."""
    project = installed(parent)
    config = project / "config.yaml"
    config.write_text(config.read_text() + f"  credentials: {text}\n")
    return project


def resolve(
    project: Path, audience: Any = "tracker", scopes: Any = (), **options: Any
) -> Credential:
    """Resolve one credential in an invocation of a project."""

    async def main() -> Credential:
        async with (
            open_runtime(project, **options) as runtime,
            runtime.invocation(agent_name="assistant", user_id="ada"),
        ):
            return await context.credentials.resolve(audience, scopes)

    return asyncio.run(main())


def test_a_credential_shows_itself_only_when_asked() -> None:
    """Neither repr nor str holds the secret, and it is not pickled."""
    credential = Credential(SECRET, audience="tracker")
    assert credential.reveal() == SECRET
    assert credential.audience == "tracker"
    for text in (repr(credential), str(credential), f"{credential!r:>90}"):
        assert SECRET not in text
        assert "redacted" in text
    for write in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError):
            write(credential)
    with pytest.raises(TypeError):
        Credential("", audience="tracker")


def test_without_a_provider_the_remedy_is_told(tmp_path: Path) -> None:
    """The text says where one is chosen."""
    with pytest.raises(CredentialUnavailableError, match=r"spec\.credentials"):
        resolve(installed(tmp_path))


def test_the_request_has_audience_scopes_and_identity(tmp_path: Path) -> None:
    """Scopes of any iterable are de-duplicated in order."""
    provider = Recording(Credential(SECRET, audience="tracker"))
    scopes = iter(["b", "a", "b"])
    assert resolve(installed(tmp_path), "tracker", scopes, credentials=provider).reveal() == SECRET
    [request] = provider.requests
    assert (request.audience, request.scopes) == ("tracker", ("b", "a"))
    assert (request.identity.agent_name, request.identity.user_id) == ("assistant", "ada")


@pytest.mark.parametrize(
    ("audience", "scopes", "error"),
    [
        ("tracker", "read", TypeError),
        ("tracker", b"read", TypeError),
        ("tracker", [1], TypeError),
        ("tracker", 3, TypeError),
        ("tracker", [" "], ValueError),
        ("", (), ValueError),
        (None, (), TypeError),
    ],
)
def test_wrong_arguments_are_refused(
    tmp_path: Path, audience: object, scopes: object, error: type[Exception]
) -> None:
    """A bare text for scopes is a mistake, and nothing is asked of the provider."""
    provider = Recording(Credential(SECRET, audience="tracker"))
    with pytest.raises(error):
        resolve(installed(tmp_path), audience, scopes, credentials=provider)
    assert provider.requests == []


@pytest.mark.parametrize(
    "answer", [ValueError(SECRET), None, SECRET], ids=["raises", "none", "text"]
)
def test_a_failing_provider_is_told_by_type(tmp_path: Path, answer: object) -> None:
    """Its message is reachable in no way."""
    with pytest.raises(CredentialProviderError) as caught:
        resolve(installed(tmp_path), credentials=Recording(answer))
    assert SECRET not in shown(caught.value)
    if isinstance(answer, Exception):
        assert "ValueError" in str(caught.value)


def test_a_cancelled_provider_stays_cancelled(tmp_path: Path) -> None:
    """Cancellation is no failure of the provider."""
    with pytest.raises(asyncio.CancelledError):
        resolve(installed(tmp_path), credentials=Recording(asyncio.CancelledError()))


def test_the_environment_provides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The audience names the variable; a missing one is named in the refusal."""
    project = configured(tmp_path, "{provider: environment, prefix: TEST_CREDENTIAL_}")
    monkeypatch.setenv("TEST_CREDENTIAL_ISSUE_TRACKER", SECRET)
    assert resolve(project, "issue-tracker").reveal() == SECRET
    with pytest.raises(CredentialUnavailableError, match="TEST_CREDENTIAL_OTHER"):
        resolve(project, "other")


@pytest.fixture
def credentials_file(tmp_path: Path) -> Path:
    """A project's file of credentials, and the project beside it."""
    project = configured(tmp_path, "{provider: file, path: secrets.toml}")
    file = project / "secrets.toml"
    file.write_text(f'[tracker]\ntoken = "{SECRET}"\nscopes = ["read"]\n\n[empty]\n')
    file.chmod(0o600)
    return file


def test_a_private_file_provides_within_its_scopes(credentials_file: Path) -> None:
    """The table's token, for no more scopes than it lists."""
    project = credentials_file.parent
    assert resolve(project, "tracker", ["read"]).reveal() == SECRET
    assert resolve(project, "tracker").reveal() == SECRET
    for audience, scopes in (("tracker", ["read", "write"]), ("empty", []), ("absent", [])):
        with pytest.raises(CredentialUnavailableError) as caught:
            resolve(project, audience, scopes)
        assert SECRET not in shown(caught.value)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o700, 0o620])
def test_a_file_that_others_may_read_is_refused(credentials_file: Path, mode: int) -> None:
    """The remedy is the command that mends it."""
    credentials_file.chmod(mode)
    with pytest.raises(CredentialUnavailableError, match=r"chmod 600 secrets\.toml"):
        resolve(credentials_file.parent)


def test_a_link_or_a_missing_file_is_refused(credentials_file: Path) -> None:
    """The file is the project's own; what is not there is named."""
    other = credentials_file.rename(credentials_file.with_name("other.toml"))
    with pytest.raises(CredentialUnavailableError, match="FileNotFoundError"):
        resolve(credentials_file.parent)
    credentials_file.symlink_to(other)
    with pytest.raises(CredentialUnavailableError, match="can't be opened"):
        resolve(credentials_file.parent)


def test_a_pipe_in_its_place_is_refused_at_once(credentials_file: Path) -> None:
    """Nothing waits for somebody to write."""
    credentials_file.unlink()
    os.mkfifo(credentials_file, 0o600)
    with pytest.raises(CredentialUnavailableError, match="regular file"):
        resolve(credentials_file.parent)


def test_a_damaged_file_is_told_without_its_content(credentials_file: Path) -> None:
    """A parser's message may quote the line, so its type alone is told."""
    credentials_file.write_text(f"[tracker\ntoken = {SECRET}")
    with pytest.raises(CredentialProviderError) as caught:
        resolve(credentials_file.parent)
    assert SECRET not in shown(caught.value)


def test_an_extension_needs_the_capability(tmp_path: Path) -> None:
    """What an extension's own code asks for is held to its manifest; the agent's is not."""
    body = """    async def ask(self):
        from harnest import context
        return await context.credentials.resolve("tracker")

    async def ask_in_a_task(self):
        import asyncio
        from harnest import context
        return await asyncio.gather(context.credentials.resolve("tracker"))
"""
    specs = [
        extension("alpha", body),
        extension("bravo", body, capabilities=("context.credentials",)),
    ]
    provider = Recording(Credential(SECRET, audience="tracker"))

    async def main() -> None:
        async with open_runtime(installed(tmp_path, specs), credentials=provider) as runtime:
            loaded: Any = runtime.running.active.loaded
            async with runtime.invocation(agent_name="assistant"):
                assert (await loaded["bravo"].extension.ask()).reveal() == SECRET
                for ask in ("ask", "ask_in_a_task"):
                    with pytest.raises(context.ContextResourceError, match=r"context\.credentials"):
                        await getattr(loaded["alpha"].extension, ask)()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('[tracker]\ntoken = "{secret}"\nscopes = "repo:write"\n', "is no list of texts"),
        ('[tracker]\ntoken = "{secret}"\nscopes = 5\n', "is no list of texts"),
        ("#" * 70_000 + '\n[tracker]\ntoken = "{secret}"\n', "has more than 65536 bytes"),
    ],
    ids=["text", "number", "large"],
)
def test_a_file_is_understood_whole_or_not_at_all(tmp_path: Path, text: str, reason: str) -> None:
    """A scope is not looked for inside of a text, and a file is not cut."""
    project = configured(tmp_path, "{provider: file}")
    path = project / "credentials.toml"
    path.write_text(text.format(secret=SECRET))
    path.chmod(0o600)
    with (
        open_runtime(project) as runtime,
        runtime.invocation(agent_name="assistant"),
        pytest.raises(CredentialUnavailableError, match=reason),
    ):
        asyncio.run(context.credentials.resolve("tracker", ["repo"]))
