"""Functions whose user says how they are partitioned: where XLA is asked, and where they are in place."""

from __future__ import annotations

import numpy as np
import pytest

from treadle_compiler import lower_program, part_text
from treadle_compiler.custom_parts import partitioned_by
from treadle_compiler.partitioning import Partitioning
from treadle_ir import AbstractMesh, ArrayType, Program, UnsupportedError, ops, stage
from treadle_ir.primitives.collective import AllReduce
from treadle_ir.primitives.partitioned import CustomPartitioning
from treadle_ir.primitives.shard_map import inside_axes
from treadle_ir.process import frozen
from treadle_ir.tracing.trace import bind

_TYPE = ArrayType((8,), np.dtype("f4"))
_INNER = stage(lambda x: [ops.sine(x)], _TYPE).program
_MESH = AbstractMesh((4,), ("x",))
_OVER = Partitioning(_MESH, ((("x",),),), (None,))


@frozen
class Ruled:
    def rule(self, *given: object) -> str:
        return "#sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>"


def _program() -> Program:
    primitive = CustomPartitioning(_INNER, "f", Ruled())  # type: ignore[arg-type]
    return stage(lambda x: bind(primitive, x), _TYPE).program


def test_on_one_device_the_function_is_in_place():
    lowered = lower_program(_program())
    assert "stablehlo.sine" in lowered.text
    assert not lowered.custom_parts


def test_over_several_devices_it_is_a_custom_call_with_its_rule():
    lowered = lower_program(_program(), partitioning=_OVER)
    assert "stablehlo.sine" not in lowered.text
    assert "op_sharding_rule<([i])->([i]) {i=8}, custom>" in lowered.text
    (part,) = lowered.custom_parts
    assert (part.operands, part.results) == ((_TYPE,), (_TYPE,))


def test_the_program_of_one_device_speaks_of_groups_of_devices_and_no_mesh():
    with inside_axes(_MESH, ("x",), False):
        program = stage(lambda x: bind(AllReduce("add", ("x",)), x), _TYPE).program
    text = part_text(program, "cpu", _MESH)
    assert "replica_groups = dense<[[0, 1, 2, 3]]>" in text
    assert "sdy" not in text
    assert "num_partitions" not in text


def test_keys_are_of_one_compilation():
    class Client:
        platform = "cpu"

    text = lower_program(_program(), partitioning=_OVER).text
    with (
        partitioned_by(text, [lambda *_: ("", [], [])], Client) as first,
        partitioned_by(text, [lambda *_: ("", [], [])], Client) as second,
    ):
        assert first != second
        assert "custom partitioning 0." not in first + second


def test_only_jaxlibs_own_xla_asks():
    class Client:
        platform = "cuda"

    with (
        pytest.raises(UnsupportedError, match="platform cuda"),
        partitioned_by("", [lambda *_: ("", [], [])], Client),
    ):
        pass
