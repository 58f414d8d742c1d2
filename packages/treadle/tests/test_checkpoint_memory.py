"""What checkpoint is there for: the compiled gradient needs a fraction of the memory, whatever is around it.

XLA on the CPU merges a recomputation with the forward pass if it can, and the result is right all the same: only
the figures of `memory_analysis` tell.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any, TypeAlias

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import checkpoint_policies as policies, lax
from treadle.ad_checkpoint import checkpoint_name

pytestmark = pytest.mark.xla

Function: TypeAlias = Callable[..., Any]
Wrap: TypeAlias = Callable[[Function], Function]

LAYERS, EVERY = 80, 8
X = np.random.default_rng(0).standard_normal((256, 128)).astype("f4")
W = np.random.default_rng(1).standard_normal((128, 128)).astype("f4") / 8


def plain(function: Function) -> Function:
    return function


def some(x: Any, w: Any) -> Any:
    for i in range(EVERY):
        x = tnp.tanh(x @ w)
        if i == EVERY // 2:
            x = checkpoint_name(x, "middle")
    return x


def loss(wrap: Wrap) -> Function:
    block = wrap(some)

    def of(x: Any, w: Any) -> Any:
        for _ in range(LAYERS // EVERY):
            x = block(x, w)
        return tnp.sum(x)

    return of


def temporaries(function: Function, *operands: Any) -> tuple[int, list[np.ndarray[Any, Any]]]:
    compiled = treadle.jit(function).lower(*operands).compile()
    results = [np.asarray(leaf) for leaf in treadle.tree.leaves(compiled(*operands))]
    return compiled.memory_analysis().temp_size_in_bytes, results


def share(
    function: Callable[[Wrap], Function], *operands: Any, wrap: Wrap = treadle.checkpoint
) -> float:
    """Temporaries with checkpoint over those without; the results must agree."""
    with_it, ours = temporaries(function(wrap), *operands)
    without, theirs = temporaries(function(plain), *operands)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6 * np.abs(other).max())
    return with_it / without


def of_the_gradient(wrap: Wrap) -> Function:
    gradient = treadle.grad(loss(wrap))
    return treadle.grad(lambda x, w: tnp.sum(gradient(x, w) * x))


def in_a_loop(wrap: Wrap) -> Function:
    gradient = treadle.grad(loss(wrap))
    return lambda x, w: lax.fori_loop(0, 2, lambda _, x: x - 0.1 * gradient(x, w), x)


def in_a_branch(wrap: Wrap) -> Function:
    function = loss(wrap)
    return treadle.grad(lambda x, w: lax.cond(w[0, 0] < 9, function, lambda x, w: tnp.sum(x), x, w))


def of_a_jit(wrap: Wrap) -> Function:
    return treadle.grad(loss(lambda function: treadle.jit(wrap(function))))


def sharing_weights(wrap: Wrap) -> Function:
    return treadle.value_and_grad(loss(wrap), (0, 1))


def forward_over_reverse(wrap: Wrap) -> Function:
    gradient = treadle.grad(loss(wrap))
    return lambda x, w: treadle.jvp(lambda x: gradient(x, w), (x,), (x,))[1]


@pytest.mark.parametrize(
    "function",
    [
        lambda wrap: treadle.grad(loss(wrap)),
        of_a_jit,
        in_a_branch,
        in_a_loop,
        sharing_weights,
        of_the_gradient,
        forward_over_reverse,
    ],
    ids=["grad", "jit", "cond", "loop", "weights", "grad of grad", "jvp of grad"],
)
def test_checkpoint_saves_memory(function: Callable[[Wrap], Function]) -> None:
    assert share(function, X, W) < 0.3


def test_under_vmap() -> None:
    xs = np.stack([X, 2 * X])
    assert share(lambda wrap: treadle.vmap(treadle.grad(loss(wrap)), (0, None)), xs, W) < 0.3
    batched = lambda wrap: treadle.vmap(loss(wrap), (0, None))  # noqa: E731
    assert (
        share(lambda wrap: treadle.grad(lambda xs, w: tnp.sum(batched(wrap)(xs, w))), xs, W) < 0.3
    )


def scanned(wrap: Wrap, **options: Any) -> Function:
    body = wrap(some)

    def of(x: Any, ws: Any) -> Any:
        return tnp.sum(lax.scan(lambda x, w: (body(x, w), None), x, ws, **options)[0])

    return treadle.grad(of)


@pytest.mark.parametrize("options", [{}, {"unroll": 2}, {"unroll": True}], ids=str)
def test_the_body_of_a_scan(options: dict[str, Any]) -> None:
    ws = np.stack([W] * (LAYERS // EVERY))
    assert share(lambda wrap: scanned(wrap, **options), X, ws) < 0.35
    lenient: Wrap = lambda function: treadle.checkpoint(function, prevent_cse=False)  # noqa: E731
    if options.get("unroll") is not True:  # it is one program then, and may be merged
        assert share(lambda wrap: scanned(wrap, **options), X, ws, wrap=lenient) < 0.35


def test_policies_store_what_they_say() -> None:
    def with_policy(policy: Any) -> float:
        wrap: Wrap = lambda function: treadle.checkpoint(function, policy=policy)  # noqa: E731
        return share(lambda wrap: treadle.grad(loss(wrap)), X, W, wrap=wrap)

    nothing = with_policy(policies.nothing_saveable)
    named = with_policy(policies.save_only_these_names("middle"))
    assert nothing < named < 0.4
    assert with_policy(policies.save_only_these_names("another")) == nothing
    assert with_policy(policies.dots_with_no_batch_dims_saveable) > 0.9
    assert with_policy(policies.everything_saveable) > 0.9


def test_what_xla_fuses_into_one_loop_needs_no_more() -> None:
    def waves(wrap: Wrap) -> Function:
        block = wrap(lambda x: tnp.sin(tnp.sin(tnp.sin(x) * 1.01) * 1.01) * 1.01)

        def of(x: Any) -> Any:
            for _ in range(8):
                x = block(x)
            return tnp.sum(x)

        return treadle.grad(of)

    x = np.ones((512, 512), "f4")
    with_it, _ = temporaries(waves(treadle.checkpoint), x)
    without, _ = temporaries(waves(plain), x)
    # From 0.11 on, XLA:CPU keeps barriers whatever the options, and stores what each of the blocks was given.
    keeps_barriers = tuple(map(int, version("jaxlib").split(".")[:2])) >= (0, 11)
    assert with_it <= (8 * x.nbytes if keeps_barriers else without)


@pytest.mark.parametrize("size", [1, 8, 64])
def test_small_loops_with_kept_barriers(size: int) -> None:
    # XLA:CPU ends the process when it meets a barrier in a loop that it compiles as one kernel.
    def function(x: Any, w: Any, small: Any) -> Any:
        def turn(_: Any, c: Any) -> Any:
            (c,) = lax.optimization_barrier((tnp.cos(c),))
            return c + treadle.grad(lambda c: tnp.sum(treadle.checkpoint(tnp.sin)(c)))(c)

        return treadle.grad(loss(treadle.checkpoint))(x, w), lax.fori_loop(0, 5, turn, small)

    small = np.linspace(0, 1, size, dtype="f4")
    expected = small
    for _ in range(5):
        expected = np.cos(expected) + np.cos(np.cos(expected))
    _, actual = treadle.jit(function)(X, W, small)
    np.testing.assert_allclose(actual, expected, rtol=1e-5)
