"""The same answers as JAX's, which runs as a black box in a process of its own.

Run by `nox -s parity`. Not part of the conformance session: it needs jax, which is never imported beside treadle but
in the one test that is about that.
"""
