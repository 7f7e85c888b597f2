"""The extension manager, the runtime that loads what it installed, and the ``harnest`` command.

The manager (``manager``) reads, checks, resolves, copies and records packages and never executes
anything of them. The runtime (``runtime``) is the only place that executes extension code.
"""
