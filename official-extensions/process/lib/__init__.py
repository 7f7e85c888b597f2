"""The parts of the process extension; what agents use is exported by ``extension.py``."""
