"""What functions need of a machine: traced, over meshes, backwards, with rules of libraries' own."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax
from treadle.core import ShapedArray
from treadle.errors import ArgumentError
from treadle.experimental.roofline import (
    RooflineResult,
    RooflineRuleContext,
    RooflineShape,
    register_roofline,
    register_standard_roofline,
    roofline,
    roofline_and_grad,
)
from treadle.experimental.roofline.own import own_rules
from treadle.extend.core import Primitive
from treadle.sharding import AbstractMesh, PartitionSpec as P

X = treadle.ShapeDtypeStruct((8, 16), np.float32)
W = treadle.ShapeDtypeStruct((16, 32), np.float32)
MESH = AbstractMesh((4, 2), ("x", "y"))


@pytest.fixture(autouse=True)
def _no_rules_left() -> Iterator[None]:
    yield
    own_rules.clear()


def test_types_and_needs_of_a_function() -> None:
    out, found = roofline(lambda d: {"z": tnp.sin(d["x"] @ d["w"])})({"x": X, "w": W})
    assert (out["z"].shape, out["z"].dtype) == ((8, 32), np.float32)
    assert found == RooflineResult(
        flops=8192,
        unfused_flops=8448,
        hbm_bytes=3584,
        unfused_hbm_bytes=5632,
        peak_hbm_bytes=2560,
    )


def test_what_is_not_needed_does_not_count() -> None:
    assert roofline(lambda x: (tnp.sin(x), x + 1)[1])(X)[1].unfused_flops == 128


def test_derivatives_of_custom_functions_do_not_count() -> None:
    assert roofline(treadle.nn.relu)(X)[1].unfused_flops == 128
    assert roofline(treadle.checkpoint(tnp.sin))(X)[1].unfused_flops == 128


def test_solves_count_what_solves_them() -> None:
    def solved(b: treadle.Array) -> treadle.Array:
        return lax.custom_linear_solve(
            lambda x: 2.0 * x, b, lambda matvec, b: b / 2.0, symmetric=True
        )

    assert roofline(solved)(X)[1].unfused_flops == 128


def test_convolutions_count_without_their_padding() -> None:
    x, k = [treadle.ShapeDtypeStruct(each, np.float32) for each in ((2, 3, 10, 10), (4, 3, 3, 3))]
    _, found = roofline(lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "SAME"))(x, k)
    assert (found.flops, found.hbm_bytes) == (2 * 2 * 4 * 3 * 28 * 28, 6032)


def test_over_a_mesh_it_is_for_each_device() -> None:
    out, found = roofline(lambda x: lax.psum(x, "x"), MESH, P("x", "y"), P(None, "y"))(X)
    assert out.shape == (2, 16)
    assert found == RooflineResult(ici_bytes={"x": 96}, ici_latency={"x": 8}, peak_hbm_bytes=64)
    _, found = roofline(lambda x: lax.psum(x, ("x", "y")), MESH, P("x", "y"), P())(X)
    assert found.ici_bytes == {"x": 56, "y": 56}


def test_a_mesh_without_specifications_is_only_told_to_rules() -> None:
    assert roofline(lambda x: x @ x.T, MESH)(X)[1].flops == 2048


def test_shard_maps_within_count_as_well() -> None:
    @treadle.shard_map(mesh=MESH, in_specs=P("x", "y"), out_specs=P(None, "y"))
    def summed(x: treadle.Array) -> treadle.Array:
        return lax.psum(x, "x")

    assert roofline(lambda x: summed(x) + 1)(X)[1].ici_bytes == {"x": 96}


def test_backwards() -> None:
    gradients, found = roofline(lambda x, w: x @ w, vjp=True)(X, W)
    assert [each.shape for each in gradients] == [X.shape, W.shape]
    assert found.flops == 3 * 8192


def test_forwards_and_backwards() -> None:
    mesh = AbstractMesh((4,), ("x",))
    out, forward, backward = roofline_and_grad(lambda x, w: x @ w, mesh, (P("x"), P()), P("x"))(
        X, W
    )
    assert out.shape == (8, 32)
    assert (forward.flops, forward.ici_bytes) == (2048, {})
    assert (backward.flops, backward.hbm_bytes) == (4096, 2 * forward.hbm_bytes)
    assert backward.ici_bytes == {"x": 3072}  # the gradient of `w` is summed over the devices


def test_integers_have_no_cotangents() -> None:
    _, found = roofline(lambda x: (x @ x.T, x.argmax()), vjp=True)(X)
    assert found.flops == 2 * 2048 + 2048


def test_rules_of_libraries() -> None:
    twice_p = Primitive("twice")
    twice_p.def_abstract_eval(lambda x, *, times: x)

    def twice(x: treadle.Array) -> treadle.Array:
        return twice_p.bind(x, times=2)

    assert roofline(twice)(X)[1].unfused_hbm_bytes == 1024
    seen = []

    @register_roofline(twice_p)
    def rule(context: RooflineRuleContext, x: RooflineShape, *, times: int) -> RooflineResult:
        seen.append((context, x))
        return RooflineResult(flops=times * x.size)

    _, found = roofline(twice, MESH, pin_lhs_in_vmem=True)(X)
    assert (found.flops, found.unfused_flops, found.peak_hbm_bytes) == (256, 0, 512)
    ((context, x),) = seen
    assert context.primitive is twice_p
    assert context.mesh == MESH
    assert (context.pin_lhs_in_vmem, context.pin_rhs_in_vmem) == (True, False)
    assert list(map(RooflineShape.from_aval, context.avals_in)) == [x]
    assert context.avals_out == context.avals_in
    assert x == RooflineShape(shape=(8, 16), dtype=np.dtype(np.float32))


def test_a_rule_of_an_operation_of_treadles() -> None:
    @register_roofline(lax.sin_p)
    def rule(
        context: RooflineRuleContext, x: RooflineShape, **parameters: object
    ) -> RooflineResult:
        return RooflineResult(flops=x.size * 11)

    assert roofline(lambda x: tnp.cos(tnp.sin(x)))(X)[1].flops == 128 * 11


def test_standard_operations_need_nothing_of_their_own() -> None:
    tagged_p = Primitive("tagged")
    tagged_p.def_abstract_eval(lambda x: x)
    register_standard_roofline(tagged_p)
    assert roofline(tagged_p.bind)(X)[1] == RooflineResult(peak_hbm_bytes=512)


def test_shapes() -> None:
    aval = ShapedArray((2, 3), np.float32)
    shape = RooflineShape.from_aval(aval)
    assert (shape.size, shape.bytes, RooflineShape.total_bytes([aval, aval])) == (6, 24, 48)


def test_the_program_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    roofline(lambda x: x @ x.T, print_jaxpr=True)(X)
    assert "dot_general" in capsys.readouterr().out


def test_the_module_has_the_functions_too() -> None:
    module = import_module("treadle.experimental.roofline.roofline")
    assert module.roofline is roofline
    assert treadle.experimental.roofline.roofline is roofline


def test_messages() -> None:
    with pytest.raises(
        ArgumentError, match=r"^roofline: mesh must be a Mesh, an AbstractMesh or None"
    ):
        roofline(tnp.sin, "x")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"^register_roofline: prim must be a Primitive"):
        register_roofline("sin")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"^RooflineShape\.from_aval: aval must be"):
        RooflineShape.from_aval(3)  # type: ignore[arg-type]
    register_roofline(lax.sin_p)(lambda context, x, **parameters: 3)  # type: ignore[type-var]
    with pytest.raises(
        ArgumentError, match=r"^roofline: the rule of sin: the result must be a RooflineResult"
    ):
        roofline(tnp.sin)(X)
