from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from treadle_autodiff import grad, jvp
from treadle_ir import (
    ArgumentError,
    ArrayType,
    DTypeError,
    ShapeError,
    TreadleError,
    interpret,
    stage,
    type_of,
)
from treadle_ir.errors import ConcretizationError, StructureError
from treadle_ir.tracing import ports
from treadle_numpy import lax
from treadle_numpy.arrays.table import install

install()
F = np.float32
XS = np.arange(4, dtype=np.float32)


def same(actual: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(actual), expected)


# --- cond and switch -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pred", "expected"), [(True, 2), (False, 0), (3, 2), (0, 0), (0.5, 2), (np.True_, 2)]
)
def test_cond(pred: Any, expected: float) -> None:
    same(lax.cond(pred, lambda x: x + 1, lambda x: x - 1, F(1)), expected)
    same(lax.cond(pred, lambda x: x + 1, lambda x: x - 1, operand=F(1)), expected)


@pytest.mark.parametrize(("pred", "expected"), [(True, 2), (False, 4)])
def test_cond_of_two_operands(pred: bool, expected: float) -> None:
    same(lax.cond(pred, F(1), lambda x: x + 1, F(5), lambda x: x - 1), expected)


def test_cond_over_trees_and_closures() -> None:
    w = np.array([1.0, 2.0], F)
    result = lax.cond(True, lambda t: {"a": t["x"] * w}, lambda t: {"a": t["x"] - w}, {"x": w})
    same(result["a"], [1, 4])


def test_branches_share_what_they_captured() -> None:
    w, v = np.ones(2, F), np.ones(3, F)
    program = stage(
        lambda p, w, v: [
            lax.cond(p, lambda: (w + w.sum(), v), lambda: (w * v.sum(), v + w.sum()))[0]
        ],
        ArrayType((), np.dtype(bool)),
        type_of(w),
        type_of(v),
    ).program
    (case,) = [e for e in program.equations if e.primitive.name == "case"]
    assert len(case.operands) == 3


@pytest.mark.parametrize(
    ("index", "expected"),
    [(-3, 0), (0, 0), (1, 1), (2, 2), (7, 2), (np.uint8(200), 2), (np.int8(-100), 0)],
)
def test_switch_clamps(index: Any, expected: float) -> None:
    same(lax.switch(index, [lambda x, i=i: x * i for i in range(3)], F(1)), expected)


def test_switch_clamps_before_it_narrows() -> None:
    same(lax.switch(np.uint32(2**31 + 1), [lambda: F(0), lambda: F(1)]), 1)


def test_one_branch_is_called() -> None:
    assert lax.switch(5, [lambda x: x], "anything") == "anything"


# --- loops -----------------------------------------------------------------------------------------


def test_scan() -> None:
    ys: Any
    carry, ys = lax.scan(lambda c, x: (c + x, {"c": c, "x": (x, c * x)}), F(0), XS)
    same(carry, 6)
    same(ys["c"], [0, 0, 1, 3])
    same(ys["x"][1], [0, 0, 2, 9])
    _, ys = lax.scan(lambda c, x: (c + x, c), F(0), XS, reverse=True)
    same(ys, [6, 5, 3, 0])


def test_scan_without_xs() -> None:
    carry, ys = lax.scan(lambda c, x: (c * 2, x), F(1), None, length=5)
    same(carry, 32)
    assert ys is None


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 6),
    st.booleans(),
    st.sampled_from([1, 2, 3, 9, True, False]),
    st.lists(st.floats(-1, 1, width=32), min_size=6, max_size=6),
)
def test_scan_against_a_loop(
    length: int, reverse: bool, unroll: int | bool, values: list[float]
) -> None:
    xs = np.array(values, F)[:length]
    carry, ys = lax.scan(
        lambda c, x: (c * 0.5 + x, c - x), F(1), xs, reverse=reverse, unroll=unroll
    )
    c, expected = F(1), np.zeros(length, F)
    for i in reversed(range(length)) if reverse else range(length):
        expected[i] = c - xs[i]
        c = c * F(0.5) + xs[i]
    np.testing.assert_allclose(carry, c, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(ys, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("branches", [(True, False), (False, True), (False, False), (True, True)])
def test_results_are_weak_where_those_of_the_first_branch_are(branches: tuple[bool, bool]) -> None:
    def chosen(index: Any) -> Any:
        first, second = [(lambda x: x) if weak else (lambda x: x * F(2)) for weak in branches]
        return [lax.switch(index, [first, second], 1.5), lax.cond(index > 0, second, first, 1.5)]

    staged = stage(chosen, ArrayType((), np.dtype(np.int32)))
    for made in staged.program.result_types:
        assert isinstance(made, ArrayType)
        assert made.weak == branches[0]
    for index, expected in ((0, branches[0]), (1, branches[1])):
        same(chosen(np.int32(index)), [1.5 if expected else 3.0] * 2)


def test_weak_carries_take_the_bodys_element_type() -> None:
    carry, _ = lax.scan(lambda c, x: (c + x, None), 0, np.ones(3, F))
    assert float(carry) == 3
    assert carry.dtype == F
    carry, _ = lax.scan(lambda c, x: (c + x, None), 0, np.ones(3, np.int8))
    assert int(carry) == 3
    assert carry.dtype == np.int8
    for factor, weak in ((1.5, False), (2, True)):  # computed, or as it was written
        staged = stage(lambda: [lax.fori_loop(0, 2, lambda i, c: c * factor, 1)])  # noqa: B023 - called at once
        (type,) = staged.program.result_types
        assert isinstance(type, ArrayType)
        assert type.weak == weak
    # The second carry changes only once the first one has.
    first, second = lax.fori_loop(0, 2, lambda i, p: (p[0] + F(0.5), p[1] + p[0]), (0, 0))
    assert (float(first), float(second), second.dtype) == (1.0, 0.5, F)


def test_while_loop() -> None:
    value, iterations = lax.while_loop(
        lambda p: p[0] < 10, lambda p: (p[0] * 2, p[1] + 1), (F(3), 0)
    )
    assert (float(value), int(iterations)) == (12, 2)


def test_while_loop_with_max_steps_can_be_reversed() -> None:
    def power(w: Any) -> Any:
        return lax.while_loop(
            lambda p: p[0] < 3, lambda p: (p[0] + 1, p[1] * w), (0, F(1)), max_steps=5
        )[1]

    same(grad(power)(F(2)), 12)


def test_the_index_of_a_fori_loop_is_weak_where_its_first_value_is() -> None:
    def total(lower: Any, upper: Any, start: Any = 0) -> Any:
        return lax.fori_loop(lower, upper, lambda i, c: c + i, start)

    known = stage(lambda: [total(0, np.int32(3)), total(np.int8(0), np.int8(3), np.int16(0))])
    first, second = known.program.result_types
    assert (str(first), str(second)) == (
        "i32[]*",
        "i16[]",
    )  # bounds that are known count as Python's
    bound = ArrayType((), np.dtype(np.int32))
    traced = stage(lambda n: [total(0, n), total(n, 9), total(0, n, np.int16(0))], bound).program
    assert [str(type) for type in traced.result_types] == ["i32[]*", "i32[]", "i16[]"]
    byte = stage(lambda n: [total(0, n)], ArrayType((), np.dtype(np.int8))).program
    assert [str(type) for type in byte.result_types] == ["i8[]"]


@pytest.mark.parametrize("bounds", [(0, 5), (2, 4), (3, 3), (5, 1), (np.int32(-2), np.int32(2))])
def test_fori_loop_is_a_for_loop(bounds: tuple[Any, Any]) -> None:
    expected = 10
    for i in range(*map(int, bounds)):
        expected = expected * 2 + i
    same(lax.fori_loop(*bounds, lambda i, x: x * 2 + i, 10), expected)
    traced = stage(
        lambda n: [lax.fori_loop(bounds[0], n, lambda i, x: x * 2 + i, 10)],
        ArrayType((), np.dtype("i4")),
    )
    assert "while" in [e.primitive.name for e in traced.program.equations]


@pytest.mark.parametrize(
    ("lower", "upper"), [(0.0, 3.0), (0.5, 3.0), (-1.5, 2.5), (2.0, 1.0), (0.0, 2.5)]
)
def test_fori_loop_counts_in_floats_too(lower: float, upper: float) -> None:
    wanted = np.arange(lower, upper, dtype=np.float32)

    def loop(lower: Any, upper: Any) -> Any:
        return lax.fori_loop(lower, upper, lambda i, c: (c[0] + i, c[1] + 1), (0.0, 0))

    scalar = ArrayType((), np.dtype(np.float32))
    program = stage(loop, scalar, scalar).program
    traced = interpret(program, np.float32(lower), np.float32(upper))
    for found in (loop(lower, upper), loop(np.float32(lower), upper), traced):
        assert [np.asarray(x).item() for x in found] == [float(wanted.sum()), len(wanted)]


def test_fori_loop_without_an_end_is_refused() -> None:
    with pytest.raises(ArgumentError, match="bounds must be finite"):
        lax.fori_loop(0.0, np.inf, lambda i, c: c, 0.0)


def test_fori_loop_with_known_bounds_can_be_reversed() -> None:
    w = np.array([1.0, 2.0], F)
    gradient = grad(lambda w: lax.fori_loop(0, 3, lambda i, x: x * w, np.ones(2, F)).sum())(w)
    same(gradient, 3 * w**2)


def test_fori_loop_with_traced_bounds_in_forward_mode() -> None:
    def power(x: Any) -> Any:
        iterations = (x * 0 + 3).astype("int32")
        return lax.while_loop(
            lambda p: p[0] < iterations, lambda p: (p[0] + 1, p[1] * x), (0, F(1))
        )[1]

    same(jvp(power, (F(2),), (F(1),))[1], 12)


def test_map() -> None:
    same(lax.map(lambda p: p[0] * p[1], (XS, XS)), XS**2)


@pytest.fixture
def no_vmap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Uninstall `vmap`; what the test installs is undone."""
    monkeypatch.setattr(ports.installed, "vmap", None)


@pytest.mark.usefixtures("no_vmap")
def test_map_with_batches_needs_the_port() -> None:
    with pytest.raises(NotImplementedError, match="batch_size"):
        lax.map(lambda x: x, XS, batch_size=2)


@pytest.mark.usefixtures("no_vmap")
@pytest.mark.parametrize("length", [0, 1, 4, 5, 7])
@pytest.mark.parametrize("size", [1, 2, 3, 9])
def test_map_in_batches(length: int, size: int) -> None:
    sizes = []

    def in_batches(f: Callable[..., Any]) -> Callable[..., Any]:
        def batched(x: Any) -> Any:
            sizes.append(x.shape[0])
            return {"square": x * x}

        return batched

    ports.install(vmap=in_batches)
    xs = np.arange(length, dtype=F)
    same(lax.map(lambda x: {"square": x * x}, xs, batch_size=size)["square"], xs**2)
    assert max(sizes, default=0) <= size


# --- associative scan ------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 20), st.booleans(), st.integers(-1, 1))
def test_associative_scan_of_matrix_products(length: int, reverse: bool, axis: int) -> None:
    """Affine maps compose associatively, but not commutatively."""
    random = np.random.default_rng(length)
    shape = (length, 2) if axis == 0 else (2, length)
    slope, offset = random.normal(size=(2, *shape)).astype(F)

    def compose(left: Any, right: Any) -> Any:
        return {"a": left["a"] * right["a"], "b": left["b"] * right["a"] + right["b"]}

    result = lax.associative_scan(compose, {"a": slope, "b": offset}, reverse=reverse, axis=axis)
    a, b = np.moveaxis(slope, axis, 0), np.moveaxis(offset, axis, 0)
    expected = np.zeros_like(b)
    total: Any = None
    for i in reversed(range(length)) if reverse else range(length):
        here = {"a": a[i], "b": b[i]}
        total = here if total is None else compose(total, here)
        expected[i] = total["b"]
    actual = np.moveaxis(np.asarray(result["b"]), axis, 0)
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)


def test_associative_scan_keeps_special_values() -> None:
    xs = np.array([-0.0, np.nan, np.inf, 1], F)
    result = np.asarray(lax.associative_scan(lambda a, b: b, xs))
    np.testing.assert_array_equal(result, xs)
    assert np.signbit(result[0])


def test_associative_scan_takes_logarithmically_many_steps() -> None:
    program = stage(
        lambda x: [lax.associative_scan(lambda a, b: a * b, x)], ArrayType((1024,), np.dtype(F))
    ).program
    assert sum(e.primitive.name == "multiply" for e in program.equations) <= 2 * 10


# --- what a body is given, and what it may do ------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda f: lax.cond(True, f, lambda x: x, F(1)),
        lambda f: lax.while_loop(lambda x: bool(f(x) > 3), lambda x: x + 1, F(1)),
        lambda f: lax.while_loop(lambda x: x < 3, f, F(1)),
        lambda f: lax.fori_loop(0, 3, lambda i, x: f(x), F(1)),
        lambda f: lax.scan(lambda c, x: (f(c), x), F(1), XS),
        lambda f: grad(lambda y: lax.fori_loop(0, 3, lambda i, x: f(x), y))(F(1)),
    ],
    ids=["cond", "while cond", "while body", "fori", "scan", "fori under grad"],
)
def test_bodies_get_arrays_without_elements(call: Callable[[Any], Any]) -> None:
    with pytest.raises(ConcretizationError, match="which has no elements yet"):
        call(lambda x: x if x > 0 else -x)


ERRORS: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    (
        TypeError,
        "cond: pred must be a scalar, but it is f32\\[4\\]",
        lambda: lax.cond(XS, lambda: 1, lambda: 2),
    ),
    (
        TypeError,
        "true_fun and false_fun must be functions, got int and int",
        lambda: lax.cond(True, 1, 2),  # type: ignore[call-overload]
    ),
    (
        DTypeError,
        r"cond branches must have equal output types.* at the only leaf: i32\[\] and f32\[\]",
        lambda: lax.cond(True, lambda: 1, lambda: 2.0),
    ),
    (
        StructureError,
        "cond branch outputs must have the same pytree structure.*keys \\['a'\\]",
        lambda: lax.cond(True, lambda: {"a": 1}, lambda: {"b": 1}),
    ),
    (ValueError, "at least one branch", lambda: lax.switch(0, [])),
    (TypeError, "index must be an integer scalar", lambda: lax.switch(1.0, [lambda: 1, lambda: 2])),
    (
        StructureError,
        "in and out differ at the top level: dict with keys \\['w'\\] and tuple of 1",
        lambda: lax.scan(lambda c, x: ((c["w"],), x), {"w": F(0)}, XS),
    ),
    (
        ShapeError,
        r"in and out differ at \['w'\]: f32\[\] and f32\[1\]",
        lambda: lax.scan(lambda c, x: ({"w": c["w"].reshape(1)}, x), {"w": F(0)}, XS),
    ),
    (
        DTypeError,
        r"in and out differ at \['w'\]: f32\[\] and i32\[\]",
        lambda: lax.scan(lambda c, x: ({"w": c["w"].astype("int32")}, x), {"w": F(0)}, XS),
    ),
    (
        TypeError,
        r"must return a pair \(carry, y\), but it returns an array",
        lambda: lax.scan(lambda c, x: c, F(0), XS),
    ),
    (
        ValueError,
        r"leading sizes must be equal, but xs\[0\] has 4, xs\[1\] has 3",
        lambda: lax.scan(lambda c, x: (c, x), F(0), (XS, XS[:3])),
    ),
    (
        ValueError,
        "length is 3, xs has 4",
        lambda: lax.scan(lambda c, x: (c, x), F(0), XS, length=3),
    ),
    (ValueError, "number of iterations is not known", lambda: lax.scan(lambda c, x: (c, x), F(0))),
    (ValueError, "xs is a scalar", lambda: lax.scan(lambda c, x: (c, x), F(0), F(3))),
    (
        ValueError,
        "`unroll` must be a bool or a non-negative integer, got -1",
        lambda: lax.scan(lambda c, x: (c, x), F(0), XS, unroll=-1),
    ),
    (
        TypeError,
        r"init\['a'\] is <object.* not an array or a number",
        lambda: lax.scan(lambda c, x: (c, x), {"a": object()}, XS),
    ),
    (
        TypeError,
        "cond_fun must return a boolean scalar",
        lambda: lax.while_loop(lambda x: x, lambda x: x, F(1)),
    ),
    (
        TypeError,
        r"cond_fun must return a boolean scalar, but it returns a tree, PyTreeDef\(\(\*,\)\)",
        lambda: lax.while_loop(lambda x: (x < 3,), lambda x: x + 1, F(1)),  # type: ignore[arg-type,return-value]
    ),
    (
        TypeError,
        r"cond_fun must return a boolean scalar, but it returns a tree, PyTreeDef\(None\)",
        lambda: lax.while_loop(lambda x: None, lambda x: x, F(1)),  # type: ignore[arg-type,return-value]
    ),
    (
        TypeError,
        "upper must be an integer scalar",
        lambda: lax.fori_loop(0, 2.0, lambda i, x: x, 0),
    ),
    (
        ValueError,
        "sizes along axis 0 must be equal",
        lambda: lax.associative_scan(lambda a, b: a, (XS, XS[:2])),
    ),
]


@pytest.mark.parametrize(
    ("kind", "message", "call"), ERRORS, ids=[message[:40] for _, message, _ in ERRORS]
)
def test_errors(kind: type[Exception], message: str, call: Callable[[], Any]) -> None:
    with pytest.raises(kind, match=message) as raised:
        call()
    assert isinstance(raised.value, TreadleError)


def test_nothing_is_unrolled_by_zero() -> None:
    """As in JAX, where 0 is as good as leaving it out."""
    carry, ys = lax.scan(lambda c, x: (c + x, c * x), F(0), XS, unroll=0)
    expected, expected_ys = lax.scan(lambda c, x: (c + x, c * x), F(0), XS)
    assert carry == expected
    assert [*ys] == [*expected_ys]
    assert lax.fori_loop(0, 3, lambda i, x: x + i, 0, unroll=0) == 3
    with pytest.raises(ValueError, match="fori_loop: `unroll` must be a bool or a non-negative"):
        lax.fori_loop(0, 3, lambda i, x: x + i, 0, unroll=-1)


def test_unroll_needs_known_bounds() -> None:
    with pytest.raises(ValueError, match="`unroll` needs bounds whose values are known"):
        stage(
            lambda n: [lax.fori_loop(0, n, lambda i, x: x, 0, unroll=2)],
            ArrayType((), np.dtype("i4")),
        )


def test_a_function_that_is_several_branches_is_traced_once() -> None:
    calls = []

    def f(x: Any) -> Any:
        calls.append(x)
        return x + F(1)

    same(lax.switch(np.int32(2), [f, lambda x: x, f, f], F(3)), 4)
    assert len(calls) == 1
    same(lax.cond(np.True_, f, f, F(3)), 4)
    assert len(calls) == 2


def test_what_all_branches_hand_on_does_not_depend_on_the_index() -> None:
    def program(index: Any, x: Any, y: Any) -> Any:
        return lax.switch(index, [lambda x, y: (y, x, x), lambda x, y: (y, y, x)], x, y)

    number = ArrayType((), np.dtype(F))
    made = stage(program, ArrayType((), np.dtype(np.int32)), number, number).program
    _, x, y = made.parameters
    assert (made.results[0], made.results[2]) == (y, x)
    assert made.results[1] not in made.parameters
    same(program(np.int32(0), F(1), F(2)), (2, 1, 1))
    same(program(np.int32(1), F(1), F(2)), (2, 2, 1))


def test_a_loop_of_more_steps_than_it_counts_is_refused():
    with pytest.raises(ArgumentError, match="4294967295 steps were asked for"):
        lax.fori_loop(0, np.uint32(2**32 - 1), lambda i, x: x, 1.0)
