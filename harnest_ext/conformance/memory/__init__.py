"""The shipped test double: a provider whose programs run in memory."""
