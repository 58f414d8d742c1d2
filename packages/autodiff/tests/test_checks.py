"""Wrong rules are caught, each kind by its own check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import pytest

from treadle_autodiff import (
    jvp,
    jvp_rule,
    linear_transpose,
    linearize,
    linearize_rule,
    transpose_rule,
)
from treadle_ir import Operand, Primitive, Type, bind, eval_rule, ops


@final
@dataclass(frozen=True, slots=True)
class Same(Primitive):
    """Its operand; `wrong` says what its rules get wrong."""

    name: ClassVar[str] = "test_checks_same"
    wrong: str

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The operand's type."""
        return operands


@final
@dataclass(frozen=True, slots=True)
class Linearized(Primitive):
    """The same with a linearize rule."""

    name: ClassVar[str] = "test_checks_linearized"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """The operand's type."""
        return operands


def doubled(x: Any) -> Operand:
    return ops.concatenate([x, x], dimension=0)


@eval_rule(Same)
def same_eval(primitive: Same, x: Any) -> Sequence[Any]:
    return [x]


@jvp_rule(Same)
def same_jvp(primitive: Same, primals: Any, tangents: Any, /) -> Any:
    if primitive.wrong == "result":
        return [doubled(primals[0])], [doubled(tangents[0])]
    if primitive.wrong == "tangent":
        return bind(primitive, *primals), [doubled(tangents[0])]
    return bind(primitive, *primals), bind(primitive, *tangents)


@transpose_rule(Same)
def same_transpose(primitive: Same, cotangents: Any, operands: Any, /) -> Any:
    return [None] if primitive.wrong == "nothing" else [doubled(cotangents[0])]


@linearize_rule(Linearized)
def linearized_linearize(primitive: Linearized, primals: Any, nonzero: Any, /) -> Any:
    return primals, lambda tangents: [doubled(tangents[0])]


X = np.ones(3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("result", r"results of the jvp rule are \(f64\[6\]\), but should be \(f64\[3\]\)"),
        ("tangent", r"result tangents of the jvp rule are \(f64\[6\]\)"),
    ],
)
def test_wrong_jvp_rules_are_caught(wrong: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        jvp(lambda x: bind(Same(wrong), x)[0], (X,), (X,))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [("cotangent", r"cotangents of the transpose rule are \(f64\[6\]\)"), ("nothing", "linear")],
)
def test_wrong_transpose_rules_are_caught(wrong: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        linear_transpose(lambda x: bind(Same(wrong), x)[0], X)(X)


def test_wrong_linearize_rules_are_caught() -> None:
    with pytest.raises(AssertionError, match="result tangents of the linearize rule"):
        linearize(lambda x: bind(Linearized(), x)[0], X)
