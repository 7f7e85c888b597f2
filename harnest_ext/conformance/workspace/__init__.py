"""The checks of the workspace suite, a module for each group."""
