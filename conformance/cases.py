"""The examples that a law is about, as pytest parameters."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from treadle_ir import (
    ArrayType,
    Operand,
    Operands,
    Primitive,
    ReferenceEvaluator,
    Type,
    bind,
    evaluating,
    stage,
)
from treadle_ir.core import dtypes
from treadle_ir.testing.examples import Example, all_examples

FAMILY = os.environ.get("TREADLE_CONFORMANCE_FAMILY", "")  # one family only, while working on it


def examples(of: Callable[[Example], bool] = lambda example: True) -> list[Any]:
    """All examples of which something holds, each under its name."""
    return [pytest.param(example, id=example.id) for example in chosen() if of(example)]


def together(of: Callable[[Example], bool], most: int) -> list[Any]:
    """The examples of which something holds, up to so many of one operation as one parameter `several`."""
    found: dict[type[Primitive], list[Example]] = {}
    for example in filter(of, chosen()):
        found.setdefault(type(example.primitive), []).append(example)
    return [
        pytest.param(tuple(members[first : first + most]), id=f"{cls.name}-{first}")
        for cls, members in found.items()
        for first in range(0, len(members), most)
    ]


def chosen() -> Iterator[Example]:
    """Yield all examples, or the examples of the families that the environment names."""
    families = FAMILY.split(",") if FAMILY else None
    for example in all_examples():
        family = type(example.primitive).__module__.split(".")[2]
        if families is None or family in families:
            yield example


def program_text(example: Example) -> str:
    """The example as a program, to be shown with a failure: its text, or what it would be where it has none."""
    staged = stage(lambda *xs: bind(example.primitive, *xs), *example.types)
    return f"program:\n{staged.program}"


def inexact(type: Type) -> bool:
    """Return whether `type` is an array type that can be differentiated."""
    return isinstance(type, ArrayType) and dtypes.is_inexact(type.dtype)


def result_types(example: Example) -> tuple[Type, ...]:
    return example.primitive.infer(*example.types)


def is_differentiable(example: Example) -> bool:
    """Return whether an operand and a result of `example` have tangents."""
    return any(map(inexact, example.types)) and any(map(inexact, result_types(example)))


def is_double(example: Example) -> bool:
    """Return whether all differentiable operands and results are in double precision, as finite differences need."""
    types = [type for type in (*example.types, *result_types(example)) if inexact(type)]
    return all(
        dtypes.real_part(type.dtype) == np.float64 for type in types if isinstance(type, ArrayType)
    )


def is_finite(example: Example) -> bool:
    """Return whether operands and results are free of NaN and infinities.

    Sums and pairings of derivatives need that: where a derivative is infinite or NaN, terms that cancel or vanish
    on one side (0 · inf, inf - inf) are NaN on the other. test_completeness sees that each primitive is tried.
    """
    operands = example.operands()
    with evaluating(ReferenceEvaluator()):
        arrays = [np.asarray(x) for x in (*operands, *bind(example.primitive, *operands))]
    wide = [x.astype(np.complex128) for x in arrays if dtypes.is_inexact(x.dtype)]
    return all(bool(np.all(np.isfinite(x))) for x in wide)


class Differentiated:
    """An example as a function of its inexact operands alone, returning its inexact results alone."""

    def __init__(self, example: Example, seed: int = 0) -> None:
        self.example = example
        self.operands = example.operands(seed)
        self.places = [i for i, type in enumerate(example.types) if inexact(type)]
        self.kept = [i for i, type in enumerate(result_types(example)) if inexact(type)]

    @property
    def primals(self) -> list[Operand]:
        return [self.operands[i] for i in self.places]

    def __call__(self, *primals: Operand) -> Operands:
        operands = list(self.operands)
        for place, primal in zip(self.places, primals, strict=True):
            operands[place] = primal
        results = bind(self.example.primitive, *operands)
        return [results[i] for i in self.kept]

    def directions(self, seed: int) -> list[np.ndarray[Any, np.dtype[Any]]]:
        """A random tangent for each primal."""
        return [direction(np.asarray(primal), seed + i) for i, primal in enumerate(self.primals)]


def direction(like: np.ndarray[Any, np.dtype[Any]], seed: int) -> np.ndarray[Any, np.dtype[Any]]:
    """A random array of the shape and element type of another."""
    random = np.random.default_rng(seed)
    drawn = random.uniform(-1, 1, like.shape)
    if dtypes.is_complex(like.dtype):
        return np.asarray(drawn + 1j * random.uniform(-1, 1, like.shape)).astype(like.dtype)
    return np.asarray(drawn).astype(like.dtype)
