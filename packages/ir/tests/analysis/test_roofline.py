"""What programs need of a machine, from their text."""

from __future__ import annotations

import pytest

from treadle_ir import Equation, FunctionCall, Program, Value, stage
from treadle_ir.analysis import Pinned, RooflineResult, program_cost, program_roofline
from treadle_ir.core import inferred
from treadle_ir.core.equality import has_programs
from treadle_ir.core.mesh import AbstractMesh
from treadle_ir.primitives.elementwise import Sine
from treadle_ir.testing.examples import Example, all_examples
from treadle_ir.text import parse_program
from treadle_ir.tracing.trace import bind


def needed(
    *lines: str, parameters: str = "%x: f32[8,16], %y: f32[16,32]", before: str = ""
) -> RooflineResult:
    return program_roofline(parse_program(text(*lines, parameters=parameters, before=before)))


def text(*lines: str, parameters: str = "%x: f32[8,16], %y: f32[16,32]", before: str = "") -> str:
    body = "".join(f"  {line}\n" for line in lines)
    return f"treadle 1\n\n{before}program @main({parameters}) {{\n{body}}}\n"


DOT = "%z: f32[8,32] = dot_general %x, %y {contracting=((1,), (0,))}"
X, Y, Z = 8 * 16 * 4, 16 * 32 * 4, 8 * 32 * 4


def test_products_go_through_memory() -> None:
    assert needed(DOT, "return %z") == RooflineResult(
        flops=2 * 8 * 16 * 32,
        unfused_flops=2 * 8 * 16 * 32,
        hbm_bytes=X + Y + Z,
        unfused_hbm_bytes=X + Y + Z,
        peak_hbm_bytes=X + Y,
    )


def test_what_fuses_counts_only_unfused() -> None:
    found = needed("%z: f32[8,16] = sine %x", "%w: f32[8,16] = add %z, 1.0:f32", "return %w")
    assert found == RooflineResult(unfused_flops=256, unfused_hbm_bytes=4 * X + 4, peak_hbm_bytes=X)


def test_moving_and_converting_is_free() -> None:
    found = needed(
        "%z: f32[16,8] = transpose %x {permutation=(1, 0)}",
        "%w: f64[16,8] = convert %z {dtype=f64}",
        "return %w",
    )
    assert found == RooflineResult(peak_hbm_bytes=2 * X)


def test_pinned_operands_are_not_read_and_results_stay_with_the_left_one() -> None:
    program = parse_program(text(DOT, "return %z"))
    assert program_roofline(program, pinned=Pinned(left=True)).hbm_bytes == Y
    assert program_roofline(program, pinned=Pinned(right=True)).hbm_bytes == X + Z
    assert program_roofline(program, pinned=Pinned(left=True, right=True)).hbm_bytes == 0


def test_reading_and_writing_at_places_moves_only_what_is_there() -> None:
    parameters = "%x: f32[100,4], %i: i32[], %u: f32[2,4]"
    found = needed(
        "%z: f32[2,4] = dynamic_slice %x, %i, %i {sizes=(2, 4)}", "return %z", parameters=parameters
    )
    assert found.unfused_hbm_bytes == 2 * 32 + 2 * 4
    found = needed(
        "%z: f32[100,4] = dynamic_update_slice %x, %u, %i, %i", "return %z", parameters=parameters
    )
    assert found.unfused_hbm_bytes == 2 * 32 + 2 * 4


BODY = """program @body(%c: f32[4,4], %x: f32[4,4]) {
  %d: f32[4,4] = dot_general %c, %x {contracting=((1,), (0,))}
  return %d
}

"""


def test_a_scan_counts_as_often_as_it_runs() -> None:
    found = needed(
        "%z: f32[4,4] = scan %c, %x {body=@body, length=5, carries=1}",
        "return %z",
        parameters="%c: f32[4,4], %x: f32[5,4,4]",
        before=BODY,
    )
    assert found.flops == 5 * 2 * 4**3
    assert found.hbm_bytes == 5 * 3 * 64
    assert found.peak_hbm_bytes == 6 * 64


CHOICES = """program @small(%x: f32[4,4]) {
  return %x
}

program @large(%x: f32[4,4]) {
  %y: f32[4,4] = dot_general %x, %x {contracting=((1,), (0,))}
  return %y
}

"""


def test_a_choice_counts_its_largest_branch() -> None:
    line = "%z: f32[4,4] = case %i, %x {branches=(@small, @large)}"
    found = needed(line, "return %z", parameters="%i: i32[], %x: f32[4,4]", before=CHOICES)
    assert found.flops == 2 * 4**3


def test_values_that_are_needed_later_take_memory_meanwhile() -> None:
    lines = ("%a: f32[8,16] = sine %x", "%b: f32[8,16] = cosine %a", "%c: f32[8,16] = add %b, %x")
    assert needed(*lines, "return %c").peak_hbm_bytes == 2 * X


def test_what_is_inside_of_a_shard_map_is_for_one_device() -> None:
    program = parse_program(
        """treadle 1

program @part(%x: f32[2,16]) -> (f32[2,16]) {
  %y: f32[2,16] = sine %x
  %z: f32[2,16] = all_reduce %y {reduction="add", axis_names=("data",), invariant=True} !named_axis
  return %z
}

program @main(%x: f32[8,16]) -> (f32[2,16]) {
  %y: f32[2,16] = shard_map %x {body=@part, mesh=MESH, LAYOUTS}
  return %y
}
""".replace("MESH", 'AbstractMesh(axis_sizes=(4,), axis_names=("data",))').replace(
            "LAYOUTS",
            'in_layouts=((("data",), ()),), out_layouts=(((), ()),), manual_axes=("data",)',
        )
    )
    assert program_roofline(program) == RooflineResult(
        unfused_flops=32,
        unfused_hbm_bytes=2 * 128,
        peak_hbm_bytes=128,
        ici_bytes={"data": 2 * 128 * 3 // 4},
        ici_latency={"data": 8},
    )


def test_a_rule_from_outside_comes_first_and_knows_the_mesh() -> None:
    mesh = AbstractMesh((2,), ("x",))
    meshes = []

    def own(equation: Equation, mesh: AbstractMesh | None) -> RooflineResult | None:
        if not isinstance(equation.primitive, Sine):
            return None
        meshes.append(mesh)
        return RooflineResult(flops=7, peak_hbm_bytes=1 << 20)

    program = parse_program(
        text("%a: f32[8,16] = sine %x", "%b: f32[8,16] = cosine %a", "return %b")
    )
    found = program_roofline(program, mesh, own=own)
    assert (found.flops, found.unfused_flops, found.peak_hbm_bytes) == (7, 128, 1 << 20)
    assert meshes == [mesh]


def test_results_add_up_and_multiply() -> None:
    one = RooflineResult(flops=1, peak_hbm_bytes=3, ici_bytes={"x": 3})
    other = RooflineResult(flops=2, peak_hbm_bytes=2, ici_bytes={"x": 2, "y": 1})
    assert one + other == RooflineResult(flops=3, peak_hbm_bytes=3, ici_bytes={"x": 5, "y": 1})
    assert 2.5 * one == one * 2.5 == RooflineResult(flops=2, peak_hbm_bytes=7, ici_bytes={"x": 7})
    assert (one + other).without(one) == RooflineResult(
        flops=2, peak_hbm_bytes=3, ici_bytes={"x": 2, "y": 1}
    )
    assert RooflineResult.zeros() == RooflineResult()


@pytest.mark.parametrize("example", [*all_examples()], ids=lambda example: example.id)
def test_each_operation_needs_something_sensible(example: Example) -> None:
    primitive = example.primitive
    if isinstance(primitive, FunctionCall):
        program = stage(lambda *xs: bind(primitive, *xs), *example.types).program
    else:
        parameters = tuple([Value(type) for type in example.types])
        types, effects = inferred(primitive, example.types)
        results = tuple([Value(type) for type in types])
        equation = Equation(primitive, parameters, results, effects)
        program = Program(parameters, (equation,), results)
    found = program_roofline(program, AbstractMesh((2,), ("x",)))
    assert 0 <= found.flops <= found.unfused_flops
    assert 0 <= found.hbm_bytes <= found.unfused_hbm_bytes
    assert found.peak_hbm_bytes >= sum([value.type.nbytes for value in {*program.results}])
    if not has_programs(primitive):
        assert found.unfused_flops == program_cost(program).flops
