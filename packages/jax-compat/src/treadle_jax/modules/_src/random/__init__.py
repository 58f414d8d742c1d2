"""Names of `jax._src.random` that no public module has: those that pickles of keys need, and evermore's annotations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn, TypeAlias

from treadle.errors import UnsupportedError

Shape: TypeAlias = Sequence[int]


def part_of_generator(*_: object) -> NoReturn:
    """Stands for a function of a generator, which JAX's pickles of keys name, and which is never called."""
    raise UnsupportedError(
        "the functions that JAX's generators are made of are not there one by one",
        fix="use the functions of jax.random, with a key of that generator",
    )
