"""What stands behind the OpenShell extension."""
