"""A primitive of a user's, with rules registered from outside of all packages, under every transformation.

`docs/tour/6_operations.py` is the chapter about it; this is about another one, which is not linear and has two results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle_autodiff import jvp_rule, transpose_rules
from treadle_autodiff.checks import checked_rules as checked_derivatives
from treadle_batching.checks import checked_rules as checked_batches
from treadle_compiler import lowering_rule
from treadle_ir import (
    ArrayType,
    DTypeError,
    Elementwise,
    MissingRuleError,
    Primitive,
    Type,
    bind,
    interpret,
    ops,
    register,
    stage,
)
from treadle_ir.core.equality import equal_programs
from treadle_ir.process import frozen
from treadle_ir.reference import eval_rule
from treadle_ir.text import parse_program, print_program

F32 = ArrayType((3,), np.dtype("f4"))
X = np.array([0.5, -1.0, 2.0], np.float32)


@register
@final
@frozen
class Wave(Elementwise):
    """`sin(k x)` and `cos(k x)`."""

    name: ClassVar[str] = "test_wave"
    k: float

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        (x,) = operands
        if not isinstance(x, ArrayType) or x.dtype.kind != "f":
            raise DTypeError(f"wave: the operand is {x}, but must be floating")
        return x, x


@eval_rule(Wave)
def wave_eval(primitive: Wave, x: Any) -> list[Any]:
    k = x.dtype.type(primitive.k)
    return [np.sin(k * x), np.cos(k * x)]


@lowering_rule(Wave)
def wave_lowering(context: Any, primitive: Wave, x: Any, /) -> Sequence[Any]:
    scale = context.constant(primitive.k, x.type)
    angle = context.one("stablehlo.multiply", [x, scale], x.type)
    return [context.one(f"stablehlo.{name}", [angle], x.type) for name in ("sine", "cosine")]


@jvp_rule(Wave)
def wave_jvp(primitive: Wave, primals: Any, tangents: Any, /) -> tuple[Any, Any]:
    (x,), (dx,) = primals, tangents
    sine, cosine = bind(primitive, x)
    k = np.asarray(primitive.k, x.dtype)[()]
    angle = ops.multiply(k, dx)
    return [sine, cosine], [ops.multiply(cosine, angle), ops.negate(ops.multiply(sine, angle))]


transpose_rules.absent(Wave, because="it is not linear")


def wave(x: Any, k: float = 2.0) -> Any:
    sine, cosine = bind(Wave(k), tnp.asarray(x))
    return sine * cosine  # sin(2 k x) / 2


def truth(x: Any) -> Any:
    return np.sin(4 * x) / 2


@pytest.fixture(autouse=True, name="checked")
def _checked() -> Any:
    with checked_derivatives(), checked_batches():
        yield


def test_values_and_derivatives() -> None:
    slope = 2 * np.cos(4 * X)
    for transform in (lambda f: f, treadle.jit):
        function = transform(wave)
        np.testing.assert_allclose(function(X), truth(X), rtol=1e-5)
        gradient = treadle.grad(lambda x, f=function: f(x).sum())
        np.testing.assert_allclose(gradient(X), slope, rtol=1e-5)
        np.testing.assert_allclose(transform(treadle.vmap(treadle.grad(wave)))(X), slope, rtol=1e-5)
        hessian = transform(treadle.hessian(lambda x: wave(x).sum()))(X)
        np.testing.assert_allclose(hessian, np.diag(-8 * np.sin(4 * X)), rtol=1e-4, atol=1e-5)


def test_in_loops_branches_and_calls() -> None:
    def steps(x: Any) -> Any:
        def body(c: Any, _: None) -> Any:
            c = lax.cond(c.sum() > 0, wave, lambda c: c - wave(c), c)
            return treadle.checkpoint(wave)(c) + c, None

        return lax.scan(body, x, None, length=3)[0].sum()

    gradient = treadle.jit(treadle.grad(steps))(X)
    step = np.float32(1e-3)
    directions = [(steps(X + step * e) - steps(X - step * e)) / (2 * step) for e in np.eye(3)]
    np.testing.assert_allclose(gradient, directions, rtol=2e-2, atol=2e-2)
    batch = np.stack([X, 2 * X])
    expected = [treadle.grad(steps)(x) for x in batch]
    np.testing.assert_allclose(treadle.vmap(treadle.grad(steps))(batch), expected, rtol=1e-4)


def test_its_text_is_read_back() -> None:
    program = stage(lambda x: list(bind(Wave(1.5), x)), F32).program
    text = print_program(program)
    assert "test_wave %0 {k=1.5}" in text
    again = parse_program(text)
    assert equal_programs(again, program)
    for found, right in zip(interpret(again, X), bind(Wave(1.5), X), strict=True):
        np.testing.assert_array_equal(found, right)
    assert "test_wave" in str(treadle.make_jaxpr(wave)(X))


def test_equal_attributes_share_a_compiled_call() -> None:
    runs = []

    @treadle.jit
    def function(x: Any) -> Any:
        runs.append(0)
        return wave(x)

    for _ in range(3):
        function(X)
    assert len(runs) == 1


def test_errors_are_its_own() -> None:
    with pytest.raises(DTypeError, match="the operand is i32"):
        wave(np.arange(3, dtype=np.int32))
    with pytest.raises(DTypeError, match="the operand is i32"):
        treadle.jit(wave)(np.arange(3, dtype=np.int32))


def test_missing_rules_say_where_they_go() -> None:
    @final
    @frozen
    class Bare(Primitive):
        name: ClassVar[str] = "test_bare"

        def infer(self, *operands: Type) -> tuple[Type, ...]:
            return operands

    def bare(x: Any) -> Any:
        return bind(Bare(), x)[0]

    x = tnp.asarray(X)
    for run, decorator in (
        (lambda: treadle.jit(bare)(x), "@lowering_rule(Bare)"),
        (lambda: treadle.vmap(bare)(x), "@batch_rule(Bare)"),
        (lambda: treadle.jvp(bare, (x,), (x,)), "@jvp_rule(Bare)"),
    ):
        with pytest.raises(MissingRuleError) as raised:
            run()
        assert any(decorator in note for note in raised.value.__notes__), decorator
