"""A gateway of this host for tests: the SDK's own service with real limits and containers."""
