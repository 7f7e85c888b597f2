"""The order of the steps of every command: read, choose, check, copy, record."""
