from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import treadle.numpy as tnp
from treadle.experimental.jet import def_comp, def_deriv, deflinear, defzero, jet
from treadle_ir import MissingRuleError, Primitive, Type, bind, eval_rule


class Mine(Primitive):
    def infer(self, *operands: Type) -> tuple[Type, ...]:
        return operands


@dataclass(frozen=True)
class Twice(Mine):
    name: ClassVar[str] = "jet_twice"


@dataclass(frozen=True)
class Fourth(Mine):
    name: ClassVar[str] = "jet_fourth"


@dataclass(frozen=True)
class Wave(Mine):
    name: ClassVar[str] = "jet_wave"


@dataclass(frozen=True)
class Rounded(Mine):
    name: ClassVar[str] = "jet_rounded"


@dataclass(frozen=True)
class Unknown(Mine):
    name: ClassVar[str] = "jet_unknown"


for _cls, _kernel in {
    Twice: lambda x: 2 * x,
    Fourth: lambda x: x**4,
    Wave: np.sin,
    Rounded: np.round,
    Unknown: np.exp,
}.items():
    eval_rule(_cls)(lambda primitive, x, kernel=_kernel: (np.asarray(kernel(x), x.dtype),))

deflinear(Twice)
def_deriv(Wave, tnp.cos)
def_comp(Fourth, lambda x: x * x * x * x)
defzero(Rounded)


@pytest.mark.parametrize(
    ("cls", "expected"),
    [
        (Twice, [2, 0, 0]),
        (Fourth, [32, 48, 48]),
        (Wave, [np.cos(2), -np.sin(2), -np.cos(2)]),
        (Rounded, [0, 0, 0]),
    ],
)
def test_primitives_of_the_user_s_own(cls: Any, expected: Any) -> None:
    _, found = jet(lambda x: bind(cls(), x)[0], (tnp.float32(2.0),), ((1.0, 0.0, 0.0),))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_primitive_without_any_derivative_is_named() -> None:
    with pytest.raises(MissingRuleError, match="jet_unknown has no jvp rule"):
        jet(lambda x: bind(Unknown(), x)[0], (tnp.float32(2.0),), ((1.0,),))
