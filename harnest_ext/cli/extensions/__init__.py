"""Commands that manage an agent project's extensions: one module per command."""
