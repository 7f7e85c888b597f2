"""Tools for agent frameworks; each module imports its framework, so import it when it is used."""
