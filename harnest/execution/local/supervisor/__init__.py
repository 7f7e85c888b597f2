"""The process between the host and a program: it starts the program and ends all that came of it.

``system``, ``family``, ``program`` and ``main`` are sent to the sandbox's interpreter (Python 3.8
or newer) and run there on their own, so they import nothing but each other and the standard
library, and of that only what is cheap: the start of an execution waits for every import.
``bundle`` and the host's own use of ``family`` are this side.

The supervisor is a *child subreaper*: whatever a program leaves behind, also in a session of its
own, becomes its child and is killed before the outcome is reported. It forks the program instead
of starting a second interpreter, which would double the time of a short run.
"""
