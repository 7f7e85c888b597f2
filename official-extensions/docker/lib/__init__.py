"""The parts of the Docker extension; authors use what ``extension.py`` exports."""
