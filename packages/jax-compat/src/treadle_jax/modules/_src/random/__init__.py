"""Names of `jax._src.random` that no public module has: those that pickles of keys need."""

from __future__ import annotations

from typing import NoReturn

from treadle.errors import UnsupportedError


def part_of_generator(*_: object) -> NoReturn:
    """Stands for a function of a generator, which JAX's pickles of keys name and nobody calls."""
    raise UnsupportedError(
        "the functions that JAX's generators are made of are not there one by one",
        fix="use the functions of jax.random, with a key of that generator",
    )
