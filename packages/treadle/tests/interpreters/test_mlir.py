"""Lowering rules that build MLIR, as JAX's users write them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from jaxlib.mlir.dialects import stablehlo as hlo

import treadle
import treadle.numpy as tnp
from treadle import export, ffi
from treadle.core import ShapedArray
from treadle.errors import ArgumentError, ModuleError, UnsupportedError
from treadle.extend.core import Primitive
from treadle.interpreters import ad, batching, mlir, xla

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def primitive(rule: Callable[..., Any], *, results: Any = None) -> Primitive:
    """An operation with the types of its first operand, or these, and this builder."""
    made = Primitive("test_built")
    made.multiple_results = results is not None
    made.def_impl(partial(xla.apply_primitive, made))
    made.def_abstract_eval(lambda x, *_, **__: x if results is None else results)
    mlir.register_lowering(made, rule)
    return made


def test_operations_of_a_dialect() -> None:
    """A rule as the tutorials have it: classes of operations, functions of them, constants, `.result`."""

    def rule(ctx: Any, x: Any, y: Any, *, scale: float) -> Any:
        factor = mlir.ir_constant(np.full(ctx.avals_in[0].shape, scale, np.float32))
        return [hlo.tanh(hlo.AddOp(hlo.MulOp(x, factor).result, y).result)]

    made = primitive(rule)
    wanted = np.tanh(2.5 * X + X[::-1])
    np.testing.assert_allclose(made.bind(X, X[::-1], scale=2.5), wanted, rtol=1e-6)

    def twice(x: Any) -> Any:  # in one program, with other parameters, and inside of a loop
        x = made.bind(x, x, scale=2.0)
        return treadle.lax.fori_loop(0, 2, lambda _, x: made.bind(x, x, scale=0.5), x)

    once = np.tanh(1.5 * np.tanh(1.5 * np.tanh(3 * X)))
    np.testing.assert_allclose(treadle.jit(twice)(X), once, rtol=1e-5)


def test_rules_know_types_and_platform() -> None:
    seen: list[Any] = []

    def rule(ctx: Any, x: Any) -> Any:
        seen.append((ctx.avals_in, ctx.avals_out, ctx.platforms, ctx.primitive.name))
        seen.append(mlir.ir.RankedTensorType(x.type).shape)
        assert mlir.aval_to_ir_type(ctx.avals_in[0]) == x.type
        assert mlir.aval_to_ir_type(ctx.module_context, ctx.avals_in[0]) == x.type
        assert mlir.aval_to_ir_types(ctx.avals_in[0]) == (x.type,)
        assert str(mlir.dtype_to_ir_type(np.dtype(np.uint8))) == "ui8"
        return x

    np.testing.assert_array_equal(primitive(rule).bind(X), X)
    (avals_in, avals_out, platforms, name), shape = seen
    assert avals_in == avals_out == [treadle.typeof(X)]
    assert (platforms, name, shape) == ((treadle.default_backend(),), "test_built", [2, 3])


def test_several_results_in_sequences_and_as_operations() -> None:
    types = [ShapedArray((2, 3), np.float32), ShapedArray((), np.int32)]

    def rule(ctx: Any, x: Any) -> Any:
        return [(hlo.NegOp(x),), mlir.ir_constants(np.int32(7))]

    first, second = treadle.jit(primitive(rule, results=types).bind)(X)
    np.testing.assert_array_equal(first, -X)
    assert int(second) == 7


def test_attributes() -> None:
    def rule(ctx: Any, x: Any) -> Any:
        assert str(mlir.i32_attr(3)) == "3 : i32"
        assert str(mlir.i64_attr(3)) == "3 : i64"
        assert str(mlir.dense_int_elements([1, 2])) == "dense<[1, 2]> : tensor<2xi64>"
        assert str(mlir.shape_tensor(None, [4, 5]).type) == "tensor<2xi32>"
        turned = hlo.transpose(x, mlir.dense_int_array([1, 0]))
        (back,) = ctx.emit(
            "stablehlo.transpose", (turned,), ctx.avals_out, {"permutation": "array<i64: 1, 0>"}
        )
        return back

    np.testing.assert_array_equal(treadle.jit(primitive(rule).bind)(X), X)


@pytest.mark.parametrize(
    ("value", "type", "printed"),
    [
        (2, "tensor<i32>", "dense<2>"),
        (2.5, "tensor<f32>", "dense<2.500000e+00>"),
        (True, "tensor<i1>", "dense<true>"),
        (np.float16(1), "tensor<f16>", "dense<1.000000e+00>"),
        (np.array([1, 2], np.uint8), "tensor<2xui8>", "dense<[1, 2]>"),
        (np.zeros((0, 2), np.float32), "tensor<0x2xf32>", "dense<>"),
        (np.float64(1), "tensor<f32>", "dense<1.000000e+00>"),
        (1 + 2j, "tensor<complex<f32>>", "dense<(1.000000e+00,2.000000e+00)>"),
    ],
    ids=repr,
)
def test_constants(value: Any, type: str, printed: str) -> None:
    seen = []

    def rule(ctx: Any, x: Any) -> Any:
        constant = mlir.ir_constant(value)
        seen.append((str(constant.type), str(constant.owner)))
        return x

    treadle.jit(primitive(rule).bind).lower(X)
    ((found, operation),) = seen
    assert found == type
    assert printed in operation


def test_functions_of_arrays_within_a_builder() -> None:
    table = np.array([1.0, 10.0, 100.0], np.float32)

    def function(x: Any, *, power: int) -> Any:
        return x**power + tnp.asarray(table), tnp.sin(x)

    def rule(ctx: Any, x: Any) -> Any:
        lowered = mlir.lower_fun(function)
        first, second = lowered(ctx, x, power=3)
        again, _ = lowered(ctx.replace(avals_in=ctx.avals_in[:1]), first, power=1)
        return hlo.add(again, second)

    wanted = X.astype(np.float64) ** 3 + 2 * table + np.sin(X)
    np.testing.assert_allclose(treadle.jit(primitive(rule).bind)(X), wanted, rtol=1e-6)


def test_rules_of_other_transformations_go_with_it() -> None:
    made = primitive(lambda ctx, x: hlo.multiply(x, x))
    ad.defjvp(made, lambda t, x: 2 * x * t)
    batching.defvectorized(made)
    gradient = treadle.jit(treadle.vmap(treadle.grad(lambda x: made.bind(x).sum())))(X)
    np.testing.assert_allclose(gradient, 2 * X)


BROKEN: dict[str, tuple[Callable[..., Any], str]] = {
    "type": (
        lambda ctx, x: hlo.compare(x, x, hlo.ComparisonDirectionAttr.get("EQ")),
        r"tensor<2x3xi1>",
    ),
    "number": (lambda ctx, x: [x, x], r"returned values of types \['tensor<2x3xf32>', "),
    "nothing": (lambda ctx, x: [], r"types \[\]"),
    "invalid": (
        lambda ctx, x: ctx.emit(
            "stablehlo.transpose", (x,), ctx.avals_out, {"permutation": "array<i64: 0, 0>"}
        ),
        r"not valid.*transpose",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_built_is_checked(name: str) -> None:
    rule, message = BROKEN[name]
    with pytest.raises(ModuleError, match=message) as caught:
        treadle.jit(primitive(rule).bind)(X)
    assert any("lowering" in note for note in caught.value.__notes__)


def test_what_a_rule_raises_goes_through_and_nothing_stays() -> None:
    def rule(ctx: Any, x: Any) -> Any:
        raise KeyError("mine")

    made = primitive(rule)
    for _ in range(2):
        with pytest.raises(KeyError, match="mine"):
            treadle.jit(lambda x: made.bind(x))(X)
    test_operations_of_a_dialect()


def test_python_is_called_back() -> None:
    calls: list[Any] = []

    def called(x: Any) -> tuple[Any, ...]:
        calls.append(np.shape(x))
        return (np.asarray(x)[::-1].copy(),)

    def rule(ctx: Any, x: Any) -> Any:
        results, token, keepalive = mlir.emit_python_callback(
            ctx, called, None, [x], ctx.avals_in, ctx.avals_out, has_side_effect=True
        )
        ctx.module_context.add_keepalive(keepalive)
        assert token is None
        with pytest.raises(UnsupportedError, match="tokens"):
            mlir.emit_python_callback(
                ctx, called, x, [x], ctx.avals_in, ctx.avals_out, has_side_effect=True
            )
        return results

    made = primitive(rule)
    np.testing.assert_array_equal(treadle.jit(lambda x: made.bind(x) + 1)(X), X[::-1] + 1)
    assert calls == [(2, 3)]


def test_calls_of_targets() -> None:
    rule = ffi.ffi_lowering(
        "some_target",
        operand_layouts=[(0, 1)],
        backend_config={"extra": np.int8(3)},
        has_side_effect=True,
        operand_output_aliases={0: 0},
    )
    text = treadle.jit(lambda x: primitive(rule).bind(x, eps=0.5, on=True)).lower(X).as_text()
    assert "@some_target(%arg0)" in text
    for part in (
        "eps = 5.000000e-01 : f64",
        "extra = 3 : i8",
        "on = true",
        "has_side_effect = true",
        "operand_layouts = [dense<[0, 1]> : tensor<2xindex>]",
        "result_layouts = [dense<[1, 0]> : tensor<2xindex>]",
        "operand_index = 0",
    ):
        assert part in text
    legacy = ffi.build_ffi_lowering_function("old", backend_config="text", api_version=2)
    text = treadle.jit(primitive(legacy).bind).lower(X).as_text()
    assert 'backend_config = "text"' in text


def test_a_target_of_jaxlib_is_called() -> None:
    """A factorisation by LAPACK, which jaxlib brings: what an extension author would write."""
    matrix = np.random.default_rng(0).normal(size=(40, 40)).astype(np.float32)
    positive = matrix @ matrix.T + 40 * np.eye(40, dtype=np.float32)
    types = [ShapedArray((40, 40), np.float32), ShapedArray((), np.int32)]
    made = primitive(
        ffi.ffi_lowering(
            "lapack_spotrf_ffi", operand_layouts=[(0, 1)], result_layouts=[(0, 1), ()]
        ),
        results=types,
    )
    factor, info = treadle.jit(lambda x: made.bind(x, uplo=np.uint8(ord("L"))))(positive)
    assert int(info) == 0
    np.testing.assert_allclose(np.tril(factor), np.linalg.cholesky(positive), rtol=1e-3, atol=1e-3)


def test_arguments_are_checked() -> None:
    with pytest.raises(ArgumentError, match="rule"):
        mlir.register_lowering(Primitive("test_unruled"), 3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="backend_config"):
        ffi.ffi_lowering("t", backend_config=3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="below 4"):
        ffi.ffi_lowering("t", backend_config="text")
    wrong = ffi.ffi_lowering("t", operand_layouts=[None, None])
    with pytest.raises(ArgumentError, match="2 layouts are given for 1"):
        treadle.jit(primitive(wrong).bind).lower(X)
    with pytest.raises(ArgumentError, match="cannot be an attribute"):
        treadle.jit(lambda x: primitive(ffi.ffi_lowering("t")).bind(x, a=None)).lower(X)


def test_rules_of_platforms() -> None:
    """`gpu` is every kind of GPU, and what no platform is called is refused."""
    made = primitive(lambda ctx, x: [x])
    mlir.register_lowering(made, lambda ctx, x: [hlo.add(x, x)], platform="gpu")
    for platform in ("cpu", "cuda", "rocm", "tpu"):
        text = export.export(treadle.jit(made.bind), platforms=[platform])(X).mlir_module(platform)
        assert ("stablehlo.add" in text) == (platform in {"cuda", "rocm"}), platform
    with pytest.raises(
        NotImplementedError, match="no platform 'abacus' for the rule of test_built"
    ):
        mlir.register_lowering(made, lambda ctx, x: [x], platform="abacus")
