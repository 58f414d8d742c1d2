"""The same answers as JAX's, which runs as a black box in a process of its own.

Run by `nox -s parity`. Not part of the conformance session: it needs jax, which is imported together with treadle
only in the test of that combination.
"""
