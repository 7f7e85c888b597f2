"""Commands that use the sandboxes an agent project declares: one module per command."""
