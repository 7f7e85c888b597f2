"""``python -m harnest_ext``: the same as the ``harnest`` command."""

from harnest_ext.cli.main import main

if __name__ == "__main__":
    main()
