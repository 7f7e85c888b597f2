"""Whether a name is that of an ordinary Python package, as far as that can be told on the spot.

Who types ``harnest extensions install requests`` is helped by being told where that belongs, even
when no index is at hand.
"""

from __future__ import annotations

import sys
from importlib import metadata

from harnest_ext.identity import normalized

__all__ = ["is_ordinary"]

_OFTEN_MEANT = frozenset({
    "aiohttp", "anthropic", "boto3", "click", "cryptography", "django", "fastapi", "flask",
    "google-adk", "httpx", "jinja2", "langchain", "langchain-core", "langgraph", "litellm",
    "llama-index", "matplotlib", "mcp", "numpy", "openai", "packaging", "pandas", "pillow",
    "playwright", "psycopg", "pydantic", "pytest", "pyyaml", "redis", "requests", "rich",
    "scikit-learn", "scipy", "setuptools", "six", "sqlalchemy", "tensorflow", "torch",
    "transformers", "urllib3", "uvicorn", "wheel",
})  # fmt: skip
"""Packages of agents' daily life; a convenience alone, nothing is decided by it."""


def is_ordinary(name: str) -> bool:
    """Return whether ``name`` is known to be an ordinary Python package, without the network.

    Args:
        name: A project name in any PEP 503 spelling.
    """
    plain = normalized(name)
    return plain in _OFTEN_MEANT or plain in sys.stdlib_module_names or _installed(plain)


def _installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except (metadata.PackageNotFoundError, ValueError, OSError):
        return False
    return True
