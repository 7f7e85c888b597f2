"""The checks of the provider suite, one module for each group of promises."""
