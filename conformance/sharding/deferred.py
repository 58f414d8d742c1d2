"""Sums that are put off: arrays over explicit axes that are `unreduced` are the arrays that they stand for.

Whatever is understood of them gives the values that it gives of whole arrays, exchanges nothing, and shows it in
types; what is not linear is refused. JAX 0.10.2 and 0.12 show the same types where they understand a program (they do
not of half of these).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from conformance.sharding.table import table
from treadle import lax
from treadle.errors import ShardingError, ShardingTypeError, UnsupportedError
from treadle.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

Program: TypeAlias = Callable[..., Any]  # Any: arrays, and trees of them

X: Final[Any] = np.arange(32, dtype=np.float32).reshape(8, 4)
U: Final = P(unreduced={"x"})
R: Final = P(reduced={"x"})


@functools.cache
def mesh() -> Mesh:
    """Four devices along `x`, two along `y`."""
    return treadle.make_mesh((4, 2), ("x", "y"), (AxisType.Explicit,) * 2)


def over_mesh() -> None:
    """The mesh is in force from here on."""
    treadle.set_mesh(mesh())


LAWS, law = table(over_mesh)


def and_reversed(a: Any) -> Any:
    """Twice an array, and the array from behind."""
    return a * 2 + a[::-1]


def scanned(a: Any) -> Any:
    """Doubled three times by a scan."""

    def step(carry: Any, _: Any) -> Any:
        return carry + carry, None

    return lax.scan(step, a, None, 3)[0]


def looped(a: Any) -> Any:
    """Tripled three times by a while loop."""

    def step(carry: Any) -> Any:
        return carry[0] + 1, 3 * carry[1]

    return lax.while_loop(lambda carry: carry[0] < 3, step, (0, a))[1]


LINEAR: Final[dict[str, tuple[Program, str]]] = {
    "negate": (lambda a: -a, "float32[8,4]{U:x}"),
    "add": (lambda a: a + a, "float32[8,4]{U:x}"),
    "subtract": (lambda a: a - 3 * a, "float32[8,4]{U:x}"),
    "times a number": (lambda a: a * 2 / 3, "float32[8,4]{U:x}"),
    "times an array": (lambda a: a * X, "float32[8,4]{U:x}"),
    "transpose": (lambda a: a.T, "float32[4,8]{U:x}"),
    "reshape": (lambda a: a.reshape(4, 2, 4), "float32[4,2,4]{U:x}"),
    "broadcast": (lambda a: tnp.broadcast_to(a, (2, 8, 4)), "float32[2,8,4]{U:x}"),
    "sum": (lambda a: a.sum(0), "float32[4]{U:x}"),
    "mean": (lambda a: a.mean(), "float32[]{U:x}"),
    "convert": (lambda a: a.astype(tnp.bfloat16), "bfloat16[8,4]{U:x}"),
    "complex": (lambda a: lax.complex(a, -a), "complex64[8,4]{U:x}"),
    "slice": (lambda a: a[2:6, ::2], "float32[4,2]{U:x}"),
    "take": (lambda a: tnp.take(a, np.array([5, 0]), axis=0), "float32[2,4]{U:x}"),
    "dynamic_slice": (lambda a: lax.dynamic_slice(a, (3, 1), (2, 2)), "float32[2,2]{U:x}"),
    "reverse": (lambda a: a[::-1], "float32[8,4]{U:x}"),
    "concatenate": (lambda a: tnp.concatenate([a, 2 * a]), "float32[16,4]{U:x}"),
    "cumsum": (lambda a: tnp.cumsum(a, 0), "float32[8,4]{U:x}"),
    "fft": (lambda a: tnp.fft.fft(a), "complex64[8,4]{U:x}"),
    "matmul": (lambda a: a @ X.T, "float32[8,8]{U:x}"),
    "pad": (lambda a: tnp.pad(a, 1, constant_values=3.0), "float32[10,6]{U:x}"),
    "tril": (tnp.tril, "float32[8,4]{U:x}"),
    "where": (lambda a: tnp.where(X > 9, a, X), "float32[8,4]{U:x}"),
    "vmap": (treadle.vmap(and_reversed), "float32[8,4]{U:x}"),
    "checkpoint": (treadle.checkpoint(and_reversed), "float32[8,4]{U:x}"),
    "jit": (treadle.jit(lambda a: a - a / 3), "float32[8,4]{U:x}"),
    "cond": (lambda a: lax.cond(True, lambda a: 2 * a, lambda a: a, a), "float32[8,4]{U:x}"),
    "scan": (scanned, "float32[8,4]{U:x}"),
    "while_loop": (looped, "float32[8,4]{U:x}"),
    "jvp": (lambda a: treadle.jvp(lambda a: 3 * a, (a,), (a,))[1], "float32[8,4]{U:x}"),
}

OTHERS: Final[dict[str, Program]] = {
    "sin": tnp.sin,
    "maximum": lambda a: tnp.maximum(a, a),
    "max": lambda a: a.max(),
    "square": lambda a: a * a,
    "power": lambda a: a**2,
    "product": lambda a: a @ a.T,
    "compare": lambda a: a == a,
    "sort": tnp.sort,
    "round": lambda a: a.astype(np.int32),
    "plus one": lambda a: a + 1,
    "times what is divided": lambda a: a * treadle.reshard(X, P("x")),
    "one over it": lambda a: 1 / a,
}


def exchanges(program: Program, *arguments: Any) -> int:
    """Count the collectives in a compiled program."""
    text = treadle.jit(program).lower(*arguments).compile().as_text()
    return sum([text.count(f"{name}(") for name in ("all-reduce", "all-gather", "all-to-all")])


def _linear(name: str) -> None:
    over_mesh()
    program, shown = LINEAR[name]
    expected = np.asarray(program(treadle.reshard(X, P())))
    summed = treadle.reshard(X, U)
    for way in (program, treadle.jit(program)):
        found = way(summed)
        assert str(treadle.typeof(found)) == shown
        np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-6)
    assert not exchanges(program, summed)


def _refused(name: str) -> None:
    over_mesh()
    for way in (OTHERS[name], treadle.jit(OTHERS[name])):
        with pytest.raises(ShardingTypeError, match="reshard"):
            way(treadle.reshard(X, U))


LAWS.update({f"linear, {name}": functools.partial(_linear, name) for name in LINEAR})
LAWS.update({f"refused, {name}": functools.partial(_refused, name) for name in OTHERS})


@law
def values() -> None:
    """An unreduced array is the sum of what devices have; put elsewhere, it is the same."""
    summed = treadle.device_put(X, P("y", unreduced={"x"}))
    terms = [np.asarray(each.data) for each in summed.addressable_shards]
    assert {term.shape for term in terms} == {(4, 4)}
    np.testing.assert_array_equal(sum(terms[::2]), X[:4])
    for spec in (P(), P("x"), P(None, "y"), U, P(unreduced={"y"}), P(unreduced={"x", "y"}), R):
        moved = treadle.device_put(summed, NamedSharding(mesh(), spec))
        again = treadle.jit(lambda a, spec=spec: treadle.reshard(a, spec))(summed)
        for each in (moved, again):
            assert each.sharding.is_equivalent_to(NamedSharding(mesh(), spec), 2)
            np.testing.assert_array_equal(np.asarray(each), X)
    assert float(treadle.reshard(X, U)[1, 2]) == X[1, 2]
    assert not summed.is_fully_replicated
    assert treadle.reshard(X, R).is_fully_replicated


@law
def captured_by_loops() -> None:
    """A sum that the body of a loop, or a branch, takes from around it."""
    summed = treadle.reshard(X, U)
    programs: dict[str, tuple[Program, float]] = {
        "fori_loop": (lambda a: lax.fori_loop(0, 3, lambda i, c: c + a, a), 4),
        "scan": (lambda a: lax.scan(lambda c, _: (a - 2 * c, a), a, None, 4)[0], 11),
        "stacked": (lambda a: lax.scan(lambda c, _: (c, 5 * a), 0, None, 2)[1].sum(0), 10),
        "switch": (lambda a: lax.switch(1, [lambda: a, lambda: 2 * a, lambda: a - a]), 2),
    }
    for program, factor in programs.values():
        for way in (program, treadle.jit(program)):
            np.testing.assert_allclose(np.asarray(way(summed)), factor * X, rtol=1e-6)


@law
def several_axes() -> None:
    """Sums over one axis and over two are different."""
    both = treadle.reshard(X, P(unreduced={"x", "y"}))
    assert str(treadle.typeof(both + both)) == "float32[8,4]{U:(x,y)}"
    np.testing.assert_array_equal(np.asarray(both + both), 2 * X)
    with pytest.raises(ShardingTypeError, match="different axes"):
        both + treadle.reshard(X, U)


@law
def products() -> None:
    """A product over divided axes is put off where that is asked for, also behind a transpose and a sum."""
    x = treadle.reshard(X, P("x"))
    programs: list[Program] = [
        lambda x: tnp.einsum("bi,bj->ij", x, x, out_sharding=U),
        lambda x: tnp.matmul(x.T, x, out_sharding=U),
        lambda x: treadle.sharding.auto_axes(lambda x: (x.T @ x).T + x.T @ x, out_sharding=U)(x),
    ]
    for program in programs:
        assert str(treadle.typeof(program(x))) == "float32[4,4]{U:x}"
        expected = np.asarray(program(treadle.reshard(X, P())))
        np.testing.assert_allclose(np.asarray(program(x)), expected, rtol=1e-6)
        np.testing.assert_allclose(np.asarray(treadle.jit(program)(x)), expected, rtol=1e-6)
        assert not exchanges(program, x)


@law
def what_is_left_to_the_compiler() -> None:
    """On automatic axes, partial sums are added up before any operation that is not linear."""
    summed = treadle.reshard(X, U)
    for program in (tnp.sin, tnp.sort, lambda a: a * a + 1, lambda a: (a @ a.T).max(0)):
        left = treadle.sharding.auto_axes(program, out_sharding=P())
        expected = np.asarray(program(treadle.reshard(X, P())))
        for way in (left, treadle.jit(left)):
            np.testing.assert_allclose(np.asarray(way(summed)), expected, rtol=1e-5)


def loss(w: Any, x: Any) -> Any:
    """Of a small network, with weights in a dictionary."""
    hidden = tnp.tanh(x @ w["a"] + w["b"])
    return ((hidden @ w["c"]) ** 2).sum()


def weights() -> Any:
    """For it."""
    fresh = np.random.default_rng(0).normal
    shapes = {"a": (4, 6), "b": (6,), "c": (6, 3)}
    made = {name: fresh(size=shape).astype(np.float32) for name, shape in shapes.items()}
    return treadle.reshard(made, P())


@law
def gradients() -> None:
    """Cotangents of what is reduced are unreduced, and the other way round."""
    w, x = weights(), treadle.reshard(X / 32, P("x"))
    plain = treadle.grad(loss)(w, x)
    reduced = treadle.reshard(w, R)
    for way in (treadle.grad(loss), treadle.jit(treadle.grad(loss))):
        found = way(reduced, x)
        assert {str(treadle.typeof(each))[-5:] for each in found.values()} == {"{U:x}"}
        for name, gradient in found.items():
            np.testing.assert_allclose(np.asarray(gradient), np.asarray(plain[name]), rtol=1e-4)
    assert not exchanges(treadle.grad(loss), reduced, x)
    assert exchanges(treadle.grad(loss), w, x)
    back = treadle.grad(lambda a: treadle.reshard(a, P()).sum())(treadle.reshard(X, U))
    assert str(treadle.typeof(back)) == "float32[8,4]{R:x}"


@law
def gradients_of_many_batches() -> None:
    """Gradients of weights that are reduced are added up once, behind the loop over batches."""
    w = weights()
    batches = treadle.reshard(np.stack([X / 32, X / 16, X / 8]), P(None, "x"))

    def added(w: Any, batches: Any) -> Any:
        reduced = treadle.reshard(w, R)
        none = treadle.tree.map(tnp.zeros_like, treadle.reshard(w, U))

        def step(total: Any, x: Any) -> Any:
            return treadle.tree.map(tnp.add, total, treadle.grad(loss)(reduced, x)), None

        return treadle.reshard(lax.scan(step, none, batches)[0], P())

    found = treadle.jit(added)(w, batches)
    each = [treadle.grad(loss)(w, batches[i]) for i in range(3)]
    for name in w:
        expected = sum([np.asarray(gradient[name]) for gradient in each])
        np.testing.assert_allclose(np.asarray(found[name]), expected, rtol=1e-4)
    assert exchanges(added, w, batches) == 1


@law
def what_is_reduced() -> None:
    """Results are reduced where operands are, except products, and operands that the same axes shard."""
    reduced, divided = treadle.reshard(X, R), treadle.reshard(X, P("x"))
    shown = {
        "float32[8,4]{R:x}": tnp.sin(reduced) * 2,
        "float32[4,8]{R:x}": reduced.T,
        "float32[8@x,4]": reduced + divided,
        "float32[8@x,8]": divided @ reduced.T,
        "float32[8,8]": reduced @ reduced.T,
    }
    for expected, found in shown.items():
        assert str(treadle.typeof(found)) == expected
    with pytest.raises(ShardingTypeError, match="not reduced over the same axes"):
        reduced + treadle.reshard(X, P())


@law
def mistakes() -> None:
    """Partial sums over invalid axes, and operations that do not accept them."""
    with pytest.raises(ShardingError, match="no explicit axis 'z'"):
        NamedSharding(mesh(), P(unreduced={"z"}))
    automatic = treadle.make_mesh((8,), ("x",), (AxisType.Auto,))
    with pytest.raises(ShardingError, match="no explicit axis 'x'"):
        NamedSharding(automatic, U)
    summed = treadle.reshard(X, U)
    with pytest.raises(ShardingError, match="terms and not parts"):
        summed.sharding.devices_indices_map((8, 4))
    with pytest.raises(ShardingError, match="terms and not parts"):
        treadle.make_array_from_callback((8, 4), summed.sharding, lambda part: X[part])
    with pytest.raises(UnsupportedError, match="shard_map"):
        treadle.shard_map(lambda a: a, in_specs=U, out_specs=P())(summed)
    with pytest.raises(ShardingTypeError, match="shard_map"):
        treadle.shard_map(lambda a: a, in_specs=P(), out_specs=P())(summed)
    with pytest.raises(UnsupportedError, match="export"):
        treadle.export.export(treadle.jit(lambda a: a + a))(summed)
    with pytest.raises(ShardingTypeError, match="a constraint moves nothing"):
        lax.with_sharding_constraint(summed, P())
