"""What an author runs against an extension and against a provider of sandboxes."""
