"""Small programs, each with a NumPy twin in float64: what the laws of compositions are tested on.

A program takes real arrays in pytrees and returns real arrays in pytrees. Near its arguments it is analytic: no
kink, tie or change of branch within 0.25 of them, so that differences of the twin are derivatives.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias, final

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle import lax, nn, random

Tree: TypeAlias = Any  # a pytree of arrays
Function: TypeAlias = Callable[..., Tree]


@final
@dataclass(frozen=True, slots=True)
class Pooled:
    """A program of the pool."""

    name: str
    program: Function
    twin: Function  # the same in NumPy
    arguments: tuple[Tree, ...]
    forward: bool = True  # jvp takes it
    reverse: bool = True  # grad takes it


POOL: Final[dict[str, Pooled]] = {}

S: Final = np.float64(0.7)
V: Final = np.array([0.9, -0.6, 1.7])
W: Final = np.array([-1.2, 0.4, 0.8])
P: Final = np.array([0.5, 1.1, 2.0])  # positive
M: Final = np.array([[0.3, -0.8], [1.2, 0.8]])
N: Final = np.array([[1.5, 0.2], [-0.4, 0.9]])


def pooled(
    *arguments: Tree, twin: Function, forward: bool = True, reverse: bool = True
) -> Callable[[Function], Function]:
    """Put a function into the pool."""

    def add(function: Function) -> Function:
        name = function.__name__
        assert name not in POOL
        POOL[name] = Pooled(name, function, twin, arguments, forward, reverse)
        return function

    return add


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


# --- elementwise and reductions ----------------------------------------------------------------------


@pooled(V, W, twin=lambda x, y: x**3 - 2 * x * y + y**2 / 3)
def polynomial(x: Any, y: Any) -> Any:
    return x**3 - 2 * x * y + y**2 / 3


@pooled(V, S, twin=lambda x, s: np.sin(x) * np.exp(-s) + np.tanh(x * s))
def transcendental(x: Any, s: Any) -> Any:
    return tnp.sin(x) * tnp.exp(-s) + tnp.tanh(x * s)


@pooled(P, W, twin=lambda x, y: np.log(1 + x) * np.sqrt(1 + y**2) + np.arctan2(y, x))
def logarithms(x: Any, y: Any) -> Any:
    return tnp.log1p(x) * tnp.sqrt(1 + y**2) + tnp.arctan2(y, x)


@pooled(P, V, twin=lambda x, y: x**y + np.exp2(y))
def powers(x: Any, y: Any) -> Any:
    return x**y + tnp.exp2(y)


@pooled(V, twin=lambda x: np.where(x > 0, x**2, -3 * x * x * x))
def where_by_sign(x: Any) -> Any:
    return tnp.where(x > 0, x**2, -3 * x * x * x)


@pooled(V, W, twin=lambda x, y: np.maximum(x, y) * np.minimum(x, 2.5) + np.clip(y, -2, 2) ** 2)
def maximum_and_clip(x: Any, y: Any) -> Any:
    return tnp.maximum(x, y) * tnp.minimum(x, 2.5) + tnp.clip(y, -2, 2) ** 2


@pooled(V, twin=lambda x: (x - np.mean(x)) / np.sqrt(np.var(x) + 0.1))
def normalised(x: Any) -> Any:
    return (x - tnp.mean(x)) / tnp.sqrt(tnp.var(x) + 0.1)


@pooled(M, twin=lambda x: np.exp(x) / np.sum(np.exp(x), axis=-1, keepdims=True))
def softmax(x: Any) -> Any:
    return nn.softmax(x, axis=-1)


@pooled(V, twin=lambda x: np.log(np.sum(np.exp(x))))
def logsumexp_with_stopped_shift(x: Any) -> Any:
    shift = lax.stop_gradient(tnp.max(x))
    return tnp.log(tnp.sum(tnp.exp(x - shift))) + shift


@pooled(V, M, twin=lambda x, m: (np.prod(x), np.prod(m, axis=0)))
def products(x: Any, m: Any) -> Any:
    return tnp.prod(x), tnp.prod(m, axis=0)


@pooled(V, M, twin=lambda x, m: np.cumprod(x) + np.sum(np.cumsum(m, axis=1)))
def cumulative(x: Any, m: Any) -> Any:
    return tnp.cumprod(x) + tnp.sum(tnp.cumsum(m, axis=1))


@pooled(V, twin=lambda x: np.max(x) * np.sum(x) - np.min(x) ** 3)
def extremes(x: Any) -> Any:
    return tnp.max(x) * tnp.sum(x) - tnp.min(x) ** 3


@pooled(M, S, twin=lambda m, s: {"norm": np.sqrt(np.sum(m * m, axis=0)), "mean": np.mean(m) ** s})
def norms(m: Any, s: Any) -> Any:
    return {"norm": tnp.sqrt(tnp.sum(m * m, axis=0)), "mean": tnp.mean(m) ** s}


# --- contractions ------------------------------------------------------------------------------------


@pooled(M, N, twin=lambda a, b: np.tanh(a @ b) @ b.T)
def matrix_products(a: Any, b: Any) -> Any:
    return tnp.tanh(a @ b) @ b.T


@pooled(M, N, twin=lambda a, b: np.einsum("ij,jk,ik->i", a, b, a))
def einsum_of_three(a: Any, b: Any) -> Any:
    return tnp.einsum("ij,jk,ik->i", a, b, a)


class Layer(NamedTuple):
    """A dense layer."""

    weights: Any
    bias: Any


def _network(module: Any, layers: dict[str, Layer], x: Any) -> Any:
    hidden = module.tanh(x @ layers["in"].weights + layers["in"].bias)
    return hidden @ layers["out"].weights + layers["out"].bias


@pooled(
    {"in": Layer(M, np.array([0.1, -0.3])), "out": Layer(N, np.array([0.2, 0.0]))},
    np.array([0.5, -1.0]),
    twin=functools.partial(_network, np),
)
def network_of_named_tuples(layers: Any, x: Any) -> Any:
    return _network(tnp, layers, x)


@pooled(V, W, twin=lambda x, y: np.trace(np.outer(x, y)) * np.dot(x, np.sin(y)) + np.vdot(x, x))
def dots_and_outer(x: Any, y: Any) -> Any:
    return tnp.trace(tnp.outer(x, y)) * tnp.dot(x, tnp.sin(y)) + tnp.vdot(x, x)


@pooled(M, N, twin=lambda a, b: np.tensordot(a, b, axes=([0], [1])) * np.tensordot(a, b, axes=2))
def tensordots(a: Any, b: Any) -> Any:
    return tnp.tensordot(a, b, axes=([0], [1])) * tnp.tensordot(a, b, axes=2)


# --- shapes ------------------------------------------------------------------------------------------


def _shapes(np: Any, m: Any, x: Any) -> Any:
    long = np.concatenate([m.reshape(-1), x, np.ravel(m.T)])
    return np.stack([long[:5], long[6:] ** 2]).T


@pooled(M, V, twin=functools.partial(_shapes, np))
def reshapes_and_joins(m: Any, x: Any) -> Any:
    return _shapes(tnp, m, x)


def _moved(np: Any, m: Any, x: Any) -> Any:
    rolled = np.roll(np.flip(m, 1), 1, axis=0)
    return np.pad(rolled * m, ((1, 0), (0, 1))) @ (np.tile(x[:1], 3) * x)


@pooled(M, V, twin=functools.partial(_moved, np))
def flips_rolls_and_pads(m: Any, x: Any) -> Any:
    return _moved(tnp, m, x)


@pooled(
    V, W, twin=lambda x, y: (x[:, None] * np.sin(y)[None, :]).sum(0) + np.broadcast_to(x, (2, 3))[1]
)
def broadcasts(x: Any, y: Any) -> Any:
    return (x[:, None] * tnp.sin(y)[None, :]).sum(0) + tnp.broadcast_to(x, (2, 3))[1]


# --- indexing and updates ----------------------------------------------------------------------------

INDICES: Final = np.array([2, 0, 0, 1])


@pooled(V, M, twin=lambda x, m: x[INDICES] ** 2 * np.sum(m[[1, 0], [0, 0]]))
def integer_arrays_as_indices(x: Any, m: Any) -> Any:
    return x[INDICES] ** 2 * tnp.sum(m[tnp.array([1, 0]), tnp.array([0, 0])])


@pooled(V, M, twin=lambda x, m: (np.sin(x[::-2]) * x[1:], m[:, None, -1] * x[None, :2]))
def slices(x: Any, m: Any) -> Any:
    return tnp.sin(x[::-2]) * x[1:], m[:, None, -1] * x[None, :2]


def _set(x: Any, s: Any) -> Any:
    y = x.copy()
    y[1] = s * x[0]
    z = np.sin(y)
    z[::2] = x[::2] ** 2
    return z


@pooled(V, S, twin=_set)
def updates_by_set(x: Any, s: Any) -> Any:
    y = x.at[1].set(s * x[0])
    return tnp.sin(y).at[::2].set(x[::2] ** 2)


def _added(x: Any, y: Any) -> Any:
    z = x.copy()
    np.add.at(z, INDICES[:3], y**2)
    z[1] *= y[0]
    return z


@pooled(V, W, twin=_added)
def updates_by_add_and_multiply(x: Any, y: Any) -> Any:
    return x.at[INDICES[:3]].add(y**2).at[1].multiply(y[0])


@pooled(V, W, twin=lambda x, y: x[np.argmax(x)] * y[np.argmin(x)] + x[int(np.sum(x > 0)) - 1] ** 2)
def indices_that_are_computed(x: Any, y: Any) -> Any:
    return x[tnp.argmax(x)] * y[tnp.argmin(x)] + x[tnp.sum(x > 0) - 1] ** 2


@pooled(
    M, twin=lambda m: np.take_along_axis(m, np.array([[1], [0]]), 1) * np.take(m, [1, 0], axis=0)
)
def takes(m: Any) -> Any:
    rows = tnp.take(m, tnp.array([1, 0]), axis=0)
    return tnp.take_along_axis(m, tnp.array([[1], [0]]), axis=1) * rows


def _window(x: Any, s: Any) -> Any:
    y = x.copy()
    y[1:3] = np.exp(x[0:2]) * s
    return y


@pooled(V, S, twin=_window)
def dynamic_slices(x: Any, s: Any) -> Any:
    at = tnp.argmin(x)  # 1
    return lax.dynamic_update_slice(x, tnp.exp(lax.dynamic_slice(x, (at - 1,), (2,))) * s, (at,))


# --- sorting -----------------------------------------------------------------------------------------


@pooled(V, twin=lambda x: np.sort(x) * np.array([1.0, 2.0, 3.0]) + np.sort(x**3)[::-1])
def sorts(x: Any) -> Any:
    return tnp.sort(x) * tnp.array([1.0, 2.0, 3.0]) + tnp.sort(x**3)[::-1]


@pooled(
    V, W, twin=lambda x, y: x[np.argsort(y)] * np.arange(1.0, 4.0) * y[np.argsort(np.argsort(x))]
)
def gathers_by_argsort(x: Any, y: Any) -> Any:
    ranks = tnp.argsort(tnp.argsort(x))
    return x[tnp.argsort(y)] * tnp.arange(1.0, 4.0) * y[ranks]


@pooled(V, M, twin=lambda x, m: np.median(x) * np.quantile(m, 0.4) + np.sort(x)[:0:-1])
def medians_and_top_k(x: Any, m: Any) -> Any:
    return tnp.median(x) * tnp.quantile(m, 0.4) + lax.top_k(x, 2)[0]


# --- complex numbers ---------------------------------------------------------------------------------


@pooled(
    V,
    W,
    twin=lambda x, y: np.real(np.exp(1j * x) * (1 + 2j) * y) + np.imag(np.exp((x + 1j * y) / 2)),
)
def complex_exponentials(x: Any, y: Any) -> Any:
    return tnp.real(tnp.exp(1j * x) * (1 + 2j) * y) + tnp.imag(tnp.exp(lax.complex(x, y) / 2))


@pooled(V, P, twin=lambda x, y: np.abs((x + 1j * y) ** 2 + 3j) + np.angle(x + 1j * y))
def complex_modulus(x: Any, y: Any) -> Any:
    z = x + 1j * y
    return tnp.abs(z**2 + 3j) + tnp.angle(z)


@pooled(M, N, twin=lambda a, b: np.real((a + 1j * b) @ np.conj(a + 1j * b).T @ (b - 1j * a)))
def complex_matrices(a: Any, b: Any) -> Any:
    z = a + 1j * b
    return tnp.real(z @ tnp.conj(z).T @ (b - 1j * a))


# --- control flow ------------------------------------------------------------------------------------


@pooled(V, S, twin=lambda x, s: np.sin(x) * s if s > 0 else x)
def cond(x: Any, s: Any) -> Any:
    return lax.cond(s > 0, lambda x: tnp.sin(x) * s, lambda x: x, x)


@pooled(V, twin=lambda x: np.exp(x) * x[1] if np.sum(x > 0) == 2 else x * np.nan)
def switch(x: Any) -> Any:
    branches = [lambda x: x * 0, lambda x: x**2, lambda x: tnp.exp(x) * x[1]]
    return lax.switch(tnp.sum(x > 0), branches, x)


def _iterated(x: Any, s: Any) -> Any:
    for i in range(4):
        x = np.sin(x) + s * i
    return x


@pooled(V, S, twin=_iterated)
def fori_loop(x: Any, s: Any) -> Any:
    return lax.fori_loop(0, 4, lambda i, x: tnp.sin(x) + s * i, x)


def _halved(x: Any, s: Any) -> Any:
    iterations = 0
    while np.sum(x * x) > 0.9:
        x, iterations = x * s + 0.05 * np.sin(x), iterations + 1
    return x * iterations


@pooled(np.array([1.6, -1.5, 2.1]), np.float64(0.4), twin=_halved, reverse=False)
def while_loop(x: Any, s: Any) -> Any:
    def body(state: Any) -> Any:
        x, iterations = state
        return x * s + 0.05 * tnp.sin(x), iterations + 1

    x, iterations = lax.while_loop(lambda state: tnp.sum(state[0] ** 2) > 0.9, body, (x, 0))
    return x * iterations


def _recurrence(x: Any, xs: Any) -> Any:
    ys = []
    for row in xs:
        x = np.tanh(x * row + 0.3)
        ys.append(x[0] * row[1])
    return x, np.stack(ys)


@pooled(V[:2], np.stack([M[0], M[1], N[0]]), twin=_recurrence)
def scan(x: Any, xs: Any) -> Any:
    def step(carry: Any, row: Any) -> Any:
        carry = tnp.tanh(carry * row + 0.3)
        return carry, carry[0] * row[1]

    return lax.scan(step, x, xs)


def _backwards(s: Any, tree: Any) -> Any:
    sums = np.zeros(3)
    for i in (2, 1, 0):
        s = s * tree["a"][i] + np.cos(tree["b"][0][i])
        sums[i] = s
    return sums


@pooled(S, {"a": V, "b": [W]}, twin=_backwards)
def reversed_scan_over_a_tree(s: Any, tree: Any) -> Any:
    def step(s: Any, at: Any) -> Any:
        s = s * at["a"] + tnp.cos(at["b"][0])
        return s, s

    return lax.scan(step, s, tree, reverse=True)[1]


def _branching(x: Any, ys: Any) -> Any:
    for y in ys:
        x = np.sin(x) * y if y > 0 else x + y
    return x


@pooled(V, W, twin=_branching)
def cond_in_scan(x: Any, ys: Any) -> Any:
    def step(x: Any, y: Any) -> Any:
        return lax.cond(y > 0, lambda x: tnp.sin(x) * y, lambda x: x + y, x), None

    return lax.scan(step, x, ys)[0]


@pooled(V, S, twin=lambda x, s: np.sin(x * s) ** 2 + np.cumprod(x + 2))
def map_and_associative_scan(x: Any, s: Any) -> Any:
    return lax.map(lambda each: tnp.sin(each * s) ** 2, x) + lax.associative_scan(
        tnp.multiply, x + 2
    )


def _newton(x: Any) -> Any:
    root = np.ones(3)
    for _ in range(5):
        root = 0.5 * (root + x / root)
    return root


@pooled(P, twin=_newton)
def loop_in_a_loop(x: Any) -> Any:
    def each(i: Any, roots: Any) -> Any:
        root = lax.fori_loop(0, 5, lambda _, r: 0.5 * (r + x[i] / r), x[i] * 0 + 1)
        return roots.at[i].set(root)

    return lax.fori_loop(0, 3, each, tnp.zeros(3))


# --- derivative rules of one's own -------------------------------------------------------------------


@treadle.custom_jvp
def softplus(x: Any) -> Any:
    """log(1 + exp(x)), differentiated by rule."""
    return tnp.log1p(tnp.exp(-tnp.abs(x))) + tnp.maximum(x, 0)


@softplus.defjvp
def _softplus_jvp(primals: Any, tangents: Any) -> Any:
    (x,), (dx,) = primals, tangents
    return softplus(x), dx / (1 + tnp.exp(-x))


@pooled(V, twin=lambda x: np.log(1 + np.exp(x)) * x)
def custom_jvp(x: Any) -> Any:
    return softplus(x) * x


@functools.partial(treadle.custom_jvp, nondiff_argnums=(0,))
def applied(function: Any, x: Any, y: Any) -> Any:
    """`function(x) * y`, with the derivative of sine in the place of the function's."""
    return function(x) * y


@applied.defjvp
def _applied_jvp(function: Any, primals: Any, tangents: Any) -> Any:
    (x, y), (dx, dy) = primals, tangents
    return function(x) * y, tnp.cos(x) * y * dx + function(x) * dy


@pooled(V, W, twin=lambda x, y: np.sin(x) * y)
def custom_jvp_with_a_function(x: Any, y: Any) -> Any:
    return applied(tnp.sin, x, y)


@treadle.custom_vjp
def scaled_sine(x: Any, tree: Any) -> Any:
    """`sin(x) * tree["s"]`, differentiated by rule."""
    return tnp.sin(x) * tree["s"]


def _scaled_sine_forward(x: Any, tree: Any) -> Any:
    return tnp.sin(x) * tree["s"], (x, tree["s"])


def _scaled_sine_backward(kept: Any, ct: Any) -> Any:
    x, s = kept
    return tnp.cos(x) * s * ct, {"s": tnp.sum(tnp.sin(x) * ct)}


scaled_sine.defvjp(_scaled_sine_forward, _scaled_sine_backward)


@pooled(V, S, twin=lambda x, s: np.sin(x) * s**2, forward=False)
def custom_vjp(x: Any, s: Any) -> Any:
    return scaled_sine(x, {"s": s * s})


def _sines(x: Any, s: Any) -> Any:
    for _ in range(3):
        x = np.sin(x) * s
    return x


@pooled(V, S, twin=_sines, forward=False)
def custom_vjp_in_a_loop(x: Any, s: Any) -> Any:
    return lax.scan(lambda x, _: (scaled_sine(x, {"s": s}), None), x, None, length=3)[0]


@pooled(V, S, twin=lambda x, s: np.log(1 + np.exp(x * s)) if s > 0 else x)
def custom_jvp_in_a_branch(x: Any, s: Any) -> Any:
    return lax.cond(s > 0, lambda x: softplus(x * s), lambda x: x, x)


# --- checkpoint --------------------------------------------------------------------------------------


@pooled(V, S, twin=lambda x, s: np.sin(np.sin(np.sin(x * s))) * x)
def checkpoint(x: Any, s: Any) -> Any:
    return treadle.checkpoint(lambda x: tnp.sin(tnp.sin(tnp.sin(x * s))))(x) * x


def _layers(x: Any, ms: Any) -> Any:
    for m in ms:
        x = np.tanh(m @ x)
    return x


@pooled(V[:2], np.stack([M, N]), twin=_layers)
def checkpoint_with_a_policy_in_scan(x: Any, ms: Any) -> Any:
    layer = functools.partial(treadle.checkpoint, policy=treadle.checkpoint_policies.dots_saveable)(
        lambda x, m: (tnp.tanh(m @ x), None)
    )
    return lax.scan(layer, x, ms)[0]


# --- transformations inside, closing over tracers of those outside -----------------------------------


@pooled(V, W, twin=lambda x, y: x * np.cos(y * x) * x)
def grad_over_outer_tracers(x: Any, y: Any) -> Any:
    return x * treadle.grad(lambda t: tnp.sum(tnp.sin(t * x)))(y)


@pooled(V, S, twin=lambda x, s: x * (2 * s * x + 1))
def jvp_over_outer_tracers(x: Any, s: Any) -> Any:
    # perturbation confusion: the inner derivative must not see the outer tangents
    return x * treadle.jvp(lambda t: s * t * t + t * x / x, (x,), (x * 0 + 1,))[1]


@pooled(V, M, twin=lambda x, m: np.stack([np.sin(row * x[0]) @ m for row in m]))
def vmap_over_outer_tracers(x: Any, m: Any) -> Any:
    return treadle.vmap(lambda row: tnp.sin(row * x[0]) @ m)(m)


@pooled(V, S, twin=lambda x, s: np.sin(x * s) + np.exp(-x) * s)
def jit_over_outer_tracers(x: Any, s: Any) -> Any:
    y = tnp.exp(-x)
    return treadle.jit(lambda t: tnp.sin(t * s) + y * s)(x)


@pooled(
    P[:2],
    twin=lambda x: np.array([[6 * x[0] * x[1], 3 * x[0] ** 2], [3 * x[0] ** 2, np.exp(x[1])]]),
)
def hessian(x: Any) -> Any:
    return treadle.hessian(lambda x: x[0] ** 3 * x[1] + tnp.exp(x[1]))(x)


@pooled(V, twin=lambda x: np.outer(np.cos(x), x) + 0.5 * np.diag(np.ones(3)) * x)
def jacobians(x: Any) -> Any:
    forward = treadle.jacfwd(tnp.sin)(x)
    backward = treadle.jacrev(lambda t: t * t / 4)(x)
    return tnp.sum(forward, axis=0)[:, None] * x + backward


@pooled(V, P, twin=lambda x, y: x / np.sum(x * y) + np.mean(y) * np.arange(3) + np.max(x))
def collectives(x: Any, y: Any) -> Any:
    def each(x: Any, y: Any) -> Any:
        return x / lax.psum(x * y, "i") + lax.pmean(y, "i") * lax.axis_index("i")

    return treadle.vmap(each, axis_name="i")(x, y) + tnp.max(x)


class Pair(NamedTuple):
    """Two arrays."""

    first: Any
    second: Any


@pooled(
    {"pair": Pair(V, (W, None)), "s": [S]},
    twin=lambda tree: Pair(
        {"sum": tree["pair"].first + tree["s"][0]}, [tree["pair"].second[0] * tree["s"][0], None]
    ),
)
def trees(tree: Any) -> Any:
    @functools.partial(treadle.jit, static_argnums=1)
    def inner(tree: Any, key: str) -> Any:
        pair = tree[key]
        return Pair({"sum": pair.first + tree["s"][0]}, [pair.second[0] * tree["s"][0], None])

    return inner(tree, "pair")


@pooled(V, S, twin=lambda x, s: np.sin(x * s) * s + x)
def jitted_methods_and_nesting(x: Any, s: Any) -> Any:
    inner = treadle.jit(lambda x: tnp.sin(x * s))
    outer = treadle.jit(lambda x: inner(x) * s + x)
    return outer(x)


@pooled(V, W, twin=lambda x, y: np.sin(x) * y)
def vjp_applied(x: Any, y: Any) -> Any:
    _, pull = treadle.vjp(lambda t: -tnp.cos(t), x)
    return pull(y)[0]


# --- random numbers: the twin has the numbers as constants, drawn outside of any transformation --------


@functools.cache
def _drawn(what: str) -> Any:
    with treadle.enable_x64():
        key = random.key(7)
        if what == "normal":
            return np.asarray(random.normal(key, (3,)))
        if what == "uniform":
            return np.stack([np.asarray(random.uniform(k, (3,))) for k in random.split(key, 2)])
        return np.asarray(random.permutation(key, 3))


@pooled(V, twin=lambda x: x * _drawn("normal") + np.sin(x))
def normal_numbers(x: Any) -> Any:
    return x * random.normal(random.key(7), (3,)) + tnp.sin(x)


@pooled(V, twin=lambda x: np.tanh(np.tanh(x * _drawn("uniform")[0]) * _drawn("uniform")[1]))
def keys_scanned(x: Any) -> Any:
    keys = random.split(random.key(7), 2)
    return lax.scan(lambda x, k: (tnp.tanh(x * random.uniform(k, (3,))), None), x, keys)[0]


@pooled(V, W, twin=lambda x, y: x[_drawn("permutation")] * y**2)
def permuted(x: Any, y: Any) -> Any:
    return x[random.permutation(random.key(7), 3)] * y**2
