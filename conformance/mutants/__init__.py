"""Faults injected on purpose: what the tests find of them. `python -m conformance.mutants --help`."""
