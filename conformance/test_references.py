"""Operations take references and views of them, and do to these what Python does to NumPy's arrays and views.

Each operation that takes a function is tried on each kind of view. NumPy's views are views, too: the same statements
on them are the truth, as often as the operation runs its function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.sharding import PartitionSpec as P
from treadle_ir import ArgumentError

START: Final = np.arange(12, dtype=np.float32)

# Each of a reference and of a NumPy array: a view that shares its elements.
VIEWS: Final[dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]] = {
    "itself": (lambda r: r, lambda a: a),
    "slice": (lambda r: r.at[2:7], lambda a: a[2:7]),
    "steps": (lambda r: r.at[1::3], lambda a: a[1::3]),
    "element": (lambda r: r.at[3], lambda a: a[3:4].reshape(())),
    "of_a_view": (lambda r: r.at[2:9].at[1:4], lambda a: a[2:9][1:4]),
    "traced_index": (lambda r: r.at[tnp.asarray(5)], lambda a: a[5:6].reshape(())),
    "reshaped": (lambda r: r.reshape(3, 4), lambda a: a.reshape(3, 4)),
    "transposed": (lambda r: r.reshape(3, 4).T, lambda a: a.reshape(3, 4).T),
    "column": (lambda r: r.reshape(3, 4).at[:, 1], lambda a: a.reshape(3, 4)[:, 1]),
}


def doubled(view: Any) -> Any:
    """Write to a view, of either kind, and return its sum."""
    view[...] = view[...] * 2 + 1
    return view[...].sum()


def summed(view: Any) -> Any:
    """Read a view."""
    return view[...].sum() * 3


def in_scan(view: Any) -> Any:
    return lax.scan(lambda c, _: (c + doubled(view), None), np.float32(0), None, length=3)[0]


def in_loop(view: Any) -> Any:
    return lax.fori_loop(0, 3, lambda _, c: c + doubled(view), np.float32(0))


def in_while(view: Any) -> Any:
    def body(pair: Any) -> Any:
        return pair[0] + 1, pair[1] + doubled(view)

    return lax.while_loop(lambda pair: pair[0] < 3, body, (0, np.float32(0)))[1]


def over_one_device(view: Any) -> Any:
    mesh = treadle.make_mesh((1,), ("x",))
    function = treadle.shard_map(doubled, mesh=mesh, in_specs=P(), out_specs=P())
    return function(view)


def three_times(view: Any) -> Any:
    return sum([doubled(view) for _ in range(3)])


# What is done to a view, and the same to NumPy's.
TAKERS: Final[dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]] = {
    "jit": (treadle.jit(doubled), doubled),
    "jit_of_jit": (treadle.jit(lambda v: treadle.jit(doubled)(v)), doubled),
    "jit_of_a_tree": (lambda v: treadle.jit(lambda d: doubled(d["v"]))({"v": v}), doubled),
    "jit_closing": (lambda v: treadle.jit(lambda: doubled(v))(), doubled),
    "cond": (lambda v: lax.cond(True, doubled, summed, v), doubled),
    "cond_other": (lambda v: lax.cond(False, doubled, summed, v), summed),
    "cond_under_jit": (
        lambda v: treadle.jit(lambda p, v: lax.cond(p, doubled, summed, v))(True, v),
        doubled,
    ),
    "switch": (lambda v: lax.switch(1, [summed, doubled, summed], v), doubled),
    "checkpoint": (treadle.checkpoint(doubled), doubled),
    "checkpoint_closing": (lambda v: treadle.checkpoint(lambda: doubled(v))(), doubled),
    "checkpoint_under_jit": (treadle.jit(treadle.checkpoint(doubled)), doubled),
    "checkpoint_of_jit": (treadle.checkpoint(treadle.jit(doubled)), doubled),
    "gradient_of_checkpoint": (
        lambda v: treadle.grad(lambda x: x * treadle.checkpoint(doubled)(v))(1.0),
        doubled,
    ),
    "checkpoint_in_scan": (
        lambda v: lax.scan(
            lambda c, _: (c + treadle.checkpoint(doubled)(v), None), np.float32(0), None, length=3
        )[0],
        three_times,
    ),
    "scan": (in_scan, three_times),
    "fori_loop": (in_loop, three_times),
    "while_loop": (in_while, three_times),
    "shard_map_under_jit": (treadle.jit(over_one_device), doubled),
}

# Operations along the leading axis, which give a function one row at a time.
ROWS: Final[dict[str, Callable[[Any], Any]]] = {
    "scan": lambda v: lax.scan(lambda c, x: (c, doubled(x)), 0, v)[1],
    "scan_of_a_tree": lambda v: lax.scan(
        lambda c, x: (c, doubled(x[0]["v"]) + x[1] * 0), 0, ({"v": v}, np.arange(v.shape[0]))
    )[1],
    "scan_reversed": lambda v: lax.scan(lambda c, x: (c, doubled(x)), 0, v, reverse=True)[1],
    "scan_unrolled": lambda v: lax.scan(lambda c, x: (c, doubled(x)), 0, v, unroll=2)[1],
    "scan_under_jit": treadle.jit(lambda v: lax.scan(lambda c, x: (c, doubled(x)), 0, v)[1]),
    "scan_of_checkpoint": lambda v: lax.scan(
        lambda c, x: (c, treadle.checkpoint(doubled)(x)), 0, v
    )[1],
    "map": lambda v: lax.map(doubled, v),
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("taker", TAKERS)
def test_operations_take_views(taker: str, view: str) -> None:
    of_ref, of_array = VIEWS[view]
    ours, numpys = TAKERS[taker]
    array = START.copy()
    ref = treadle.new_ref(START)
    wanted = numpys(of_array(array))
    np.testing.assert_array_equal(ours(of_ref(ref)), wanted)
    np.testing.assert_array_equal(ref[...], array)


@pytest.mark.parametrize(
    "view", [each for each in VIEWS if each not in ("element", "traced_index")]
)
@pytest.mark.parametrize("taker", ROWS)
def test_loops_give_out_rows(taker: str, view: str) -> None:
    of_ref, of_array = VIEWS[view]
    array = START.copy()
    ref = treadle.new_ref(START)
    rows = of_array(array)
    wanted = [doubled(rows[i : i + 1].reshape(rows.shape[1:])) for i in range(len(rows))]
    np.testing.assert_array_equal(ROWS[taker](of_ref(ref)), wanted)
    np.testing.assert_array_equal(ref[...], array)


@pytest.mark.parametrize(
    "given",
    [
        lambda a, b: treadle.jit(lambda x, y: None)(a, b),
        lambda a, b: lax.scan(lambda c, x: (c, None), 0, (a, b)),
        lambda a, b: treadle.shard_map(
            lambda x, y: (), mesh=treadle.make_mesh((1,), ("x",)), in_specs=P(), out_specs=P()
        )(a, b),
    ],
    ids=["jit", "scan", "shard_map"],
)
def test_a_reference_is_given_once(given: Callable[[Any, Any], Any]) -> None:
    ref = treadle.new_ref(START)
    for one, two in ((ref, ref), (ref.at[:], ref), (ref.at[:6], ref.at[6:])):
        with pytest.raises(ArgumentError, match=r"a reference to f32\[12\] is given as .* and as"):
            given(one, two)


def test_a_reference_that_is_scanned_over_is_used_through_its_elements() -> None:
    ref = treadle.new_ref(START)
    with pytest.raises(ArgumentError, match="is given to"):
        lax.scan(lambda c, x: (c + ref[0], None), 0.0, ref)


def test_recomputation_writes_once() -> None:
    """A checkpointed function that is differentiated runs twice, and writes once."""
    ref = treadle.new_ref(START)
    gradient = treadle.jit(
        treadle.grad(lambda x: treadle.checkpoint(lambda x: tnp.sin(x) * doubled(ref))(x))
    )
    np.testing.assert_allclose(gradient(0.5), np.cos(0.5) * (START * 2 + 1).sum(), rtol=1e-6)
    np.testing.assert_array_equal(ref[...], START * 2 + 1)


def test_derivatives_go_through_references_that_are_scanned_over() -> None:
    def product(y: Any) -> Any:
        ref = treadle.new_ref(tnp.arange(1.0, 4.0) * y)

        def body(c: Any, x: Any) -> Any:
            x[...] = x[...] * 2
            return c * x[...], None

        return lax.scan(body, y, ref)[0] + ref[...].sum()

    # y * 2y * 4y * 6y + 2y + 4y + 6y
    for function in (treadle.grad(product), treadle.jit(treadle.grad(product))):
        np.testing.assert_allclose(function(2.0), 4 * 48 * 2.0**3 + 12, rtol=1e-6)


def with_vjp(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function with a reverse rule of its own, which does not read references: the derivative is 7."""
    ruled = treadle.custom_vjp(f)
    ruled.defvjp(lambda x: (10 * x, None), lambda _, ct: (7 * ct,))
    return ruled


def with_jvp(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The same with a forward rule."""
    ruled = treadle.custom_jvp(f)
    ruled.defjvp(lambda primals, tangents: (10 * primals[0], 7 * tangents[0]))
    return ruled


def scanned(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function as the body of a loop of one step."""
    return lambda x: lax.scan(lambda c, _: (f(c), None), x, None, length=1)[0]


WRAPPERS: Final[dict[str, Callable[[Callable[[Any], Any]], Callable[[Any], Any]]]] = {
    "nothing": lambda f: f,
    "jit": treadle.jit,
    "jit_of_jit": lambda f: treadle.jit(lambda x: treadle.jit(f)(x)),
    "scan": scanned,
    "jit_of_scan": lambda f: treadle.jit(scanned(f)),
    "checkpoint": treadle.checkpoint,
    "vmap": lambda f: lambda x: treadle.vmap(f)(x[None])[0],
}


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("ruled", [with_vjp, with_jvp])
def test_functions_with_rules_read_what_a_reference_holds_now(ruled: Any, wrapper: str) -> None:
    ref = treadle.new_ref(np.float32(2))
    function = ruled(lambda x: x * ref[...])
    f, derivative = WRAPPERS[wrapper](function), WRAPPERS[wrapper](treadle.grad(function))
    x = np.float32(3)
    for held in (2.0, 5.0, -1.0):  # what was staged with another value is not used again
        ref[...] = np.float32(held)
        assert f(x) == 3 * held
        assert treadle.grad(f)(x) == derivative(x) == 7


@pytest.mark.parametrize("ruled", [with_vjp, with_jvp])
def test_functions_with_rules_that_are_staged_do_not_write(ruled: Any) -> None:
    ref = treadle.new_ref(np.float32(2))

    def written(x: Any) -> Any:
        ref[...] = np.float32(1)
        return x

    with pytest.raises(ArgumentError, match="is used in a function that is staged"):
        treadle.jit(ruled(written))(np.float32(3))
    assert ref[...] == 2
