"""Workspaces: commands and Python in containers that see one folder of the host."""
