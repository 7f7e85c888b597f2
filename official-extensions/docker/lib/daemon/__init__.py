"""The Docker daemon as a port, and the one adapter that knows its SDK."""
