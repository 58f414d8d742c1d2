"""Random programs over the public functions, run in many ways that must agree."""
