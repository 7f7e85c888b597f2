"""The parts of the extension; what agents use is exported by ``extension.py``."""
