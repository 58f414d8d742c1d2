"""Derivatives of loops whose bodies are flat in some of what they carry, compared with the same Python loop.

Bodies are drawn. Each of two vectors, a counter and a result per iteration comes from one of the updates below:
smooth ones, and flat ones as rounding, comparisons, positions, `stop_gradient` and constants are. Such a carry may be
differentiated where the loop begins and not afterwards, or the other way round. What a body does in Python, without
any loop or branch of treadle's, is the truth; so are finite differences, where nothing stops a gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

import treadle
import treadle.numpy as tnp
from conformance.effort import TIMES
from treadle import grad, jit, jvp, lax, vmap
from treadle_ir import ReferenceEvaluator, evaluating

State = tuple[Any, Any, Any]  # two vectors of two elements, and a counter
Update = Callable[[State, Any, Any], Any]
Body = Callable[[State, Any, Any], tuple[State, Any]]
Loop = Callable[[Body, State, Any, Any], tuple[State, Any]]

stop: Final = lax.stop_gradient
UPDATES: Final[dict[str, Update]] = {
    # smooth
    "sine": lambda s, x, w: tnp.sin(s[0]) * w + x,
    "product": lambda s, x, w: s[0] * s[1],
    "first": lambda s, x, w: s[0],
    "second": lambda s, x, w: s[1],
    "element": lambda s, x, w: x * w,
    # flat
    "floor": lambda s, x, w: tnp.floor(s[0] * 3) + 1.0,
    "round": lambda s, x, w: tnp.round(s[1] * w),
    "sign": lambda s, x, w: tnp.sign(s[0] - x),
    "compared": lambda s, x, w: (s[0] > s[1]).astype(s[0].dtype),
    "chosen": lambda s, x, w: tnp.where(s[0] > x, 1.0, 0.5),
    "positions": lambda s, x, w: tnp.argsort(s[0]).astype(s[0].dtype),
    "greatest": lambda s, x, w: tnp.full((2,), tnp.argmax(s[1])).astype(s[0].dtype),
    "ones": lambda s, x, w: tnp.ones(2),
    "zeros": lambda s, x, w: tnp.zeros_like(s[0]),
    "times_zero": lambda s, x, w: s[0] * 0 + 1.5,
    "stopped": lambda s, x, w: stop(s[0]) * w,
    "all_stopped": lambda s, x, w: stop(s[0] + s[1] * w),
    "counter": lambda s, x, w: tnp.full((2,), s[2]).astype(s[0].dtype) * 0.25,
    # flat in some of it
    "floor_times": lambda s, x, w: s[0] * tnp.floor(s[1] * 3),
    "or_stopped": lambda s, x, w: tnp.where(s[0] > x, s[0], stop(s[1])),
    "running": lambda s, x, w: tnp.maximum(stop(s[0]), s[1]),
    "straight": lambda s, x, w: s[0] + stop(tnp.round(s[0]) - s[0]),
}
COUNTERS: Final[dict[str, Update]] = {
    "next": lambda s, x, w: s[2] + 1,
    "same": lambda s, x, w: s[2],
    "counted": lambda s, x, w: s[2] + (s[0] > s[1]).sum().astype(s[2].dtype),
    "place": lambda s, x, w: tnp.argmax(s[0]).astype(s[2].dtype),
}
STOPPING: Final = {"stopped", "all_stopped", "or_stopped", "running", "straight"}
RANDOM: Final = np.random.default_rng(3)
A, B, W, XS = [RANDOM.normal(size=shape) for shape in [(2,), (2,), (2,), (3, 2)]]
DIRECTIONS: Final = [RANDOM.normal(size=np.shape(x)) for x in (A, B, XS, W)]


@pytest.fixture(autouse=True)
def on_the_reference_evaluator() -> Iterator[None]:
    """Evaluate eager operations with NumPy, in 64 bits."""
    with evaluating(ReferenceEvaluator()), treadle.enable_x64(True):
        yield


def body_of(names: tuple[str, str, str, str]) -> Body:
    """The body with these updates of the vectors, of the counter, and with this result."""
    first, second, counter, result = names

    def body(s: State, x: Any, w: Any) -> tuple[State, Any]:
        after = UPDATES[first](s, x, w), UPDATES[second](s, x, w), COUNTERS[counter](s, x, w)
        return after, UPDATES[result](s, x, w)

    return body


# --- loops, and the same in Python ---------------------------------------------------------------------


def python(body: Body, s: State, xs: Any, w: Any) -> tuple[State, Any]:
    ys = []
    for i in range(len(xs)):
        s, y = body(s, xs[i], w)
        ys.append(y)
    return s, tnp.stack(ys) if ys else tnp.zeros((0, 2))


def scanned(body: Body, s: State, xs: Any, w: Any, **options: Any) -> tuple[State, Any]:
    found: tuple[State, Any] = lax.scan(lambda s, x: body(s, x, w), s, xs, **options)
    return found


def reversed_scan(body: Body, s: State, xs: Any, w: Any) -> tuple[State, Any]:
    s, ys = scanned(body, s, xs[::-1], w, reverse=True)
    return s, ys[::-1]


def one_more(xs: Any) -> Any:
    """Append an element that no loop reads: an empty array cannot be indexed."""
    return tnp.concatenate([xs, tnp.zeros((1, 2))])


def counted(body: Body, s: State, xs: Any, w: Any) -> tuple[State, Any]:
    elements = one_more(xs)

    def iteration(i: Any, carry: Any) -> Any:
        s, ys = carry
        s, y = body(s, elements[i], w)
        return s, ys.at[i].set(y)

    found: tuple[State, Any] = lax.fori_loop(0, len(xs), iteration, (s, tnp.zeros(xs.shape)))
    return found


def bounded(body: Body, s: State, xs: Any, w: Any) -> tuple[State, Any]:
    elements = one_more(xs)

    def iteration(carry: Any) -> Any:
        i, s, ys = carry
        s, y = body(s, elements[i], w)
        return i + 1, s, ys.at[i].set(y)

    start = (0, s, tnp.zeros(xs.shape))
    _, s, ys = lax.while_loop(lambda c: c[0] < len(xs), iteration, start, max_steps=len(xs) + 1)
    return s, ys


def of_checkpoints(body: Body, s: State, xs: Any, w: Any) -> tuple[State, Any]:
    return scanned(treadle.checkpoint(body), s, xs, w)


def of_calls(body: Body, s: State, xs: Any, w: Any) -> tuple[State, Any]:
    return scanned(jit(body), s, xs, w)


def in_a_checkpoint(body: Body, s: State, xs: Any, w: Any) -> tuple[State, Any]:
    @treadle.checkpoint
    def loop(s: State, xs: Any, w: Any) -> tuple[State, Any]:
        return scanned(body, s, xs, w)

    return loop(s, xs, w)


def of_loops(body: Body, s: State, xs: Any, w: Any) -> tuple[State, Any]:
    def iteration(s: State, x: Any) -> tuple[State, Any]:
        s, ys = scanned(body, s, x[None], w)
        return s, ys[0]

    found: tuple[State, Any] = lax.scan(iteration, s, xs)
    return found


def between_branches(body: Body, s: State, xs: Any, w: Any) -> tuple[State, Any]:
    """A loop of branches with loops, in a branch."""

    def other(s: State, x: Any) -> tuple[State, Any]:
        return (s[1], stop(s[0]), s[2]), x

    def iteration(s: State, x: Any) -> tuple[State, Any]:
        s, ys = lax.cond(
            x[0] < 99.0,
            lambda s, x: of_loops(body, s, x[None], w),
            lambda s, x: (other(s, x)[0], x[None]),
            s,
            x,
        )
        return s, ys[0]

    found: tuple[State, Any] = lax.cond(
        w[0] < 99.0,
        lambda s, xs: lax.scan(iteration, s, xs),
        lambda s, xs: lax.scan(other, s, xs),
        s,
        xs,
    )
    return found


LOOPS: Final[dict[str, Loop]] = {
    "scan": scanned,
    "reversed": reversed_scan,
    "unrolled": lambda *given: scanned(*given, unroll=2),
    "fori_loop": counted,
    "while_loop": bounded,
    "of_checkpoints": of_checkpoints,
    "of_calls": of_calls,
    "in_a_checkpoint": in_a_checkpoint,
    "in_a_call": lambda body, *given: jit(lambda *given: scanned(body, *given))(*given),
    "of_loops": of_loops,
    "between_branches": between_branches,
}

# --- derivatives ---------------------------------------------------------------------------------------


def loss_of(loop: Loop, body: Body) -> Callable[..., Any]:
    """A number made of all that a loop returns."""

    def loss(a: Any, b: Any, xs: Any, w: Any) -> Any:
        (a, b, n), ys = loop(body, (a, b, tnp.asarray(1)), xs, w)
        return tnp.sum(tnp.sin(a) + a * b) + tnp.sum(ys * ys + tnp.cos(ys)) + n

    return loss


def gradient(loss: Any) -> Any:
    return grad(loss, (0, 1, 2, 3))


def along(loss: Any, *at: Any) -> Any:
    return jvp(loss, at, moving(at))[1]


def moving(at: Any) -> Any:
    """Directions of the shapes of a point."""
    return tuple([v[: len(x)] for v, x in zip(DIRECTIONS, at, strict=True)])


def one_of(loss: Any, *at: Any) -> Any:
    """The first element's gradient of a batch that is given by its first element."""
    batch = [np.stack([x, x * 1.25]) for x in at]
    found = vmap(gradient(loss))(*batch)
    second = gradient(loss)(*[x[1] for x in batch])
    for batched, alone in zip(found, second, strict=True):
        np.testing.assert_allclose(batched[1], alone, rtol=1e-9, atol=1e-12)
    return [each[0] for each in found]


def transposed(loss: Any, *at: Any) -> Any:
    _, linear = treadle.linearize(loss, *at)
    return treadle.linear_transpose(linear, *at)(1.0)


def reverse_over_reverse(loss: Any, *at: Any) -> Any:
    v = moving(at)
    return gradient(
        lambda *xs: sum([tnp.vdot(g, d) for g, d in zip(gradient(loss)(*xs), v, strict=True)])
    )(*at)


DERIVATIVES: Final[dict[str, Callable[..., Any]]] = {
    "grad": lambda loss, *at: gradient(loss)(*at),
    "jit": lambda loss, *at: jit(gradient(loss))(*at),
    "vmap": one_of,
    "jvp": along,
    "linearize": lambda loss, *at: treadle.linearize(loss, *at)[1](*moving(at)),
    "linear_transpose": transposed,
    "checkpoint": lambda loss, *at: gradient(treadle.checkpoint(loss))(*at),
    "jvp_of_grad": lambda loss, *at: jvp(gradient(loss), at, moving(at))[1],
    "grad_of_jvp": lambda loss, *at: gradient(lambda *xs: along(loss, *xs))(*at),
    "grad_of_grad": reverse_over_reverse,
}
BODIES: Final = st.tuples(
    st.sampled_from(sorted(UPDATES)),
    st.sampled_from(sorted(UPDATES)),
    st.sampled_from(sorted(COUNTERS)),
    st.sampled_from(sorted(UPDATES)),
)


def same(found: Any, expected: Any) -> None:
    for x, y in zip(treadle.tree.leaves(found), treadle.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("derivative", DERIVATIVES)
@settings(max_examples=12 * TIMES, deadline=None)
@given(names=BODIES, loop=st.sampled_from(sorted(LOOPS)), length=st.sampled_from([0, 1, 3, 3]))
@example(names=("floor", "product", "next", "first"), loop="scan", length=3)
@example(names=("ones", "product", "next", "first"), loop="of_loops", length=3)
@example(names=("stopped", "zeros", "next", "second"), loop="scan", length=0)
def test_derivatives_of_a_loop_are_those_of_pythons(
    derivative: str, names: tuple[str, str, str, str], loop: str, length: int
) -> None:
    body, at = body_of(names), (A, B, XS[:length], W)
    expected = DERIVATIVES[derivative](loss_of(python, body), *at)
    same(DERIVATIVES[derivative](loss_of(LOOPS[loop], body), *at), expected)


@settings(max_examples=12 * TIMES, deadline=None)
@given(
    names=BODIES.filter(lambda names: STOPPING.isdisjoint(names)),
    loop=st.sampled_from(sorted(LOOPS)),
)
def test_they_are_finite_differences(names: tuple[str, str, str, str], loop: str) -> None:
    body, at, step = body_of(names), (A, B, XS, W), 1e-6
    v = moving(at)
    plain = loss_of(python, body)
    ahead, behind = [
        float(plain(*[x + s * d for x, d in zip(at, v, strict=True)])) for s in (step, -step)
    ]
    found = gradient(loss_of(LOOPS[loop], body))(*at)
    product = sum([float(np.vdot(g, d)) for g, d in zip(found, v, strict=True)])
    np.testing.assert_allclose(product, (ahead - behind) / (2 * step), rtol=1e-6, atol=1e-7)


def whole(body: Body, s: State, xs: Any, w: Any) -> State:
    """A loop of a number of iterations that is not known."""
    elements = one_more(xs)

    def iteration(carry: Any) -> Any:
        i, s = carry
        return i + 1, body(s, elements[i], w)[0]

    found: State = lax.while_loop(lambda c: c[0] < len(xs), iteration, (0, s))[1]
    return found


@settings(max_examples=12 * TIMES, deadline=None)
@given(names=BODIES, length=st.sampled_from([0, 1, 3, 3]))
def test_a_while_loop_is_differentiated_forward(
    names: tuple[str, str, str, str], length: int
) -> None:
    def unknown(body: Body, *given: Any) -> tuple[State, Any]:
        return whole(body, *given), tnp.zeros((length, 2))

    def known(body: Body, *given: Any) -> tuple[State, Any]:
        return python(body, *given)[0], tnp.zeros((length, 2))

    body, at = body_of(names), (A, B, XS[:length], W)
    for derivative in ("jvp", "linearize"):
        expected = DERIVATIVES[derivative](loss_of(known, body), *at)
        same(DERIVATIVES[derivative](loss_of(unknown, body), *at), expected)


@pytest.mark.parametrize("name", UPDATES)
@pytest.mark.parametrize("derivative", ["grad", "vmap", "grad_of_grad"])
def test_derivatives_of_map(name: str, derivative: str) -> None:
    def mapped(body: Body, s: State, xs: Any, w: Any) -> tuple[State, Any]:
        return s, lax.map(lambda x: body((s[0] * x, s[1], s[2]), x, w)[1], xs)

    def one_by_one(body: Body, s: State, xs: Any, w: Any) -> tuple[State, Any]:
        return s, tnp.stack([body((s[0] * x, s[1], s[2]), x, w)[1] for x in xs])

    body, at = body_of(("first", "second", "same", name)), (A, B, XS, W)
    expected = DERIVATIVES[derivative](loss_of(one_by_one, body), *at)
    same(DERIVATIVES[derivative](loss_of(mapped, body), *at), expected)


COMBINED: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "last": lambda x, y: y,
    "first": lambda x, y: x,
    "signs": lambda x, y: tnp.sign(x) * tnp.sign(y),
    "greatest": tnp.maximum,
    "stopped": lambda x, y: stop(x + y),
    "none": lambda x, y: tnp.zeros_like(y),
}


@pytest.mark.parametrize("combine", COMBINED.values(), ids=list(COMBINED))
@pytest.mark.parametrize("derivative", ["grad", "vmap", "grad_of_grad"])
def test_derivatives_of_associative_scan(combine: Any, derivative: str) -> None:
    """Combine functions that are not smooth, and a product, which is; the truth combines from the left."""

    def pair(x: Any, y: Any) -> Any:
        return combine(x[0], y[0]), x[1] * y[1]

    def loss(combined: Any, a: Any, b: Any, xs: Any, w: Any) -> Any:
        firsts, seconds = combined((xs * w, tnp.sin(xs) * a + b))
        return tnp.sum(firsts * firsts) + tnp.sum(tnp.cos(firsts) * seconds)

    def from_the_left(xs: Any) -> Any:
        found = [(xs[0][0], xs[1][0])]
        for x in zip(xs[0][1:], xs[1][1:], strict=True):
            found.append(pair(found[-1], x))
        return [tnp.stack(each) for each in zip(*found, strict=True)]

    def at_once(xs: Any) -> Any:
        return lax.associative_scan(pair, xs)

    at = (A, B, XS, W)
    expected = DERIVATIVES[derivative](lambda *at: loss(from_the_left, *at), *at)
    same(DERIVATIVES[derivative](lambda *at: loss(at_once, *at), *at), expected)
