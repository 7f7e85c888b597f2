"""What people who build agents and extensions import.

The public contract lives here in full: :mod:`harnest.sandbox`, :mod:`harnest.extensions`,
:mod:`harnest.context` and their support modules. Importing this package imports none of them.
"""

from harnest._namespace import install as _install

__version__ = "1.0.0"

__all__ = ["__version__"]

_install()
