"""Commands that make and host catalogs of extension releases: one module per command."""
