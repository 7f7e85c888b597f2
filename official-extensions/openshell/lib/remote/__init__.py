"""Commands inside of a sandbox: started, watched, and ended with everything that they started."""
