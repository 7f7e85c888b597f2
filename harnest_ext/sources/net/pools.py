"""Connections of `urllib3` whose sockets a watch knows."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from harnest_ext.sources.net.proxies import proxy_for

if TYPE_CHECKING:
    import socket

    from harnest_ext.sources.net.address import WebAddress
    from harnest_ext.sources.net.watch import Watch

__all__ = ["Pools"]


class Pools:
    """Connection pools, straight and by way of the proxies that the environment names.

    Args:
        watch: Told of every socket.
    """

    def __init__(self, watch: Watch) -> None:
        self._classes = _pool_classes(watch)
        self._context = ssl.create_default_context()
        self._straight = self._configured(urllib3.PoolManager(ssl_context=self._context))
        self._proxied: dict[str, urllib3.PoolManager] = {}

    def manager_for(self, address: WebAddress) -> urllib3.PoolManager:
        """Return the pools through which an address is reached."""
        proxy = proxy_for(address)
        if not proxy:
            return self._straight
        if proxy not in self._proxied:
            made = urllib3.ProxyManager(proxy, ssl_context=self._context)
            self._proxied[proxy] = self._configured(made)
        return self._proxied[proxy]

    def _configured(self, manager: urllib3.PoolManager) -> urllib3.PoolManager:
        manager.pool_classes_by_scheme = dict(self._classes)
        return manager

    def close(self) -> None:
        """Close every connection."""
        for manager in (self._straight, *self._proxied.values()):
            manager.clear()


def _pool_classes(watch: Watch) -> dict[str, type[HTTPConnectionPool]]:
    class Http(HTTPConnection):
        def _new_conn(self) -> socket.socket:
            connected = super()._new_conn()
            watch.add(connected)
            return connected

    class Https(HTTPSConnection):
        def _new_conn(self) -> socket.socket:
            connected = super()._new_conn()
            watch.add(connected)
            return connected

        def connect(self) -> None:
            super().connect()
            if self.sock is not None:
                watch.add(self.sock)  # TLS has put another object around the descriptor

    class HttpPool(HTTPConnectionPool):
        ConnectionCls = Http

    class HttpsPool(HTTPSConnectionPool):
        ConnectionCls = Https

    return {"http": HttpPool, "https": HttpsPool}
