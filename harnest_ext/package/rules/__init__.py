"""The rules of packages, as documented objects: one module per part of a package."""
