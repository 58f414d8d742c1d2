"""The pipeline: nothing for programs without features, each stage for those that want to see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from treadle_compiler import Memories, Partitioning, lower_program
from treadle_compiler.legalise import Stage, Target, legalise
from treadle_compiler.legalise.rewriting import written_length
from treadle_compiler.settings import DUMP_IR_MODES, DUMP_IR_TO
from treadle_ir import AbstractMesh, Array, Program, bind, ops, stage
from treadle_ir.core import PartialSums, with_partial_sums
from treadle_ir.primitives.call import Call
from treadle_ir.testing.examples import array_type

NARROW = array_type("f8e5m2[3]")
PLAIN = array_type("f32[3]")


def test_a_program_without_features_is_returned_as_it_is() -> None:
    program = stage(lambda x: [ops.add(ops.sine(x), x)], PLAIN).program
    stages: list[Stage] = []
    for platform in ("cpu", "cuda"):
        assert legalise(program, Target(platform), stages.append) is program
    assert not stages


def _deep(depth: int) -> Program:
    program = stage(lambda x: [ops.exponential(x)], NARROW).program
    for _ in range(depth):
        program = stage(lambda x, inner=program: bind(Call(inner), x), NARROW).program
    return program


def test_programs_may_be_deep_within_one_another() -> None:
    changed = legalise(_deep(1500), Target("cpu"))
    assert sum(len(each.equations) for each in (changed, *changed.nested())) == 1500 + 3


def test_a_call_is_inlined_as_if_passes_had_added_nothing() -> None:
    """Else a program that was small enough to stand in place would become a function."""
    changed = legalise(_deep(0), Target("cpu"))
    assert len(changed.equations) == 3
    assert written_length(changed) == 1

    def four(x: Array) -> list[Array]:
        return [ops.exponential(ops.sine(ops.exponential(ops.sine(x))))]

    inner = Call(stage(four, NARROW).program)
    twice = stage(lambda x: bind(inner, *bind(inner, x)), NARROW).program
    assert "func.call" not in lower_program(twice, platform="cuda").text


@pytest.mark.parametrize("modes", [("jaxpr",), ("stablehlo",)])
def test_a_dump_has_the_program_after_each_pass_that_changed_it(
    tmp_path: Path, modes: tuple[str, ...]
) -> None:
    keys = array_type("key<rbg>[3]")

    def function(x: Array, key: Array) -> list[Array]:
        return [ops.exponential(x), ops.reverse(key, dimensions=(0,))]

    program = stage(function, NARROW, keys).program
    with DUMP_IR_TO.override(str(tmp_path)), DUMP_IR_MODES.override(modes):
        lower_program(program, name="f")
    texts = {path.name.split("_f_cpu")[1]: path.read_text() for path in tmp_path.iterdir()}
    if modes == ("stablehlo",):
        assert set(texts) == {".mlir"}
        return
    assert set(texts) == {
        ".treadle",
        ".1_widen_narrow_dtypes.treadle",
        ".2_split_elements.treadle",
    }
    assert texts[".treadle"] == f"{program}\n"
    assert "f32[3] = exponential" in texts[".1_widen_narrow_dtypes.treadle"]
    assert "unpack_elements" not in texts[".1_widen_narrow_dtypes.treadle"]
    assert "unpack_elements" in texts[".2_split_elements.treadle"]


def test_the_passes_that_place_values_are_the_last(tmp_path: Path) -> None:
    mesh = AbstractMesh((2,), ("x",))
    terms = with_partial_sums(((),), PartialSums(frozenset({"x"})))
    program = stage(lambda x: [ops.to_memory(ops.sine(x), kind="pinned_host")], PLAIN).program
    with DUMP_IR_TO.override(str(tmp_path)), DUMP_IR_MODES.override(("jaxpr",)):
        lower_program(
            program,
            name="f",
            partitioning=Partitioning(mesh, (terms,), (None,)),
            memories=Memories((None,), ("device",)),
        )
    names = sorted(path.name.split("_f_cpu")[1] for path in tmp_path.iterdir())
    assert names == [
        ".1_materialise_partial_sums.treadle",
        ".2_place_memories.treadle",
        ".treadle",
    ]
