from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_ir import ArgumentError, PartitionSpec
from treadle_ir.errors import DonatedError
from treadle_ir.tree import tree_structure
from treadle_runtime import (
    DeviceArray,
    Mesh,
    NamedSharding,
    ShapeDtypeStruct,
    devices,
    from_host,
    jit,
)
from treadle_runtime.jitting import stages
from treadle_runtime.jitting.traced_call import as_before

ops: Any = treadle_ir.ops  # Any: tests ask more of results than an operand has


def array(*values: float) -> DeviceArray:
    return from_host(np.array(values, "f4"))


def double(x: Any, *, n: int = 1) -> Any:
    for _ in range(n):
        x = ops.add(x, x)
    return {"y": x}


def test_lower_then_compile_then_call() -> None:
    lowered = jit(double).lower(array(1, 2))
    assert "stablehlo.add" in lowered.as_text()
    assert "HloModule" in lowered.as_text("hlo")
    compiled = lowered.compile()
    assert compiled(array(1, 2))["y"].tolist() == [2, 4]
    assert compiled(np.array([3, 4], "f4"))["y"].tolist() == [6, 8]
    assert "HloModule" in compiled.as_text()
    assert compiled.cost_analysis()
    assert compiled.memory_analysis().argument_size_in_bytes == 8
    assert compiled.device is devices()[0]
    assert compiled.output_shardings["y"].device is devices()[0]
    assert compiled.input_shardings[0][0].device is devices()[0]


def test_compiled_functions_refuse_other_arguments() -> None:
    compiled = jit(double).lower(array(1, 2)).compile()
    with pytest.raises(TypeError, match=r"compiled for f32\[2\] at argument 0"):
        compiled(array(1, 2, 3))
    with pytest.raises(TypeError, match="structure"):
        compiled([array(1, 2)])


def test_shapes_are_enough() -> None:
    struct = ShapeDtypeStruct((2,), "f4")
    assert jit(double).eval_shape(struct) == {"y": struct}
    lowered = jit(double, static_argnames="n").lower(struct, n=3)
    assert lowered.out_info == {"y": struct}
    assert lowered.in_avals == ((struct,), {})
    assert lowered.compile()(array(1, 2), n=3)["y"].tolist() == [8, 16]
    with pytest.raises(ArgumentError, match="static"):
        lowered.compile()(array(1, 2), n=4)


def test_trace_shows_the_program() -> None:
    traced = jit(double).trace(array(1))
    assert [e.primitive.name for e in traced.program.equations] == ["add"]
    assert traced.fun_name == "double"
    assert traced.lower().compile()(array(1))["y"].tolist() == [2]


def test_what_a_stage_says_of_arguments_has_the_structure_of_its_in_tree() -> None:
    def scaled(count: int, x: Any, *, by: int, y: Any) -> Any:
        return ops.add(ops.multiply(x, np.float32(count)), ops.multiply(y, np.float32(by)))

    traced = jit(scaled, static_argnums=0, static_argnames="by").trace(
        2, array(1), by=3, y=array(4)
    )
    lowered = traced.lower()
    compiled = lowered.compile()
    for stage in (traced, lowered, compiled):
        assert tree_structure(stage.args_info) == stage.in_tree
        assert tree_structure(stage.in_avals) == stage.in_tree
    assert tree_structure(compiled.input_shardings) == compiled.in_tree
    assert tree_structure(compiled.input_formats) == compiled.in_tree
    assert compiled(2, array(1), by=3, y=array(4)).tolist() == [14]


def test_unknown_dialects_and_compiler_options() -> None:
    lowered = jit(double).lower(array(1))
    with pytest.raises(ArgumentError, match="dialect"):
        lowered.as_text("klingon")
    with pytest.raises(ValueError, match="xla_no_such_thing"):
        lowered.compile({"xla_no_such_thing": True})
    with pytest.raises(ValueError, match="xla_no_such_thing"):
        jit(double, compiler_options={"xla_no_such_thing": True})(array(1))
    not_a_dict: Any = ["xla_no_such_thing"]
    with pytest.raises(ArgumentError, match="compile: compiler_options must be a dict"):
        lowered.compile(not_a_dict)


def test_struct_repr() -> None:
    assert repr(ShapeDtypeStruct((2,), "f4")) == "ShapeDtypeStruct(shape=(2,), dtype=float32)"
    assert len(ShapeDtypeStruct((2, 3), "f4")) == 2
    assert ShapeDtypeStruct((2, 3), "f4").size == 6


def test_every_stage_says_what_it_knows_of_the_arguments() -> None:
    traced = jit(double, donate_argnums=0, static_argnames="n").trace(array(1, 2), n=2)
    lowered = traced.lower()
    compiled = lowered.compile()
    for stage in (traced, lowered, compiled):
        ((info,), named) = stage.args_info
        assert (info.shape, info.dtype, info.donated) == ((2,), np.float32, True)
        assert named == {}
        assert stage.donate_argnums == (0,)
        assert stage.in_avals == ((ShapeDtypeStruct((2,), "f4"),), {})
        assert stage.out_info["y"].shape == (2,)
    assert getattr(traced.jaxpr, "program", traced.jaxpr) is traced.program  # or a view of it
    assert traced.out_avals == traced.out_info
    assert traced.effects == frozenset()


def test_only_what_is_donated_is_said_to_be() -> None:
    traced = jit(lambda x, y, *, z: (x, z), donate_argnums=1, donate_argnames="z").trace(
        array(1), (array(2), array(3)), z=array(4)
    )
    assert traced.donate_argnums == (1, 2, 3)


def test_a_compiled_function_has_formats_and_a_method_call() -> None:
    compiled = jit(double).lower(array(1, 2)).compile()
    ((given,), _) = compiled.input_formats
    assert given.layout.major_to_minor == (0,)
    assert compiled.output_formats["y"].sharding.device is devices()[0]
    assert compiled.out_info["y"].sharding.device is devices()[0]
    assert compiled.call(array(1, 2))["y"].tolist() == [2, 4]


def test_parts_of_what_is_traced() -> None:
    weights = array(1, 2)
    call = jit(lambda x, n: ops.add(x, weights), static_argnums=1).trace(array(3, 4), 2)
    traced, arguments = call.parts
    assert traced.program is call.program
    assert [each is weights for each in traced.captured] == [True]
    assert arguments.statics is not None
    assert len(arguments.leaves) == 1


def test_devices_tell_each_other_their_sums() -> None:
    assert jit(double).lower(array(1, 2)).compile().collectives() == []
    mesh = Mesh(devices(), ("x",))
    total = jit(
        lambda x: ops.reduce_add(x, axes=(0,)),
        in_shardings=NamedSharding(mesh, PartitionSpec("x")),
        out_shardings=NamedSharding(mesh, PartitionSpec()),
    )
    (found,) = total.lower(np.ones((6, 5), "f4")).compile().collectives()
    assert (found.operation, found.operands) == ("all-reduce", ("f32[5]",))
    assert found.groups == ((0, 1, 2),)
    assert found.bytes_sent == -(-2 * 20 * 2 // 3)


def test_the_program_in_hlo_is_asked_for_as_jax_does() -> None:
    lowered = jit(lambda x: x).lower(np.float32(1))
    assert lowered.compiler_ir("hlo").as_hlo_text() == lowered.as_text("hlo")
    assert lowered.compiler_ir() == lowered.as_text()


def test_captured_arrays_become_an_argument() -> None:
    weights = array(1, 2)

    def scaled(x: object, factor: int, *, shift: object) -> dict[str, object]:
        return {"y": ops.add(ops.multiply(x, weights), shift)}

    call = jit(scaled, static_argnums=1).trace(array(3, 4), 2, shift=array(1, 1))
    arrays, function = call.closure_convert()
    assert [each is weights for each in arrays] == [True]
    given = [array(10, 20)], array(3, 4), 2
    assert function(*given, shift=array(1, 1))["y"].tolist() == [31, 81]
    assert function.__name__ == "scaled"
    again, traced = call.with_consts_as_arg()
    assert [each is weights for each in again] == [True]
    assert traced.fun_name == "scaled"
    assert len(traced.program.parameters) == 3
    assert traced.lower().compile()(*given, shift=array(1, 1))["y"].tolist() == [31, 81]
    with pytest.raises(ArgumentError, match="scaled was staged for arguments of structure"):
        function(arrays, array(3, 4), 2)
    with pytest.raises(ArgumentError, match="static values that differ"):
        function(arrays, array(3, 4), 3, shift=array(1, 1))
    with pytest.raises(ArgumentError, match="constants and arguments of types"):
        function([], array(3, 4), 2, shift=array(1, 1))


def test_a_compiled_function_is_called_without_its_static_arguments() -> None:
    by_name = jit(double, static_argnames="n").lower(array(1, 2), n=2).compile()
    assert by_name(array(1, 2))["y"].tolist() == by_name(array(1, 2), n=2)["y"].tolist() == [4, 8]

    def times(n: int, x: Any) -> Any:
        return double(x, n=n)

    compiled = jit(times, static_argnums=0).lower(2, array(1, 2)).compile()
    assert compiled(array(1, 2))["y"].tolist() == compiled(2, array(1, 2))["y"].tolist() == [4, 8]
    with pytest.raises(ArgumentError, match="static values that differ"):
        compiled(3, array(1, 2))
    with pytest.raises(ArgumentError, match="called with"):
        compiled()


def test_a_call_like_the_last_one_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    taken_apart = []
    before = as_before

    def recorded(*args: Any) -> Any:
        taken_apart.append(args)
        return before(*args)

    monkeypatch.setattr(stages, "as_before", recorded)
    compiled = jit(double, static_argnames="n").lower(array(1, 2), n=2).compile()
    found = [compiled(array(k, 2), n=2)["y"].tolist() for k in range(3)]
    assert (found, len(taken_apart)) == ([[4 * k, 8] for k in range(3)], 1)
    with pytest.raises(ArgumentError, match="static values that differ"):
        compiled(array(1, 2), n=3)
    with pytest.raises(ArgumentError, match=r"called with f32\[3\]"):
        compiled(array(1, 2, 3), n=2)
    with pytest.raises(ArgumentError, match="called with"):
        compiled([array(1, 2)], n=2)
    assert compiled(array(3, 4))["y"].tolist() == compiled(array(3, 4), n=2)["y"].tolist()


def test_memory_that_a_compiled_function_was_given_is_gone_each_time() -> None:
    compiled = jit(double, donate_argnums=0).lower(array(1, 2)).compile()
    for _ in range(3):
        given = array(1, 2)
        assert compiled(given)["y"].tolist() == [2, 4]
        with pytest.raises(DonatedError, match="donated to double"):
            given.tolist()


def test_structures_of_arguments_are_of_positional_ones_and_keywords() -> None:
    traced = jit(double).trace(array(1))
    compiled = traced.lower().compile()
    found = {str(each.in_tree) for each in (traced, traced.lower(), compiled)}
    assert found == {"PyTreeDef(((*,), {}))"}


def test_programs_are_lowered_for_other_platforms() -> None:
    traced = jit(double).trace(array(1))
    elsewhere = traced.lower(lowering_platforms=("tpu", "cuda"))
    assert "stablehlo.add" in elsewhere.as_text()
    assert repr(elsewhere) == "<double, lowered for tpu>"
    with pytest.raises(ArgumentError, match="lowered for tpu, but its arguments are on cpu"):
        elsewhere.compile()
    here = traced.lower(lowering_platforms=("tpu", "cpu"))
    assert here.compile()(array(1))["y"].tolist() == [2]
    with pytest.raises(ArgumentError, match="there is no platform 'abacus'"):
        traced.lower(lowering_platforms=("abacus",))
