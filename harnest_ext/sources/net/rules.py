"""Rules of the network. Data only."""

from __future__ import annotations

from harnest_ext.rule import Rule

__all__ = [
    "ADDRESS",
    "DEADLINE",
    "DENIED",
    "ENCODING",
    "JSON",
    "OFFLINE",
    "PLACE",
    "PROTOCOL",
    "PROXY",
    "REDIRECTS",
    "SCHEME",
    "SIZE",
    "STATUS",
    "TRUNCATED",
    "UNREACHABLE",
]

ADDRESS = Rule(
    id="network.address",
    kind="registry-protocol",
    why="A URL with control characters or without a host can make one request look like two.",
    example="A URL that holds a line break.",
    fix="Tell whoever runs the source; nothing was asked of that URL.",
)
SCHEME = Rule(
    id="network.scheme",
    kind="registry-policy",
    why="Only https shows who answers; other schemes read files or run programs.",
    example="file:///etc/passwd",
    fix="Use a source that offers its files by https.",
)
PLACE = Rule(
    id="network.place",
    kind="registry-policy",
    why="A public source must not lead a client to services of its own machine or network.",
    example="An index on the internet that names a file on 127.0.0.1.",
    fix="Use a source that serves its files itself or by https.",
)
REDIRECTS = Rule(
    id="network.redirects",
    kind="registry-protocol",
    why="A server that answers with one redirect after another never answers.",
    example="A page that redirects to itself.",
    fix="Check the URL of the source, or tell whoever runs it.",
)
STATUS = Rule(
    id="network.status",
    kind="network",
    why="Only an answer that the server calls good is taken for one.",
    example="503 Service Unavailable",
    fix="Try again later, or use another source.",
)
DENIED = Rule(
    id="network.denied",
    kind="network",
    why="The server asks who is there.",
    example="401 Unauthorized",
    fix="Give the credentials in the URL of the source: https://USER:PASSWORD@HOST/PATH.",
)
UNREACHABLE = Rule(
    id="network.unreachable",
    kind="network",
    why="Nothing is installed from a source that can't be asked.",
    example="A name that does not resolve.",
    fix="Check the connection and the URL; --offline uses what is cached.",
)
PROTOCOL = Rule(
    id="network.protocol",
    kind="registry-protocol",
    why="What does not keep to HTTP can't be told from an answer that somebody has cut or mixed.",
    example="A server that answers with another protocol, or with thousands of headers.",
    fix="Check the URL and its port, or tell whoever runs the server.",
)
PROXY = Rule(
    id="network.proxy",
    kind="network",
    why="The environment names a proxy for this address, and nothing goes round it.",
    example="HTTPS_PROXY names a host that does not listen.",
    fix="Check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY, or name the host in NO_PROXY.",
)
DEADLINE = Rule(
    id="network.deadline",
    kind="network",
    why="A server that sends a byte now and then would hold a command for ever.",
    example="A body that trickles in.",
    fix="Try again later, or use another source.",
)
SIZE = Rule(
    id="network.size",
    kind="too-large",
    why="A body without an end would fill memory or disk.",
    example="An index page of more than 32 MiB.",
    fix="Check the URL of the source, or tell whoever runs it.",
)
TRUNCATED = Rule(
    id="network.truncated",
    kind="network",
    why="Half an answer may say the opposite of the whole one.",
    example="A connection that closes before the announced length.",
    fix="Try again.",
)
ENCODING = Rule(
    id="network.encoding",
    kind="registry-protocol",
    why="A compressed body could grow without bound; none is asked for.",
    example="Content-Encoding: gzip",
    fix="Tell whoever runs the source that plain bodies were asked for.",
)
JSON = Rule(
    id="network.json",
    kind="registry-protocol",
    why="JSON that can be read in two ways, or not at all, can't be trusted.",
    example="A key that stands there twice, NaN, a body cut short, UTF-16.",
    fix="Check the URL of the source, or tell whoever runs it.",
)
OFFLINE = Rule(
    id="network.offline",
    kind="offline",
    why="With --offline nothing is asked over the network.",
    example="A wheel that is not in the cache.",
    fix="Run the command once without --offline, or install a wheel file.",
)
