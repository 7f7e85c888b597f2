"""The ``harnest`` command: arguments to manager or runtime to text or JSON, and exit codes.

Nothing is imported here: the frame (``main``, ``lazy``, ``options``, ``output``, ``failure``) knows
no command, and each command's module is imported when that command runs.
"""
