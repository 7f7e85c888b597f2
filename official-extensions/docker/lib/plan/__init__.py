"""Plans: from a declaration to the exact options that the daemon gets. Pure: nothing here talks to it."""
