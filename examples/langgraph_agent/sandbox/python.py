"""The sandbox `python`: each program runs in a process of its own on this machine.

That bounds time, output and resources; it is no security boundary. For code you don't trust, take
the docker extension: the agent stays as it is, only this file changes.
"""

from harnest.extensions.process import process

python = process.sandbox(timeout_seconds=10, max_output_bytes=65_536)
