"""How far formulas are from the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from treadle_ir import ArrayType, ReferenceEvaluator, evaluating, interpret
from treadle_ir.formulas import program_of
from treadle_ir.formulas.host import evaluated

Errors = Callable[..., np.ndarray]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """What is not selected may overflow, as under the evaluator."""
    with np.errstate(all="ignore"):
        yield


@pytest.fixture(scope="session")
def errors() -> Errors:
    """Relative errors in units of the last place: of a formula on NumPy's arrays, or of its program in a type."""

    def found(formula: Any, truth: Any, *operands: Any, dtype: Any = np.float64) -> np.ndarray:
        xs = [np.asarray(x, dtype) for x in operands]
        if dtype == np.float64:
            values: Any = evaluated(formula, *xs)
        else:
            program = program_of(formula, len(xs), ArrayType(xs[0].shape, xs[0].dtype))
            with evaluating(ReferenceEvaluator()):
                (values,) = interpret(program, *xs)
        apart = []
        with mp.workdps(40):
            for value, *point in zip(np.asarray(values).astype(float), *xs, strict=True):
                true = truth(*[mp.mpf(float(x)) for x in point])
                apart.append(float(abs((mp.mpf(float(value)) - true) / true)))
        return np.array(apart) / np.finfo(dtype).eps

    return found
