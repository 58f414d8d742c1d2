"""Functions that combine an array with numbers have the array's weak mark, as on JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle_numpy as tnp
from treadle_ir import ArrayType, stage
from treadle_numpy import lax, nn
from treadle_numpy.arrays.table import install
from treadle_numpy.scipy import special

install()
STRONG = np.float32(2)
OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "set": lambda x: x.at[0, 0].set(2.0),
    "set strong": lambda x: x.at[0].set(STRONG),
    "set by a vector": lambda x: x.at[np.array([0, 1])].set(STRONG),
    "set within": lambda x: x.at[0, :2].set(STRONG),
    "add": lambda x: x.at[0].add(STRONG),
    "min": lambda x: x.at[0, 0].min(STRONG),
    "pad": lambda x: tnp.pad(x, 1),
    "pad strong": lambda x: tnp.pad(x, 1, constant_values=STRONG),
    "pad unequal": lambda x: tnp.pad(x, 1, constant_values=(1, STRONG)),
    "pad edge": lambda x: tnp.pad(x, 1, mode="edge"),
    "pad mean": lambda x: tnp.pad(x, 1, mode="mean"),
    "tril": lambda x: tnp.tril(x),
    "triu": lambda x: tnp.triu(x, 1),
    "diag": lambda x: tnp.diag(x),
    "diag of a vector": lambda x: tnp.diag(x[0]),
    "divide": lambda x: x.at[0].divide(STRONG),
    "power": lambda x: x.at[0].power(STRONG),
    "insert": lambda x: tnp.insert(x, 1, STRONG),
    "gradient": lambda x: tnp.gradient(x, 2.0, axis=0),
    "round": lambda x: tnp.round(x, 1),
    "modf": lambda x: tnp.modf(x)[0],
    "lax.add": lambda x: lax.add(x, 2.0),
    "lax.clamp": lambda x: lax.clamp(0.0, x, 1.0),
    "lax.pow": lambda x: lax.pow(x, 2),
    "lax.log2": lambda x: lax.log2(x),
    "lax.full_like": lambda x: lax.full_like(x, STRONG),
    "lax.reduce": lambda x: lax.reduce(x, 0.0, lax.add, (0,)),
    "lax.reduce_window": lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 1)),
    "interp": lambda x: tnp.interp(x, x[0], x[1]),
    "relu6": lambda x: nn.relu6(x),
    "soft_sign": lambda x: nn.soft_sign(x),
    "log1mexp": lambda x: nn.log1mexp(x),
    "hard_tanh": lambda x: nn.hard_tanh(x),
    "boxcox": lambda x: special.boxcox(x, 2.0),
    "factorial": lambda x: special.factorial(x),
    "loggamma": lambda x: special.loggamma(x),
    "entr": lambda x: special.entr(x),
}
NEVER: dict[str, Callable[[Any], Any]] = {
    "cross": lambda x: tnp.cross(x[0], x[1]),
    "associative_scan": lambda x: lax.associative_scan(lambda a, b: a * b, x),
    "gelu": lambda x: nn.gelu(x),
    "gamma": lambda x: special.gamma(x),
    "dawsn": lambda x: special.dawsn(x),
    "erfcx": lambda x: special.erfcx(x),
    "expi": lambda x: special.expi(x),
    "exp1": lambda x: special.exp1(x),
    "expn": lambda x: special.expn(2, x),
    "fresnel": lambda x: special.fresnel(x)[0],
    "hyp1f1": lambda x: special.hyp1f1(x, x, x),
    "owens_t": lambda x: special.owens_t(x, 2.0),
    "sici": lambda x: special.sici(x)[1],
    "spence": lambda x: special.spence(x),
}


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
@pytest.mark.parametrize("weak", [False, True])
def test_the_mark_is_that_of_the_array(operation: Callable[[Any], Any], weak: bool) -> None:
    type = ArrayType((2, 3), np.dtype(np.float32), weak)
    (made,) = stage(lambda x: [operation(x)], type).program.result_types
    assert isinstance(made, ArrayType)
    assert (made.dtype, made.weak) == (type.dtype, weak)


@pytest.mark.parametrize("operation", NEVER.values(), ids=NEVER)
def test_results_of_these_are_never_weak(operation: Callable[[Any], Any]) -> None:
    type = ArrayType((2, 3), np.dtype(np.float32), True)
    (made,) = stage(lambda x: [operation(x)], type).program.result_types
    assert isinstance(made, ArrayType)
    assert not made.weak


def test_numbers_with_operands_that_are_not_weak_leave_the_mark_off() -> None:
    whole = ArrayType((3,), np.dtype(np.int32), True)
    (made,) = stage(
        lambda x: [lax.pow(x, STRONG)], ArrayType((3,), np.dtype(np.float32), True)
    ).program.result_types
    assert not made.weak  # type: ignore[attr-defined]  # an array's
    (made,) = stage(lambda x: [nn.relu6(x)], whole).program.result_types
    assert (made.dtype, made.weak) == (np.float32, True)  # type: ignore[attr-defined]
