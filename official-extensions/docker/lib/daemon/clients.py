"""Connections to one daemon: the only module that imports the Docker SDK, at the first request.

A client is lent to one request at a time, since its time-out is a property of the whole client.
"""

import contextlib
import importlib
import socket
import ssl
import threading
from collections.abc import Iterator
from typing import Any

from .faults import recognise
from .port import DaemonFault, Fault, SdkMissing

_IDLE_CLIENTS = 16
_LEAST_SECONDS = 0.05
_DEFAULT = "unix:///var/run/docker.sock"
_LOCAL = ("unix://", "http+unix://", "/")


class Clients:
    """The SDK's clients of the daemon at *base_url*, made when they are needed, kept while they work."""

    def __init__(self, base_url: str | None) -> None:
        self._base_url = base_url
        self._lock = threading.Lock()
        self._idle: list[Any] = []
        self._version = ""
        self._sdk: Any = None

    def sdk(self) -> Any:
        """Return the SDK.

        Raises:
            SdkMissing: it is not installed.
        """
        if self._sdk is None:
            try:
                self._sdk = importlib.import_module("docker")
            except ImportError:
                raise SdkMissing from None
        return self._sdk

    def local(self) -> bool:
        """Return whether the daemon is on this host, as far as its address tells."""
        return _is_local(self._address())

    def socket_path(self) -> str | None:
        """Return the path of the daemon's socket on this host, None for any other address."""
        settings = self._address()
        return _socket_path(settings) if _is_local(settings) else None

    def new(self, timeout: float) -> Any:
        """Return a client that the caller closes; its requests take at most *timeout* seconds.

        The first one asks the daemon for its version.
        """
        address = self._address()
        _knock(address, timeout)
        seconds = max(timeout, _LEAST_SECONDS)
        if not self._version and not _is_local(address):
            self._version = self._ask_version(address, seconds)
        client = self.sdk().APIClient(version=self._version or "auto", timeout=seconds, **address)
        self._version = client.api_version
        return _direct(client)

    def _ask_version(self, address: dict[str, Any], timeout: float) -> str:
        """Return the newest API of a daemon on another machine.

        A client that finds it out by itself does so before it can be told whom to trust.
        """
        api = self.sdk().constants
        client = _direct(
            self.sdk().APIClient(version=api.MINIMUM_DOCKER_API_VERSION, timeout=timeout, **address)
        )
        try:
            newest = str(client.version(api_version=False)["ApiVersion"])
        finally:
            client.close()
        return min(newest, str(api.DEFAULT_DOCKER_API_VERSION), key=_numbers)

    @contextlib.contextmanager
    def lent(self, timeout: float) -> Iterator[Any]:
        """Lend a client for one request of at most *timeout* seconds.

        Raises:
            DaemonFault: the daemon did not do what it was asked.
            SdkMissing: the SDK is not installed.
        """
        with self.translated():
            with self._lock:
                client = self._idle.pop() if self._idle else None
            if client is None:
                client = self.new(timeout)
            else:
                _knock(self._address(), timeout)
            client.timeout = max(timeout, _LEAST_SECONDS)
            answers: list[Any] = []
            client.hooks["response"] = [lambda answer, **_: answers.append(answer)]
            try:
                yield client
            except BaseException:
                # What is left of a broken exchange must not be the next one's answer, and an answer that
                # was not read to its end keeps its connection.
                for answer in answers:
                    answer.close()
                client.close()
                raise
            client.hooks["response"] = []
            if self.local():
                # The SDK keeps a connection for each address of each container; making one to a
                # local socket costs nothing, the client itself is what is worth keeping.
                client.close()
            with self._lock:
                if len(self._idle) < _IDLE_CLIENTS:
                    self._idle.append(client)
                    return
            client.close()

    @contextlib.contextmanager
    def translated(self) -> Iterator[None]:
        """Turn the SDK's exceptions into faults, raised where nothing of them can be reached."""
        fault = None
        try:
            yield
        except (DaemonFault, SdkMissing):
            raise
        except Exception as error:  # noqa: BLE001 - third-party code: every SDK and transport error ends here
            fault = self._fault(error)
        if fault is not None:
            raise DaemonFault(fault)

    def close(self) -> None:
        """Close every connection that is not lent."""
        with self._lock:
            idle, self._idle = self._idle, []
        for client in idle:
            client.close()

    def _address(self) -> dict[str, Any]:
        settings = dict(self.sdk().utils.kwargs_from_env())
        if self._base_url is not None:
            settings["base_url"] = self._base_url
        if _is_local(settings):
            settings.pop("tls", None)
        return settings

    def _fault(self, error: Exception) -> Fault:
        errors = self.sdk().errors
        transport = importlib.import_module("requests.exceptions")
        if isinstance(error, errors.APIError):
            return recognise(error.status_code or 0, str(error.explanation or ""))
        if isinstance(error, errors.BuildError):
            return Fault.BUILD_FAILED
        if isinstance(error, TimeoutError | transport.Timeout) or "timed out" in str(error):
            return Fault.TIMEOUT
        if isinstance(error, errors.TLSParameterError | transport.SSLError) or _ssl_inside(error):
            return Fault.CERTIFICATE
        if isinstance(error, OSError | transport.RequestException | errors.DockerException):
            return Fault.UNREACHABLE
        if isinstance(error, KeyError | ValueError | TypeError | AttributeError):
            return Fault.BROKEN
        raise error


def _direct(client: Any) -> Any:
    # Else REQUESTS_CA_BUNDLE, which is about web servers, would replace the daemon's own authority, and
    # a web proxy would be asked to reach it.
    client.trust_env = False
    return client


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _ssl_inside(error: BaseException) -> bool:
    """Return whether *error* came of a refusal in TLS, which the layers above call a broken connection."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ssl.SSLError):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def _knock(settings: dict[str, Any], timeout: float) -> None:
    """Find a dead local daemon before the SDK does, which leaves a socket open when it cannot connect."""
    if not _is_local(settings):
        return
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(max(timeout, _LEAST_SECONDS))
        link.connect(_socket_path(settings))


def _socket_path(settings: dict[str, Any]) -> str:
    path = str(settings.get("base_url") or _DEFAULT)
    return "/" + path.partition("://")[2].lstrip("/") if "://" in path else path


def _is_local(settings: dict[str, Any]) -> bool:
    return str(settings.get("base_url") or _DEFAULT).startswith(_LOCAL)
