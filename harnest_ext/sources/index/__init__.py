"""The package index: its pages (PEP 691 and PEP 503), its configuration, its releases."""
