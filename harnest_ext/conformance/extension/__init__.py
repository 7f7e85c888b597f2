"""The checks of the extension suite."""
