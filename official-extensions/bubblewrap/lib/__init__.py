"""The parts of the bubblewrap extension; what agents use is exported by ``extension.py``."""
