"""Sums that are put off, in the text of a program; what the programs compute is in conformance/sharding/deferred.py."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from treadle_compiler import Partitioning, lower_program
from treadle_compiler.sums import axes_of, ends_of
from treadle_ir import AbstractMesh, ArrayType, AxisType, Program, bind, ops, stage
from treadle_ir.core import DimShardings, PartialSums, with_partial_sums
from treadle_ir.primitives.call import Call

MESH = AbstractMesh((4, 2), ("x", "y"), (AxisType.Explicit,) * 2)
TYPE = ArrayType((8, 4), np.dtype("f4"))
WHOLE: DimShardings = ((), ())
SUM: DimShardings = with_partial_sums(WHOLE, PartialSums(unreduced=frozenset({"x"})))
DIVIDED: DimShardings = (("x",), ())


def _text(program: Callable[[Any], Any], given: DimShardings, wanted: DimShardings | None) -> str:
    staged = stage(lambda x: [program(x)], TYPE)
    return lower_program(staged.program, partitioning=Partitioning(MESH, (given,), (wanted,))).text


def _regions(text: str) -> list[str]:
    """The operations in each region over `x`."""
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
    """A result of which nobody says how it lies is added up: XLA would say that it is whole."""
    for wanted in (None, WHOLE, DIVIDED):
        assert "sdy.sharding_constraint" in _text(lambda x: x, SUM, wanted)
    assert "select" in _text(lambda x: x, WHOLE, SUM)
    assert _regions(_text(lambda x: x, SUM, SUM)) == []


def test_a_product_is_made_as_a_sum_where_it_is_asked_for() -> None:
    def product(x: Any, layout: DimShardings, *, more: bool = False) -> Any:
        made = ops.dot_general(x, x, contracting=((0,), (0,)))
        laid = ops.sharding_constraint(
            ops.negate(ops.transpose(made, permutation=(1, 0))), mesh=MESH, layout=layout
        )
        return ops.add(ops.reduce_add(laid, axes=(0, 1)), ops.reduce_maximum(made, axes=(0, 1)))

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
    assert [*map(axes_of, ends_of(program, [SUM]))] == [{"x"}]
    assert ends_of(program, [None]) == [None]


def test_programs_without_sums_have_no_regions() -> None:
    assert "unreduced" not in _text(lambda x: ops.add(x, x), DIVIDED, DIVIDED)
