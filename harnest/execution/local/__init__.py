"""Building blocks for tiers whose programs are processes of this host."""
