"""`lax`, `nn` and `random`: control flow keeps types of what it carries, functions give arrays."""

from __future__ import annotations

from typing import NamedTuple, assert_type

from treadle import Array, lax, nn, random


class State(NamedTuple):
    """A user's pytree."""

    position: Array
    speed: Array


def control(x: Array, state: State) -> None:
    assert_type(lax.cond(True, lambda: x, lambda: -x), Array)

    def shrunk(a: Array) -> Array:
        return a / 2

    assert_type(lax.cond(x > 0, shrunk, shrunk, x), Array)

    def step(s: State) -> State:
        return State(s.position + s.speed, s.speed)

    def carried(s: State, dx: Array) -> tuple[State, Array]:
        return step(s), s.position * dx

    assert_type(lax.while_loop(lambda s: s.position < 3, step, state), State)
    assert_type(lax.fori_loop(0, 3, lambda i, s: step(s), state), State)
    assert_type(lax.scan(carried, state, x), tuple[State, Array])
    assert_type(lax.switch(1, [step, step], state), State)
    assert_type(lax.associative_scan(lambda a, b: a + b, x), Array)

    def row(a: Array) -> tuple[Array, Array]:
        return a.sum(), a.max()

    assert_type(lax.map(row, x), tuple[Array, Array])


def instructions(x: Array, y: Array) -> None:
    assert_type(lax.add(x, y), Array)
    assert_type(lax.rsqrt(x), Array)
    assert_type(lax.reduce_sum(x, (0,)), Array)
    assert_type(lax.cumsum(x, axis=1, reverse=True), Array)
    assert_type(lax.sort(x), Array)
    assert_type(lax.sort((x, y), num_keys=1), tuple[Array, ...])
    assert_type(lax.top_k(x, 2), tuple[Array, Array])
    assert_type(lax.dot_general(x, y, (((1,), (0,)), ((), ()))), Array)
    assert_type(lax.dot(x, y, precision=lax.Precision.HIGHEST), Array)
    assert_type(lax.dynamic_slice(x, (0, x[0]), (1, 2)), Array)
    assert_type(lax.reduce(x, 0.0, lax.add, (0,)), Array)
    assert_type(lax.reduce_window(x, 0.0, lax.max, (2,), (2,), "SAME"), Array)
    assert_type(lax.stop_gradient(x), Array)
    assert_type(lax.axis_size("i"), int)
    lax.add(x, y, x)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    lax.sort(x, stable=True)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]


def networks(x: Array) -> None:
    assert_type(nn.relu(x), Array)
    assert_type(nn.softmax(x, axis=(0, 1)), Array)
    assert_type(nn.one_hot(x, 10), Array)
    assert_type(nn.logsumexp(x), Array)
    assert_type(nn.dot_product_attention(x, x, x, is_causal=True), Array)


def randomness() -> None:
    key = random.key(0)
    assert_type(key, Array)
    assert_type(random.split(key), Array)
    first, second = random.split(key)
    assert_type(first, Array)
    assert_type(random.fold_in(second, 3), Array)
    assert_type(random.PRNGKey(0), Array)
    assert_type(random.split(random.PRNGKey(0)), Array)
    assert_type(random.normal(key, (2, 3)), Array)
    assert_type(random.choice(key, 5, (2,), replace=False), Array)
    assert_type(random.randint(random.PRNGKey(1), (), 0, 10), Array)
    random.uniform(0)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
