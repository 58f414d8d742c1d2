from __future__ import annotations

from typing import Any

import pytest
from jaxlib.xla_client import HloSharding

import treadle
from treadle.errors import ArgumentError, UnsupportedError
from treadle.extend import lowering, sharding
from treadle.extend.core import Primitive
from treadle.interpreters import mlir


def test_bytes_there_and_back() -> None:
    for each in (
        HloSharding.replicate(),
        HloSharding.iota_tile((2, 4)),
        HloSharding.iota_tile((8,)),
    ):
        kept = sharding.get_serialized_proto_from_hlo_sharding(each)
        assert sharding.get_hlo_sharding_from_serialized_proto(kept) == each
        op = sharding.get_op_sharding_from_serialized_proto(kept)
        assert op.SerializeToString() == kept


def test_a_sharding_of_one_device() -> None:
    devices = treadle.devices()[:1]
    found = sharding.GSPMDSharding(devices, HloSharding.replicate())
    assert found.is_fully_replicated
    assert found == sharding.GSPMDSharding.get_replicated(devices)
    assert found == sharding.GSPMDSharding(devices, HloSharding.replicate().to_proto())
    x = treadle.device_put(treadle.numpy.arange(3), found)
    assert x.sharding == found


@pytest.mark.parametrize(
    "call",
    [
        lambda: sharding.get_op_sharding_from_serialized_proto("text"),  # type: ignore[arg-type]
        lambda: sharding.get_hlo_sharding_from_serialized_proto(b"\xff\xff\xff"),
        lambda: sharding.get_serialized_proto_from_hlo_sharding("text"),
        lambda: sharding.GSPMDSharding(treadle.devices()[:1], "text"),
        lambda: sharding.GSPMDSharding(["cpu"], HloSharding.replicate()),  # type: ignore[list-item]
        lambda: sharding.GSPMDSharding(treadle.devices()[:1], HloSharding.iota_tile((8,))),
    ],
)
def test_what_is_no_sharding_is_refused(call: Any) -> None:
    with pytest.raises(ArgumentError):
        call()


def test_a_sharding_that_says_nothing_of_parts_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="manual"):
        sharding.GSPMDSharding(treadle.devices()[:1], HloSharding.manual())


def test_the_context_of_rules() -> None:
    seen: list[Any] = []
    same_p = Primitive("same")
    same_p.def_abstract_eval(lambda x: x)

    def rule(ctx: lowering.LoweringRuleContext, x: Any) -> list[Any]:
        seen.append(isinstance(ctx.module_context.context, lowering.JaxIrContext))
        seen.append(isinstance(ctx, lowering.LoweringRuleContext))
        return [x]

    mlir.register_lowering(same_p, rule)
    assert float(treadle.jit(same_p.bind)(3.0)) == 3.0
    assert seen == [True, True]
    assert type(lowering.upstream_dialects).__name__ == "DialectRegistry"
    with pytest.raises(AttributeError, match="upstream"):
        lowering.upstream  # type: ignore[attr-defined]  # noqa: B018
