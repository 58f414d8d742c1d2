"""Every transformation takes references and views, as arguments and closed over, where JAX 0.12 takes them.

One function is transformed: it doubles what a reference holds and returns the product with a number. The outcomes of
JAX are listed, as they were seen when it ran.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.sharding import PartitionSpec as P
from treadle_ir import TreadleError

Function = Callable[..., Any]
X: Final = np.float32(3)


def doubled(r: Any, x: Any) -> Any:
    r[...] = r[...] * 2
    return tnp.sum(r[...] * x)


def ones() -> Any:
    return treadle.new_ref(np.ones(2, np.float32))


def linearized(f: Function) -> Function:
    def derivative(r: Any, x: Any) -> Any:
        if isinstance(r, np.ndarray):
            return treadle.linearize(lambda x: f(r, x), x)[1](np.float32(1))
        return treadle.linearize(f, r, x)[1](ones(), np.float32(1))

    return derivative


def pushed(f: Function) -> Function:
    def derivative(r: Any, x: Any) -> Any:
        if isinstance(r, np.ndarray):
            return treadle.jvp(lambda x: f(r, x), (x,), (np.float32(1),))[1]
        return treadle.jvp(f, (r, x), (ones(), np.float32(1)))[1]

    return derivative


def pulled(f: Function) -> Function:
    def derivative(r: Any, x: Any) -> Any:
        f_vjp: Any = treadle.vjp(f, r, x)[1]
        if isinstance(r, np.ndarray):
            return f_vjp(np.float32(1))[1]
        total = treadle.new_ref(np.zeros(2, np.float32))
        cotangent = f_vjp.with_refs(total, True)(np.float32(1))[1]
        np.testing.assert_array_equal(total[...], [6, 6])
        return cotangent

    return derivative


def with_jvp(f: Function) -> Function:
    ruled = treadle.custom_jvp(f)
    ruled.defjvp(lambda primals, tangents: (f(*primals), tangents[1]))
    return ruled


def with_vjp(f: Function) -> Function:
    ruled = treadle.custom_vjp(f)
    ruled.defvjp(lambda r, x: (f(r, x), None), lambda _, ct: (None, ct))
    return ruled


def converted(f: Function) -> Function:
    def call(r: Any, x: Any) -> Any:
        function, hoisted = treadle.closure_convert(f, r, x)
        return function(r, x, *hoisted)

    return call


def over_one_device(f: Function) -> Function:
    mesh = treadle.make_mesh((1,), ("i",))
    return treadle.shard_map(f, mesh=mesh, in_specs=P(), out_specs=P())


class Case(NamedTuple):
    """A transformation, and its outcome.

    The outcomes are for a reference as argument, a view as argument, a reference closed over, and a view closed
    over: `v` for a value, `r` for a refusal.
    """

    transformed: Callable[[Function], Function]
    result: tuple[Any, Any]  # with a reference and with a view
    jax: str = "vvvv"
    ours: str = "vvvv"
    times: int = 1  # that the reference is written


def zero(stage: object) -> int:
    """Return 0: a stage of a jitted call is made, and nothing runs."""
    return 0


VALUE: Final = (12, 18)
SLOPE: Final = (4, 6)
TWICE: Final = (96, 216)
CASES: Final[dict[str, Case]] = {
    "jit": Case(treadle.jit, VALUE),
    "trace": Case(lambda f: lambda r, x: zero(treadle.jit(f).trace(r, x)), (0, 0), times=0),
    "lower": Case(lambda f: lambda r, x: zero(treadle.jit(f).lower(r, x)), (0, 0), times=0),
    "lower_and_call": Case(
        lambda f: lambda r, x: treadle.jit(f).lower(r, x).compile()(r, x), VALUE
    ),
    "eval_shape": Case(lambda f: lambda r, x: treadle.eval_shape(f, r, x).size, (1, 1), times=0),
    "jit_eval_shape": Case(
        lambda f: lambda r, x: treadle.jit(f).eval_shape(r, x).size, (1, 1), times=0
    ),
    "make_jaxpr": Case(lambda f: lambda r, x: treadle.make_jaxpr(f)(r, x) and 0, (0, 0), times=0),
    "named_call": Case(treadle.named_call, VALUE),
    "checkpoint": Case(treadle.checkpoint, VALUE),
    "grad": Case(lambda f: treadle.grad(f, 1), SLOPE),
    "jit_grad": Case(lambda f: treadle.jit(treadle.grad(f, 1)), SLOPE),
    "value_and_grad": Case(lambda f: lambda *a: treadle.value_and_grad(f, 1)(*a)[1], SLOPE),
    # JAX writes twice here, when the function is computed again: 8 and 12.
    "grad_of_checkpoint": Case(lambda f: treadle.grad(treadle.checkpoint(f), 1), SLOPE),
    # JAX's own refusal: the loop over directions would write to a reference that is not vectorised.
    "jacfwd": Case(lambda f: treadle.jacfwd(f, 1), SLOPE, jax="rrrr"),
    "jacrev": Case(lambda f: treadle.jacrev(f, 1), SLOPE),
    "hessian": Case(lambda f: treadle.hessian(f, 1), (0, 0), jax="rrrr"),
    "grad_of_the_reference": Case(treadle.grad, ([0, 0], [0, 0]), jax="rrvv", ours="rrvv"),
    "jacrev_of_the_reference": Case(treadle.jacrev, ([0, 0], [0, 0]), jax="rrvv", ours="rrvv"),
    "jvp_by_closing": Case(
        lambda f: lambda r, x: treadle.jvp(lambda x: f(r, x), (x,), (np.float32(1),))[1], SLOPE
    ),
    "jvp_of_both": Case(pushed, (16, 18), jax="vrvv"),
    "linearize_of_both": Case(linearized, (16, 18), jax="vrvv"),
    "vjp_of_both": Case(pulled, SLOPE, jax="vrvv"),
    "vmap_over_both": Case(
        lambda f: lambda r, x: treadle.vmap(f)(r, np.stack([x, x])),
        ([6, 6], [18, 18]),
        jax="vrrr",
        ours="vrvv",
    ),
    "vmap_beside": Case(
        lambda f: lambda r, x: treadle.vmap(f, (None, 0))(r, np.stack([x, x])),
        ([12, 12], [18, 18]),
        jax="rrrr",
    ),
    "cond": Case(lambda f: lambda r, x: lax.cond(True, f, lambda r, x: x, r, x), VALUE),
    "switch": Case(lambda f: lambda r, x: lax.switch(1, [lambda r, x: x, f], r, x), VALUE),
    "scan_of_a_carry": Case(
        lambda f: (
            lambda r, x: lax.scan(lambda c, _: ((c[0], f(*c)), None), (r, x), None, length=2)[0][1]
        ),
        TWICE,
        jax="rrvv",
        ours="rrvv",
        times=2,
    ),
    "fori_loop": Case(
        lambda f: lambda r, x: lax.fori_loop(0, 2, lambda _, c: (c[0], f(*c)), (r, x))[1],
        TWICE,
        jax="rrvv",
        ours="rrvv",
        times=2,
    ),
    "while_loop": Case(
        lambda f: (
            lambda r, x: lax.while_loop(lambda c: c[1] < 5, lambda c: (c[0], f(*c)), (r, x))[1]
        ),
        VALUE,
        jax="rrvv",
        ours="rrvv",
    ),
    "custom_jvp": Case(with_jvp, VALUE, jax="vrvv", ours="vrvv"),
    "custom_vjp": Case(with_vjp, VALUE, jax="vrvv", ours="vrvv"),
    "grad_of_custom_jvp": Case(
        lambda f: treadle.grad(with_jvp(f), 1), (1, 1), jax="vrvv", ours="vrvv"
    ),
    "grad_of_custom_vjp": Case(
        lambda f: treadle.grad(with_vjp(f), 1), (1, 1), jax="vrvv", ours="vrvv"
    ),
    "jit_of_shard_map": Case(
        lambda f: treadle.jit(over_one_device(f)), VALUE, jax="vvrr", ours="vvrr"
    ),
    "closure_convert": Case(converted, VALUE, jax="vrvv"),
    "linear_transpose": Case(
        lambda f: lambda r, x: treadle.linear_transpose(lambda x: f(r, x), x)(np.float32(1))[0],
        SLOPE,
    ),
    "export": Case(
        lambda f: lambda r, x: treadle.export.export(treadle.jit(f))(r, x),
        (0, 0),
        jax="rrrr",
        ours="rrrr",
    ),
}
HOWS: Final = ("argument", "argument_view", "closed", "closed_view")


def test_what_jax_takes_is_taken() -> None:
    missing = {
        name
        for name, case in CASES.items()
        if any(one == "v" != other for one, other in zip(case.jax, case.ours, strict=True))
    }
    assert not missing


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("name", CASES)
def test_transformations_take_references(name: str, how: str) -> None:
    case, number = CASES[name], HOWS.index(how)
    of_view, closed = how.endswith("view"), how.startswith("closed")
    start = np.arange(4, dtype=np.float32) if of_view else np.ones(2, np.float32)
    ref = treadle.new_ref(start)
    given: Any = ref.at[1:3] if of_view else ref

    def function(_: Any, x: Any) -> Any:
        return doubled(given, x)

    def run() -> Any:
        if closed:
            return case.transformed(function)(np.ones(2, np.float32), X)
        return case.transformed(doubled)(given, X)

    if case.ours[number] == "r":
        with pytest.raises(TreadleError, match=r"(?s)reference.*fix:"):
            run()
        np.testing.assert_array_equal(ref[...], start)
        return
    slope_alone = closed and name in {"jvp_of_both", "linearize_of_both"}
    wanted = (SLOPE if slope_alone else case.result)[of_view]
    if closed and name == "vmap_over_both":
        wanted = CASES["vmap_beside"].result[of_view]
    np.testing.assert_array_equal(run(), wanted)
    written = start.copy()
    written[1 if of_view else 0 : 3] *= 2**case.times
    np.testing.assert_array_equal(ref[...], written)
