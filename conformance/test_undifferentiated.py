"""Arguments without a requested derivative: tracers that can still be used as Python values.

`grad` makes tracers of all positional arguments but Python's integers. An argument that is not differentiated
represents what the user passed: it has no derivative, so wherever Python asks for a value it gives that value. The
truth is the same function with the argument bound beforehand.
"""

from __future__ import annotations

import cmath
import copy
import functools
import json
import math
import operator
import pickle
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import Array, lax
from treadle.errors import ConcretizationError
from treadle_ir import evaluating
from treadle_ir.core import dtypes
from treadle_runtime import RuntimeEvaluator

X: Final = np.array([0.5, -1.5, 2.25, 1.0], np.float32)
DX: Final = np.array([1.0, 0.5, -2.0, 0.25], np.float32)
Program = Callable[..., Any]  # of an array, the argument, and a list for the values that Python saw


@pytest.fixture(autouse=True)
def on_the_runtime(on_the_reference_evaluator: None) -> Iterator[None]:
    """These programs are a user's: they run as the facade runs them."""
    with evaluating(RuntimeEvaluator()), treadle.enable_x64(False):
        yield


@functools.partial(treadle.custom_jvp, nondiff_argnums=(1,))
def own_forward(x: Any, n: Any) -> Any:
    return x * n


@own_forward.defjvp
def _own_forward_jvp(n: Any, primals: Any, tangents: Any) -> Any:
    assert not isinstance(n, Array)  # what the user passed
    return primals[0] * n, tangents[0] * (3 * n)


@functools.partial(treadle.custom_vjp, nondiff_argnums=(1,))
def own_backward(x: Any, n: Any) -> Any:
    return x * n


own_backward.defvjp(lambda x, n: (x * n, None), lambda n, _, ct: (ct * (5 * n),))


@treadle.custom_jvp
def own_of_both(x: Any, n: Any) -> Any:
    return x * n


@own_of_both.defjvp
def _own_of_both_jvp(primals: Any, tangents: Any) -> Any:
    return primals[0] * primals[1], tangents[0] * primals[1] * 7


def power(x: Any, n: Any) -> Any:
    for _ in range(n):
        x = x * x
    return x


class Steps:
    """A user's object that has the argument for an attribute."""

    def __init__(self, n: Any) -> None:
        self.n = n

    def __call__(self, x: Any) -> Any:
        return power(x, self.n)


def counted(x: Any, n: Any, saw: list[Any]) -> Any:
    total = x.sum() * 0
    for i in range(n):
        total = total + x[i] * (i + 1)
    saw += [list(range(n)), len(range(n)), [10, 20, 30][n], "abc"[n], operator.index(n), hex(n)]
    return total


def looked_up(x: Any, n: Any, saw: list[Any]) -> Any:
    table = {2: 3.0, 4: 5.0}
    saw += [hash(n), n in table, {n: "key"}[2], {2: "value"}[n], n in {1, 2}, len({n, 2})]
    return (x * table[n]).sum()


def compared(x: Any, n: Any, saw: list[Any]) -> Any:
    saw += [bool(n == 2), bool(n != 2), bool(n < 3), bool(n >= 2.5), not n, 1 < n < 9, bool(n)]
    saw += [n in [1, 2], max(1, n) == 2, sorted([3, n, 1]) == [1, 2, 3]]
    if n > 1 and n == 2:
        return (x * x).sum()
    return x.sum()


def to_numpy(x: Any, n: Any, saw: list[Any]) -> Any:
    saw += [np.asarray(n).item(), np.arange(4)[n].item(), np.sin(n).item(), np.zeros(n).shape]
    saw += [np.full(n, 1.0).tolist(), np.array([n, 1]).tolist(), np.float32(n).item()]
    return (x * np.asarray(n)).sum()


def shapes(x: Any, n: Any, saw: list[Any]) -> Any:
    parts = [tnp.zeros(n), tnp.ones((n, 1)), tnp.full((1, n), 2.0), tnp.eye(n), tnp.arange(n)]
    parts += [x.reshape(n, -1), x.reshape((n, n)), tnp.tile(x, n), tnp.repeat(x, n), x[:n], x[n:]]
    parts += [tnp.broadcast_to(x, (n, 4)), tnp.linspace(0, 1, n), lax.iota("int32", n), x[::n]]
    parts += [tnp.split(x, n)[0], treadle.nn.one_hot(tnp.array([0, 1]), n), tnp.roll(x, n)]
    parts += [lax.dynamic_slice(x, (n,), (n,)), lax.dynamic_index_in_dim(x, n), x.at[n].set(0)]
    saw += [part.shape for part in parts]
    return sum((part * 1.0).sum() for part in parts)


def text(x: Any, n: Any, saw: list[Any]) -> Any:
    saw += [f"{n:d}", f"{n:5.2f}", f"{n}", str(n), f"{n:>4}", "%d %s" % (n, n)]  # noqa: UP031
    saw += ["{:03d}".format(n)]  # noqa: UP032
    saw += [json.dumps({"n": n}, default=operator.index), {"layer2": "name"}[f"layer{n}"]]
    return (x * n).sum()


def mathematics(x: Any, n: Any, saw: list[Any]) -> Any:
    saw += [math.sqrt(n), math.exp(n), math.floor(n), math.ceil(n), math.trunc(n), math.gcd(n, 4)]
    saw += [
        math.factorial(n),
        math.comb(4, n),
        cmath.exp(n),
        Fraction(1, 3) ** int(n),
        round(n) == 2,
    ]
    saw += [
        int(n),
        float(n),
        complex(n),
        bytes(n),
        [0] * n,
        n * [0],
        (1,) * n,
        "a" * n,
        2 ** int(n),
    ]
    saw += [math.isclose(n, 2.0), math.fsum([n, 1]), divmod(int(n), 2), pow(3, int(n))]
    return (x * math.sqrt(n)).sum()


def copied(x: Any, n: Any, saw: list[Any]) -> Any:
    saw += [
        int(copy.copy(n)),
        int(copy.deepcopy({"n": n})["n"]),
        pickle.loads(pickle.dumps(n)) == 2,
    ]
    return (x * n).sum()


def static(x: Any, n: Any, saw: list[Any]) -> Any:
    one = treadle.jit(power, static_argnums=1)(x, n)
    two = treadle.jit(power, static_argnames="n")(x, n=n)
    three = treadle.checkpoint(power, static_argnums=1)(x, n)
    four = treadle.jit(treadle.checkpoint(functools.partial(power, n=n)))(x)
    five = treadle.jit(Steps(n))(x)
    saw += [one.shape]
    return (one + two + three + four + five).sum()


def nondifferentiable(x: Any, n: Any, saw: list[Any]) -> Any:
    return (own_forward(x, n) + own_of_both(x, n)).sum()


def captured(x: Any, n: Any, saw: list[Any]) -> Any:
    def f(y: Any) -> Any:
        return (y * n).sum() ** n

    results = [
        treadle.grad(f)(x).sum(),
        treadle.value_and_grad(f)(x)[0],
        treadle.jit(f)(x),
        treadle.checkpoint(f)(x),
        treadle.vmap(lambda y: y * n)(x).sum(),
        treadle.jvp(f, (x,), (x,))[1],
        treadle.linearize(f, x)[1](x),
        treadle.vjp(f, x)[1](tnp.float32(1))[0].sum(),
        treadle.jacfwd(lambda y: y * n)(x).sum(),
        treadle.jacrev(lambda y: y * n)(x).sum(),
        treadle.hessian(f)(x).sum(),
        treadle.jit(treadle.grad(f))(x).sum(),
        treadle.vmap(treadle.grad(lambda y: y**n))(x).sum(),
        treadle.grad(lambda y: treadle.grad(f)(y).sum())(x).sum(),
    ]
    return sum(results)


def passed_on(x: Any, n: Any, saw: list[Any]) -> Any:
    def f(y: Any, m: Any) -> Any:
        return (y * m).sum() ** 2

    results = [
        treadle.grad(f)(x, n).sum(),
        treadle.jit(f)(x, n),
        treadle.checkpoint(f)(x, n),
        treadle.vmap(lambda y, m: y * m, in_axes=(0, None))(x, n).sum(),
        treadle.vjp(f, x, n)[1](tnp.float32(1))[0].sum(),
        treadle.jacrev(f)(x, n).sum(),
        treadle.hessian(f)(x, n).sum(),
        treadle.jit(treadle.grad(f))(x, n).sum(),
        treadle.grad(treadle.jit(f))(x, n).sum(),
        treadle.grad(functools.partial(f, m=n))(x).sum(),
        treadle.jit(f)(x, m=n),
    ]
    return sum(results)


def loops(x: Any, n: Any, saw: list[Any]) -> Any:
    results = [
        lax.fori_loop(0, n, lambda i, y: y * 1.5, x),
        lax.scan(lambda c, _: (c * n, None), x, None, length=n)[0],
        lax.while_loop(lambda p: p[0] < n, lambda p: (p[0] + 1, p[1] * n), (0, x), max_steps=5)[1],
        lax.cond(n > 1, lambda y: y * n, lambda y: y, x),
        lax.cond(n == 2, lambda: x, lambda: x * 3),
        lax.switch(n, [lambda y: y, lambda y: y * 2, lambda y: y * 3], x),
        lax.map(lambda y: y * n, x),
        lax.associative_scan(lambda a, b: a * b * n, x),
        lax.fori_loop(0, 3, lambda i, c: c + n, x),
    ]
    return sum(result.sum() for result in results)


def arithmetic(x: Any, n: Any, saw: list[Any]) -> Any:
    m = n + 1
    saw += [
        int(m),
        float(n * 0.5),
        int(n // 2),
        [1, 2, 3, 4][n + 1],
        tnp.result_type(n * 2, x) == x.dtype,
    ]
    return (x * n + x**n - n / x + n**x + (x > n) * x + tnp.where(x > 0, x, n)).sum()


def kept(x: Any, n: Any, saw: list[Any]) -> Any:
    """A value outlives the function: a container, an attribute."""
    saw += [n, Steps(n).n]
    return (x * n).sum()


def weighed(x: Any, n: Any, saw: list[Any]) -> Any:
    """Use `n` in the ways in which numbers of any kind can be used."""
    saw += [hash(n), n in {float(n)}, f"{n:.2f}", f"{n}", str(n), float(n), complex(n), bool(n > 1)]
    saw += [math.exp(n), math.isnan(n), np.asarray(n).dtype, np.exp(n), np.asarray(n).item()]
    y = x * n + n - x / n
    saw += [
        tnp.asarray(n).dtype,
        tnp.result_type(n, x),
    ]
    return (y * treadle.jit(lambda y: y * n)(y) + own_forward(y, n) + own_of_both(y, n)).sum()


def with_backward_rule(x: Any, n: Any, saw: list[Any]) -> Any:
    return (own_backward(x, n) ** 2).sum()


INTEGERS: Final = (
    *(counted, looked_up, compared, to_numpy, shapes, text, mathematics, copied, static),
    *(nondifferentiable, captured, passed_on, loops, arithmetic, kept),
)


def _stacked(x: Any) -> Any:
    return tnp.stack([x, x * 2])


def _zeros(arguments: tuple[Any, ...]) -> list[Any]:
    return [np.zeros(np.shape(each), dtypes.float0) for each in arguments]


def _unbatched(arguments: tuple[Any, ...]) -> tuple[int | None, ...]:
    return (0, *[None] * len(arguments))


TRANSFORMATIONS: Final[dict[str, Callable[[Any], Callable[..., Any]]]] = {
    "grad": treadle.grad,
    "value_and_grad": treadle.value_and_grad,
    "grad, several": lambda f: treadle.grad(f, argnums=(0,)),
    "jacfwd": treadle.jacfwd,
    "jacrev": treadle.jacrev,
    "hessian": treadle.hessian,
    "vjp": lambda f: lambda x, *n: treadle.vjp(f, x, *n)[1](np.float32(1))[0],
    "linearize": lambda f: lambda x, *n: treadle.linearize(f, x, *n)[1](DX, *_zeros(n)),
    "jvp": lambda f: lambda x, *n: treadle.jvp(f, (x, *n), (DX, *_zeros(n))),
    "grad of grad": lambda f: treadle.grad(lambda x, *n: (treadle.grad(f)(x, *n) ** 2).sum()),
    "vmap of grad": lambda f: (
        lambda x, *n: treadle.vmap(treadle.grad(f), _unbatched(n))(_stacked(x), *n)
    ),
    "grad of vmap": lambda f: treadle.grad(
        lambda x, *n: treadle.vmap(f, _unbatched(n))(_stacked(x), *n).sum()
    ),
}
REVERSE: Final = ("grad", "value_and_grad", "jacrev", "vjp", "grad of grad", "vmap of grad")


def observed(program: Program, name: str, n: Any, bound: bool) -> tuple[Any, list[Any]]:
    """The result of a transformed program and the values that Python saw; the argument bound beforehand or passed."""
    saw: list[Any] = []
    if bound:
        result = TRANSFORMATIONS[name](lambda x: program(x, n, saw))(X)
    else:
        result = TRANSFORMATIONS[name](lambda x, n: program(x, n, saw))(X, n)
    return result, saw


def check_same(program: Program, name: str, n: Any) -> None:
    result, saw = observed(program, name, n, bound=False)
    expected, expected_saw = observed(program, name, n, bound=True)
    assert list(map(_plain, saw)) == list(map(_plain, expected_saw))
    for one, other in zip(treadle.tree.leaves(result), treadle.tree.leaves(expected), strict=True):
        assert one.type == other.type  # weak marks, too
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))


def _plain(value: Any) -> Any:
    """Return the number that a recorded argument represents, for comparison."""
    return value.item() if isinstance(value, (Array, np.ndarray, np.generic)) else value


@pytest.mark.parametrize("name", TRANSFORMATIONS)
@pytest.mark.parametrize("program", INTEGERS, ids=lambda program: program.__name__)
def test_integers(program: Program, name: str) -> None:
    check_same(program, name, 2)


@pytest.mark.parametrize("name", ["grad", "vjp", "jvp", "vmap of grad"])
@pytest.mark.parametrize(
    "program", [counted, looked_up, compared, static, arithmetic, shapes, captured]
)
@pytest.mark.parametrize("n", [np.int32(2), np.uint8(2)], ids=repr)
def test_numpys_integers(n: Any, program: Program, name: str) -> None:
    check_same(program, name, n)


@pytest.mark.parametrize("name", ["grad", "value_and_grad", "jacfwd", "hessian", "vmap of grad"])
@pytest.mark.parametrize(
    "n", [True, 2.5, np.float32(2.5), np.float16(2.5), np.bool_(True), np.int8(3), 3], ids=repr
)
def test_numbers_of_all_kinds(n: Any, name: str) -> None:
    check_same(weighed, name, n)


@pytest.mark.parametrize("name", ["grad", "jacfwd", "jacrev", "vmap of grad"])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
@pytest.mark.parametrize("n", [2, 2.5], ids=repr)
def test_numbers_stay_weak(n: Any, dtype: str, name: str) -> None:
    for function in (
        lambda x, n: (x * n).sum(),
        lambda x, n: (n + x / n).sum() * n,
        lambda x, n: (x**n).sum(),
    ):
        gradient = TRANSFORMATIONS[name](function)(tnp.asarray(X, dtype), n)
        assert gradient.dtype == tnp.dtype(dtype)
        assert not gradient.type.weak


@pytest.mark.parametrize("name", ["grad", "vjp", "jvp", "linearize", "hessian"])
@pytest.mark.parametrize(
    "program", [counted, compared, shapes, static, captured, arithmetic], ids=lambda p: p.__name__
)
def test_numbers_of_a_function_that_jit_stages(program: Program, name: str) -> None:
    transformed = TRANSFORMATIONS[name]
    saw: list[Any] = []
    expected_saw: list[Any] = []
    result = treadle.jit(lambda x: transformed(lambda x, n: program(x, n, saw))(x, 2))(X)
    expected = treadle.jit(transformed(lambda x: program(x, 2, expected_saw)))(X)
    assert saw == expected_saw
    treadle.tree.map(np.testing.assert_array_equal, result, expected)


@pytest.mark.parametrize("name", REVERSE)
def test_backward_rules(name: str) -> None:
    check_same(with_backward_rule, name, 2)


def test_only_arguments_without_a_derivative_are_transparent() -> None:
    def loss(x: Any) -> Any:
        with pytest.raises(TypeError, match="unhashable"):
            hash(x)
        with pytest.raises(treadle.errors.TracerArrayConversionError):
            np.asarray(x)
        with pytest.raises(treadle.errors.ArgumentError, match="pickled"):
            pickle.dumps(x)
        assert str(x) == repr(x) == "Traced<ShapedArray(float32[])>"
        return x * 2

    assert float(treadle.grad(loss)(1.0)) == 2.0


def test_what_is_kept_outlives_the_function() -> None:
    kept_values: list[Any] = []

    def product(x: Any, n: Any) -> Any:
        kept_values.append(n)
        return x * n

    treadle.grad(product)(1.0, np.int32(3))
    (n,) = kept_values
    assert ([0] * operator.index(n), f"{n}", {3: "key"}[n], float(tnp.sin(n)), n + 1 == 4) == (
        *([0, 0, 0], "3", "key"),
        *(float(tnp.sin(3)), True),
    )
    assert treadle.jit(power, static_argnums=1)(tnp.float32(2), n) == 256
    assert treadle.jit(lambda x: x * n)(2.0) == 6
    assert treadle.grad(lambda x: x * n)(2.0) == 3


def test_pythons_integers_are_passed_as_they_are() -> None:
    """Seeds, sizes and flags, which libraries know by `isinstance`; in trees as well."""
    seen: list[Any] = []

    def program(x: Any, sizes: Any) -> Any:
        seen.extend(treadle.tree.leaves(sizes))
        return (x * sizes["n"]).sum()

    given = {"deep": [True, (4,)], "n": 3}
    for transformed in (
        treadle.grad(program),
        lambda x, sizes: treadle.value_and_grad(program)(x, sizes)[1],
        lambda x, sizes: treadle.jit(lambda x: treadle.grad(program)(x, sizes))(x),
        lambda x, sizes: treadle.grad(lambda x: treadle.grad(program)(x, sizes) @ x)(x),
    ):
        seen.clear()
        np.testing.assert_array_equal(transformed(X, given), np.full(X.shape, 3))
        assert [type(leaf) for leaf in seen] == [bool, int, int]


ABSTRACT: Final[dict[str, Program]] = {
    "range": lambda x, n: sum(x[i] for i in range(n)),
    "if": lambda x, n: x.sum() if n > 1 else -x.sum(),
    "shape": lambda x, n: x.reshape(n, -1).sum(),
    "slice": lambda x, n: x[:n].sum(),
    "int": lambda x, n: x.sum() * int(n),
    "float": lambda x, n: x.sum() * math.sqrt(n),
    "list": lambda x, n: x.sum() * [1, 2, 3][n],
    "NumPy": lambda x, n: (x * np.asarray(n)).sum(),
    "format": lambda x, n: x.sum() * len(f"{n:d}"),
}


@pytest.mark.parametrize("name", ABSTRACT)
def test_under_jit_they_have_no_value_and_the_error_says_what_to_do(name: str) -> None:
    gradient = treadle.grad(ABSTRACT[name])
    with pytest.raises((ConcretizationError, IndexError)) as raised:
        treadle.jit(gradient)(X, 2)
    assert any("fix:" in note for note in raised.value.__notes__)
    expected = np.asarray(gradient(X, 2))
    np.testing.assert_array_equal(treadle.jit(gradient, static_argnums=1)(X, 2), expected)
    np.testing.assert_array_equal(treadle.jit(lambda x: gradient(x, 2))(X), expected)
    np.testing.assert_array_equal(
        treadle.jit(treadle.checkpoint(lambda x: gradient(x, 2)))(X), expected
    )
