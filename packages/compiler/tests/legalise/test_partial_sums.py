"""Partial sums in programs and in their text; what the programs compute is in conformance/sharding/deferred.py."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_compiler import Partitioning, lower_program
from treadle_compiler.legalise.partial_sums import materialise_partial_sums
from treadle_ir import AbstractMesh, ArrayType, AxisType, Program, bind, ops, stage
from treadle_ir.analysis import verify_program
from treadle_ir.core import DimShardings, PartialSums, with_partial_sums
from treadle_ir.primitives.call import Call
from treadle_ir.text import parse_program

MESH = AbstractMesh((4, 2), ("x", "y"), (AxisType.Explicit,) * 2)
TYPE = ArrayType((8, 4), np.dtype("f4"))
WHOLE: DimShardings = ((), ())
SUM: DimShardings = with_partial_sums(WHOLE, PartialSums(unreduced=frozenset({"x"})))
DIVIDED: DimShardings = (("x",), ())


Golden = Callable[..., None]


@pytest.fixture
def over_mesh(golden: Golden) -> Golden:
    """`golden`, with the mesh in the expected text for `MESH`."""
    mesh = 'AbstractMesh(axis_sizes=(4, 2), axis_names=("x", "y"), axis_types=(AxisType.Auto, AxisType.Auto))'

    def check(run: Callable[[Program], Program], before: str, after: str) -> None:
        golden(run, before, after.replace("OVER_X", 'mesh=MESH, axes=("x",)').replace("MESH", mesh))

    return check


def _made(given: DimShardings, wanted: DimShardings | None) -> Callable[[Program], Program]:
    partitioning = Partitioning(AbstractMesh((4, 2), ("x", "y")), (given,), (wanted,))
    return lambda program: materialise_partial_sums(program, partitioning)


def test_what_is_linear_is_mapped_over_terms_and_other_operations_add_up(over_mesh: Golden) -> None:
    over_mesh(
        _made(SUM, None),
        """
    program @main(%0: f32[8,4]) -> (f32[8,4]) {
      %1: f32[8,4] = multiply %0, 2.0:f32
      %2: f32[8,4] = sine %1
      return %2
    }
    """,
        """
    program @p0(%0: f32[8,4], %1: f32[]) -> (f32[8,4]) {
      %2: f32[8,4] = multiply %0, %1
      return %2
    }

    program @main(%0: f32[8,4]) -> (f32[8,4]) {
      %1: f32[8,4] = map_terms %0, 2.0:f32 {body=@p0, OVER_X, in_dims=((None, None), ()), terms=(True, False)}
      %2: f32[8,4] = sharding_constraint %1 {mesh=MESH, layout=(None, None)}
      %3: f32[8,4] = sine %2
      return %3
    }
    """,
    )


def test_an_array_is_the_term_of_the_first_device(over_mesh: Golden) -> None:
    over_mesh(
        _made(WHOLE, SUM),
        """
    program @main(%0: f32[8,4]) -> (f32[8,4]) {
      return %0
    }
    """,
        """
    program @p0(%0: f32[8,4], %1: i32[1]) -> (f32[8,4]) {
      %2: i32[] = reshape %1 {shape=()}
      %3: bool[] = compare %2, 0:i32 {direction="eq"}
      %4: f32[8,4] = broadcast_in_dim 0.0:f32 {shape=(8, 4), dimensions=()}
      %5: f32[8,4] = select %3, %0, %4
      return %5
    }

    program @main(%0: f32[8,4]) -> (f32[8,4]) {
      %1: i32[4] = iota {shape=(4,), dtype=i32, dimension=0}
      %2: f32[8,4] = map_terms %0, %1 {body=@p0, OVER_X, in_dims=((None, None), (("x",),)), terms=(False, False)}
      return %2
    }
    """,
    )


def test_a_carry_is_a_partial_sum_if_the_body_returns_one(over_mesh: Golden) -> None:
    """The second carry is not, and stacked results never are."""
    over_mesh(
        _made(SUM, SUM),
        """
    program @p0(%0: f32[8,4], %1: f32[8,4]) -> (f32[8,4], f32[8,4], f32[8,4]) {
      %2: f32[8,4] = negate %0
      %3: f32[8,4] = sine %1
      return %2, %3, %0
    }

    program @main(%0: f32[8,4]) -> (f32[8,4]) {
      %1: f32[8,4], %2: f32[8,4], %3: f32[3,8,4] = scan %0, %0 {body=@p0, length=3, carries=2}
      return %1
    }
    """,
        """
    program @p0(%0: f32[8,4]) -> (f32[8,4]) {
      %1: f32[8,4] = negate %0
      return %1
    }

    program @p1(%0: f32[8,4], %1: f32[8,4]) -> (f32[8,4], f32[8,4], f32[8,4]) {
      %2: f32[8,4] = map_terms %0 {body=@p0, OVER_X, in_dims=((None, None),), terms=(True,)}
      %3: f32[8,4] = sine %1
      %4: f32[8,4] = sharding_constraint %0 {mesh=MESH, layout=(None, None)}
      return %2, %3, %4
    }

    program @main(%0: f32[8,4]) -> (f32[8,4]) {
      %1: f32[8,4] = sharding_constraint %0 {mesh=MESH, layout=((), ()), unreduced=("x",)}
      %2: f32[8,4] = sharding_constraint %0 {mesh=MESH, layout=(None, None)}
      %3: f32[8,4], %4: f32[8,4], %5: f32[3,8,4] = scan %1, %2 {body=@p1, length=3, carries=2}
      %6: f32[8,4] = sharding_constraint %3 {mesh=MESH, layout=((), ()), unreduced=("x",)}
      return %6
    }
    """,
    )


def test_branches_agree_on_what_they_return(over_mesh: Golden) -> None:
    """One of them does not return a partial sum; the call in the other one is written in place."""
    over_mesh(
        _made(SUM, None),
        """
    program @p0(%0: f32[8,4]) -> (f32[8,4]) {
      %1: f32[8,4] = negate %0
      return %1
    }

    program @p1(%0: f32[8,4]) -> (f32[8,4]) {
      %1: f32[8,4] = call %0 {program=@p0, label="f"}
      return %1
    }

    program @p2(%0: f32[8,4]) -> (f32[8,4]) {
      %1: f32[8,4] = sine %0
      return %1
    }

    program @main(%0: f32[8,4]) -> (f32[8,4]) {
      %1: f32[8,4] = case 1:i32, %0 {branches=(@p1, @p2)}
      return %1
    }
    """,
        """
    program @p0(%0: f32[8,4]) -> (f32[8,4]) {
      %1: f32[8,4] = negate %0
      return %1
    }

    program @p1(%0: f32[8,4]) -> (f32[8,4]) {
      %1: f32[8,4] = map_terms %0 {body=@p0, OVER_X, in_dims=((None, None),), terms=(True,)}
      return %1
    }

    program @p2(%0: f32[8,4]) -> (f32[8,4]) {
      %1: f32[8,4] = call %0 {program=@p1, label="f", inlining="lowering"}
      %2: f32[8,4] = sharding_constraint %1 {mesh=MESH, layout=(None, None)}
      return %2
    }

    program @p3(%0: f32[8,4]) -> (f32[8,4]) {
      %1: f32[8,4] = sharding_constraint %0 {mesh=MESH, layout=(None, None)}
      %2: f32[8,4] = sine %1
      return %2
    }

    program @main(%0: f32[8,4]) -> (f32[8,4]) {
      %1: f32[8,4] = sharding_constraint %0 {mesh=MESH, layout=((), ()), unreduced=("x",)}
      %2: f32[8,4] = case 1:i32, %1 {branches=(@p2, @p3)}
      return %2
    }
    """,
    )


def test_programs_without_partial_sums_are_returned_as_they_are(golden: Golden) -> None:
    golden(
        _made(DIVIDED, None),
        """
    program @main(%0: f32[8,4]) -> (f32[8,4]) {
      %1: f32[8,4] = add %0, %0
      return %1
    }
    """,
    )


def test_a_materialised_program_is_one() -> None:
    """It reads back, and the verifier accepts it."""

    def function(x: Any) -> list[Any]:
        made = ops.dot_general(x, x, contracting=((0,), (0,)))
        return [ops.sharding_constraint(made, mesh=MESH, layout=SUM)]

    changed = _made(DIVIDED, SUM)(stage(function, TYPE).program)
    assert "map_terms" in str(changed)
    verify_program(changed)
    assert str(parse_program(str(changed))) == str(changed)


def _text(program: Callable[[Any], Any], given: DimShardings, wanted: DimShardings | None) -> str:
    staged = stage(lambda x: [program(x)], TYPE)
    return lower_program(staged.program, partitioning=Partitioning(MESH, (given,), (wanted,))).text


def _regions(text: str) -> list[str]:
    """Return the operations in each region over `x`."""
    inner = re.findall(r'"sdy\.manual_computation"\(.*?\) \(\{\n(.*?)\n\}\)', text, re.DOTALL)
    return [" ".join(re.findall(r'"\w+\.(\w+)"', each)) for each in inner]


def test_linear_operations_are_done_term_by_term() -> None:
    text = _text(lambda x: ops.add(ops.negate(x), x), SUM, SUM)
    assert _regions(text) == ["negate return", "add return"]
    assert text.count('unreduced={"x"}') == 2 + 2 + 3  # of the program, and of the regions


def test_other_operations_add_up_first() -> None:
    text = _text(ops.sine, SUM, None)
    assert _regions(text) == []
    constraint, sine = text.index("sdy.sharding_constraint"), text.index("stablehlo.sine")
    assert constraint < sine
    assert text.count("unreduced") == 1  # of the parameter


def test_a_whole_array_is_a_sum_whose_other_terms_are_zero() -> None:
    text = _text(lambda x: ops.sharding_constraint(x, mesh=MESH, layout=SUM), WHOLE, SUM)
    (region,) = _regions(text)
    assert "compare" in region
    assert "select" in region


def test_results_are_what_is_wanted() -> None:
    """A result without a given sharding is added up: XLA would report that it is replicated."""
    for wanted in (None, WHOLE, DIVIDED):
        assert "sdy.sharding_constraint" in _text(lambda x: x, SUM, wanted)
    assert "select" in _text(lambda x: x, WHOLE, SUM)
    assert _regions(_text(lambda x: x, SUM, SUM)) == []


def test_a_product_is_made_as_a_sum_where_it_is_asked_for() -> None:
    def product(x: Any, layout: DimShardings, *, more: bool = False) -> Any:
        made = ops.dot_general(x, x, contracting=((0,), (0,)))
        requested = ops.sharding_constraint(
            ops.negate(ops.transpose(made, permutation=(1, 0))), mesh=MESH, layout=layout
        )
        return ops.add(
            ops.reduce_add(requested, axes=(0, 1)), ops.reduce_maximum(made, axes=(0, 1))
        )

    text = _text(
        lambda x: ops.sharding_constraint(
            ops.transpose(ops.dot_general(x, x, contracting=((0,), (0,))), permutation=(1, 0)),
            mesh=MESH,
            layout=SUM,
        ),
        DIVIDED,
        SUM,
    )
    assert _regions(text) == ["dot_general return", "transpose return"]
    assert "tensor<2x4xf32>" in text  # a part of the axis that is summed over
    # Somebody else wants the product: it is added up once, for all.
    assert "dot_general" not in " ".join(_regions(_text(lambda x: product(x, SUM), DIVIDED, None)))


def test_calls_of_calls_are_looked_at_once() -> None:
    """Each calls the one before twice: 2 ** 60 calls, of sixty programs."""
    program = stage(lambda x: [ops.negate(x)], TYPE).program
    for _ in range(60):

        def twice(x: Any, inner: Program = program) -> list[Any]:
            return [ops.add(*[bind(Call(inner, "inner"), x)[0] for _ in range(2)])]

        program = stage(twice, TYPE).program
    changed = materialise_partial_sums(program, Partitioning(MESH, (SUM,), (SUM,)))
    called = [each for each in changed.nested() if len(each.equations) > 1]
    assert len(called) == 59
    plain = Partitioning(MESH, (WHOLE,), (WHOLE,))
    assert materialise_partial_sums(program, plain) is program


def test_programs_without_sums_have_no_regions() -> None:
    assert "unreduced" not in _text(lambda x: ops.add(x, x), DIVIDED, DIVIDED)
