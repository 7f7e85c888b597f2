"""The only place that executes extension code: importing, life cycle, invocations, sandboxes."""
