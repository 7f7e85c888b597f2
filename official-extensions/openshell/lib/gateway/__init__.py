"""The border to the gateway: a port in plain types, and its one implementation on the SDK."""
