"""PID 1 of every sandbox container, and the words it exchanges with the host.

The modules named in ``bundle.SHIPPED`` run *inside* the container as one program given on the command
line; they use nothing but the standard library of Python 3.8 and later. ``bundle`` and ``stream`` are
the host's side.
"""
