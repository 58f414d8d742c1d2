"""What a rule returned, compared with `infer`: the tests of each distribution do it with all its rules.

A rule whose results differ in type from the results of `infer` may go unnoticed for long: the operations after it are
traced with the wrong types as well. Weakness is not compared, since rules may return either.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle_ir.core.families import FunctionCall
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.types import Type
from treadle_ir.tracing.array import type_of


def expect_types(
    primitive: Primitive, what: str, found: Sequence[Type], wanted: Sequence[Type]
) -> None:
    """Compare types, ignoring weakness.

    Raises:
        AssertionError: they differ; the message has both.
    """
    assert [type.strong() for type in found] == [type.strong() for type in wanted], (
        f"{primitive.name}: {what} are {listed(found)}, but should be {listed(wanted)}"
    )


def expect_results(
    primitive: Primitive, rule: str, operands: Sequence[Type], results: Sequence[object]
) -> None:
    """Compare a rule's results with what `infer` says; a `FunctionCall` has no `infer`.

    Raises:
        AssertionError: they differ; the message has both.
    """
    if not isinstance(primitive, FunctionCall):
        found = [type_of(result) for result in results]
        expect_types(primitive, f"results of the {rule} rule", found, primitive.infer(*operands))


def listed(types: Sequence[Type]) -> str:
    """Return types as they appear in messages."""
    return f"({', '.join(map(str, types))})"
