"""The parts of the seatbelt extension; what agents use is exported by ``extension.py``."""
