"""What a sandbox may do: its policy document and the secrets that its programs can use."""
