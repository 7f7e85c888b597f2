"""Running: topologies, programs in them, who may meet them again, and their removal."""
