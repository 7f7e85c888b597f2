"""A project's files: into the sandbox, and what changed there back."""
