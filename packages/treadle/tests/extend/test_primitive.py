"""An operation of a library's own, in JAX's way, under every transformation."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.core import ShapedArray
from treadle.errors import ArgumentError, MissingRuleError
from treadle.extend.core import Primitive
from treadle.interpreters import ad, batching, mlir, xla

X = np.array([0.5, -1.0, 2.0], np.float32)


def multiply_add(x: Any, y: Any, z: Any, *, scale: float) -> Any:
    return multiply_add_p.bind(x, y, z, scale=scale)


multiply_add_p = Primitive("test_multiply_add")


@multiply_add_p.def_impl
def _impl(x: Any, y: Any, z: Any, *, scale: float) -> Any:
    return scale * x * y + z


@multiply_add_p.def_abstract_eval
def _types(x: Any, y: Any, z: Any, *, scale: float) -> Any:
    assert isinstance(x, ShapedArray)
    return ShapedArray(x.shape, x.dtype)


def _jvp(primals: Any, tangents: Any, *, scale: float) -> Any:
    x, y, z = primals
    dx, dy, dz = tangents
    total = dz
    for tangent, factor in ((dx, y), (dy, x)):
        if not isinstance(tangent, ad.Zero):
            zero = tnp.zeros_like(z)
            total = ad.add_tangents(total, multiply_add(tangent, factor, zero, scale=scale))
    return multiply_add(x, y, z, scale=scale), total


def _transpose(ct: Any, x: Any, y: Any, z: Any, *, scale: float) -> Any:
    assert ad.is_undefined_primal(x) != ad.is_undefined_primal(y)
    assert not ad.is_undefined_primal(x) or x.aval.shape == ct.shape
    zero = tnp.zeros_like(ct)
    if ad.is_undefined_primal(x):
        return (
            multiply_add(ct, y, zero, scale=scale),
            None,
            ct if ad.is_undefined_primal(z) else None,
        )
    return None, multiply_add(x, ct, zero, scale=scale), ct if ad.is_undefined_primal(z) else None


def _batch(operands: Any, dims: Any, *, scale: float) -> Any:
    size = next(x.shape[d] for x, d in zip(operands, dims, strict=True) if d is not None)
    moved = [batching.bdim_at_front(x, d, size) for x, d in zip(operands, dims, strict=True)]
    return multiply_add(*moved, scale=scale), 0


ad.primitive_jvps[multiply_add_p] = _jvp
ad.primitive_transposes[multiply_add_p] = _transpose
batching.primitive_batchers[multiply_add_p] = _batch
mlir.register_lowering(multiply_add_p, mlir.lower_fun(_impl, multiple_results=False))


def f(x: Any) -> Any:
    return multiply_add(x, tnp.sin(x), x, scale=2.0).sum()


def truth(x: Any) -> Any:
    return 2 * np.sin(x) + 2 * x * np.cos(x) + 1


@pytest.mark.parametrize("transform", [lambda f: f, treadle.jit], ids=["plain", "jit"])
def test_values_and_derivatives(transform: Any) -> None:
    np.testing.assert_allclose(transform(f)(X), (2 * X * np.sin(X) + X).sum(), rtol=1e-6)
    np.testing.assert_allclose(transform(treadle.grad(f))(X), truth(X), rtol=1e-5)
    np.testing.assert_allclose(treadle.grad(transform(f))(X), truth(X), rtol=1e-5)
    _, tangent = treadle.jvp(transform(f), (X,), (np.ones_like(X),))
    np.testing.assert_allclose(tangent, truth(X).sum(), rtol=1e-5)
    batch = np.stack([X, 2 * X])
    np.testing.assert_allclose(
        transform(treadle.vmap(treadle.grad(f)))(batch), truth(batch), rtol=1e-5
    )
    hessian = transform(treadle.hessian(f))(X)
    np.testing.assert_allclose(
        hessian, np.diag(4 * np.cos(X) - 2 * X * np.sin(X)), rtol=1e-4, atol=1e-5
    )


def test_in_loops_and_branches() -> None:
    def steps(x: Any) -> Any:
        def body(c: Any, _: None) -> Any:
            return lax.cond(
                c.sum() > 0, lambda c: multiply_add(c, c, c, scale=0.1), tnp.sin, c
            ), None

        return lax.scan(body, x, None, length=3)[0].sum()

    step = np.float32(1e-2)
    directions = [(steps(X + step * e) - steps(X - step * e)) / (2 * step) for e in np.eye(3)]
    np.testing.assert_allclose(treadle.jit(treadle.grad(steps))(X), directions, rtol=1e-2)


def test_results_in_a_list() -> None:
    split_p = Primitive("test_split")
    split_p.multiple_results = True
    split_p.def_impl(lambda x: [x[:1], x[1:]])
    split_p.def_abstract_eval(
        lambda x: [ShapedArray((1,), x.dtype), ShapedArray((x.shape[0] - 1,), x.dtype)]
    )
    mlir.register_lowering(split_p, mlir.lower_fun(lambda x: [x[:1], x[1:]]))
    for call in (split_p.bind, treadle.jit(split_p.bind)):
        first, rest = call(X)
        np.testing.assert_array_equal(first, X[:1])
        np.testing.assert_array_equal(rest, X[1:])


def test_one_axis_for_all_results_of_a_batch() -> None:
    """A batching rule may say once where the batch of all its results is."""
    both_p = Primitive("test_both")
    both_p.multiple_results = True
    both_p.def_impl(lambda x: [x, -x])
    both_p.def_abstract_eval(lambda x: [x, x])
    batching.primitive_batchers[both_p] = lambda xs, dims: (both_p.bind(*xs), dims[0])
    batch = np.stack([X, 2 * X], axis=1)
    kept, negated = treadle.vmap(both_p.bind, in_axes=1)(batch)
    np.testing.assert_array_equal(kept, batch.T)
    np.testing.assert_array_equal(negated, -batch.T)


def test_missing_rules_say_what_to_write() -> None:
    bare_p = Primitive("test_bare")
    with pytest.raises(MissingRuleError, match="Evaluation rule for 'test_bare' not implemented"):
        bare_p.bind(1.0)
    with pytest.raises(MissingRuleError, match="Abstract evaluation for 'test_bare'"):
        treadle.make_jaxpr(bare_p.bind)(1.0)
    bare_p.def_abstract_eval(lambda x: x)
    bare_p.def_impl(lambda x: x)
    with pytest.raises(MissingRuleError, match="Differentiation rule for 'test_bare'"):
        treadle.grad(bare_p.bind)(1.0)
    with pytest.raises(MissingRuleError, match="Batching rule for 'test_bare'"):
        treadle.vmap(bare_p.bind)(X)
    with pytest.raises(MissingRuleError, match="MLIR translation rule for primitive 'test_bare'"):
        treadle.jit(bare_p.bind)(1.0)
    ad.primitive_jvps[bare_p] = lambda primals, tangents: (
        bare_p.bind(*primals),
        bare_p.bind(*tangents),
    )
    with pytest.raises(MissingRuleError, match=r"Transpose rule .* for 'test_bare'"):
        treadle.grad(bare_p.bind)(1.0)


def test_recomputed_without_a_rule_for_xla() -> None:
    seen = []

    def noted(x: Any) -> Any:
        seen.append(float(x))
        return x

    seen_p = Primitive("seen")
    seen_p.def_impl(noted)
    seen_p.def_abstract_eval(lambda x: x)
    ad.deflinear2(seen_p, lambda ct, x: [seen_p.bind(ct)])

    f = treadle.checkpoint(lambda x: tnp.sin(2 * seen_p.bind(x)))
    value, slope = treadle.value_and_grad(f)(1.0)
    np.testing.assert_allclose([value, slope], [np.sin(2), 2 * np.cos(2)], rtol=1e-6)
    assert seen == [1.0, 1.0, float(slope)]  # computed, recomputed, the cotangent
    with pytest.raises(MissingRuleError, match="'seen' not found for platform"):
        treadle.jit(f)(1.0)


def test_mistakes() -> None:
    with pytest.raises(ArgumentError, match="Primitive"):
        Primitive(3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="def_impl"):
        Primitive("test_mistake").def_impl(3)  # type: ignore[type-var]
    wrong_p = Primitive("test_wrong")
    wrong_p.def_abstract_eval(lambda x: "text")
    with pytest.raises(ArgumentError, match="ShapedArray"):
        treadle.make_jaxpr(wrong_p.bind)(1.0)
    with pytest.raises(ArgumentError, match="a Primitive"):
        mlir.register_lowering(3, lambda context: None)  # type: ignore[arg-type]


def test_the_helpers_of_jax() -> None:
    cube_p = Primitive("test_cube")
    cube_p.def_abstract_eval(lambda x: x)
    mlir.register_lowering(cube_p, mlir.lower_fun(lambda x: x**3, multiple_results=False))
    cube_p.def_impl(partial(xla.apply_primitive, cube_p))
    ad.defjvp(cube_p, lambda dx, x: 3 * x**2 * dx)
    batching.defvectorized(cube_p)
    np.testing.assert_allclose(cube_p.bind(X), X**3, rtol=1e-6)
    np.testing.assert_allclose(treadle.vmap(treadle.grad(cube_p.bind))(X), 3 * X**2, rtol=1e-6)

    product_p = Primitive("test_product")
    product_p.def_impl(lambda x, y: x * y)
    product_p.def_abstract_eval(lambda x, y: x)
    ad.defbilinear(
        product_p,
        lambda ct, x, y: product_p.bind(ct, y),
        lambda ct, x, y: product_p.bind(x, ct),
    )
    batching.defbroadcasting(product_p)
    np.testing.assert_allclose(
        treadle.grad(lambda x: product_p.bind(x, tnp.sin(x)))(0.5),
        np.sin(0.5) + 0.5 * np.cos(0.5),
        rtol=1e-6,
    )
    out = treadle.vmap(product_p.bind, in_axes=(0, None))(X, 2.0)
    np.testing.assert_allclose(out, 2 * X)

    twice_p = Primitive("test_exp")
    twice_p.def_impl(tnp.exp)
    ad.defjvp2(twice_p, lambda dx, result, x: result * dx)
    np.testing.assert_allclose(treadle.grad(twice_p.bind)(1.0), np.e, rtol=1e-6)

    sum_p = Primitive("test_sum")
    sum_p.def_impl(lambda x, *, axes: x.sum(axes))
    batching.defreducer(sum_p)
    x = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
    for axis in range(3):
        out = treadle.vmap(lambda x: sum_p.bind(x, axes=(1,)), in_axes=axis)(x)
        np.testing.assert_allclose(out, np.moveaxis(x, axis, 0).sum(2))


def test_rules_that_need_the_axis() -> None:
    seen = []

    def rule(*arguments: Any) -> Any:
        *axis, operands, dims = arguments
        seen.append(axis)
        return operands[0], dims[0]

    for table in (batching.axis_primitive_batchers, batching.fancy_primitive_batchers):
        each_p = Primitive("test_axis")
        each_p.def_impl(lambda x: x)
        table[each_p] = rule
        treadle.vmap(each_p.bind, axis_name="i")(X)
    assert seen[0] == [3, "i", None]
    assert (seen[1][0].name, seen[1][0].size) == ("i", 3)


def test_equal_parameters_share_a_program() -> None:
    runs = []

    @treadle.jit
    def call(x: Any) -> Any:
        runs.append(0)
        return multiply_add(x, x, x, scale=3.0)

    for _ in range(3):
        call(X)
    assert len(runs) == 1
    first, second = (treadle.make_jaxpr(call)(X).eqns[0] for _ in range(2))
    assert first.params.keys() == second.params.keys()


def test_parameters_that_cannot_be_hashed() -> None:
    listed_p = Primitive("test_listed")
    listed_p.def_impl(lambda x, *, values: x + sum(values))
    listed_p.def_abstract_eval(lambda x, *, values: x)
    mlir.register_lowering(
        listed_p, mlir.lower_fun(lambda x, *, values: x + sum(values), multiple_results=False)
    )
    values = [1.0, tnp.array(2.0)]
    call = treadle.jit(lambda x: listed_p.bind(x, values=values))
    np.testing.assert_allclose(call(X), X + 3)
