"""Commands that keep the Python environment in step with the extensions: one module per command."""
