"""How far formulas are from the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from treadle_ir.formulas import Plain
from treadle_ir.reference.special.engine import HostEngine

Errors = Callable[..., np.ndarray]


def through_double(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of float64 as one of float32: computed in float64, and rounded once."""
    return lambda *xs: function(*[x.astype(np.float64) for x in xs]).astype(np.float32)


class SingleEngine(HostEngine):
    """Compute in float32, as compiled programs do on accelerators."""

    double: bool = False
    functions: Mapping[str, Callable[..., Any]] = MappingProxyType(
        {
            name: through_double(function)
            if name in ("digamma", "erf", "erfc", "lgamma", "polygamma")
            else function
            for name, function in HostEngine.functions.items()
        }
    )

    def constant(self, value: float) -> Any:
        return np.float32(value)

    def full(self, value: float) -> Any:
        return np.full(self.shape, value, np.float32)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Ignore overflow, as the evaluator does, since it occurs in numbers that are not selected."""
    with np.errstate(all="ignore"):
        yield


@pytest.fixture(scope="session")
def errors() -> Errors:
    """Relative errors in units of the last place of a formula in float64, or in float32."""

    def found(formula: Any, truth: Any, *operands: Any, dtype: Any = np.float64) -> np.ndarray:
        xs = [np.asarray(x, dtype) for x in operands]
        kind = HostEngine if dtype == np.float64 else SingleEngine
        engine = kind(xs[0].shape, False)
        values = formula(*[Plain(engine, x) for x in xs]).plain.value
        assert values.dtype == dtype
        apart = []
        with mp.workdps(40):
            for value, *point in zip(np.asarray(values).astype(float), *xs, strict=True):
                true = truth(*[mp.mpf(float(x)) for x in point])
                apart.append(float(abs((mp.mpf(float(value)) - true) / true)))
        return np.array(apart) / np.finfo(dtype).eps

    return found
