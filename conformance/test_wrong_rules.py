"""The laws of each operation can fail: with a wrong rule in the place of one, each law finds it.

Each control changes one rule in one way and runs one law on an example of that operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import Phase, settings

import treadle
import treadle.numpy as tnp
from conformance import (
    test_attributes,
    test_batching,
    test_jvp,
    test_lowering,
    test_transpose,
)
from conformance.cases import chosen
from conformance.derivatives import law
from conformance.derivatives.row import scalar
from treadle_autodiff import (
    Zero,
    jvp_rules,
    linearize_rules,
    transpose_rules,
)
from treadle_batching import batch_rules
from treadle_compiler import lowering_rules
from treadle_ir import Primitive, RuleTable, ops, type_of
from treadle_ir.primitives import elementwise as e
from treadle_ir.primitives.contract import DotGeneral
from treadle_ir.primitives.control import Case
from treadle_ir.primitives.cumulative import CumulativeAdd
from treadle_ir.testing.examples import Example

Wrong = Callable[..., Any]  # a rule, and what it is called with


def example(id: str) -> Example:
    """The example of this name."""
    return next(each for each in chosen() if each.id == id)


@contextmanager
def wrong(table: RuleTable[Any], cls: type[Primitive], change: Wrong) -> Iterator[None]:
    """Call `change(rule, *arguments)` where the rule of a class would be called."""

    def wrapped(rule: Any) -> Any:
        def called(*arguments: Any) -> Any:
            # The primitive is the first argument, after the context in a lowering.
            if any(type(each) is cls for each in arguments[:2]):
                return change(rule, *arguments)
            return rule(*arguments)

        return called

    with table.wrapping(wrapped):
        yield


def negated(x: Any) -> Any:
    """The opposite of a tangent or cotangent."""
    return x if x is None or isinstance(x, Zero) else ops.negate(x)


def opposite_tangents(rule: Any, primitive: Any, primals: Any, tangents: Any) -> Any:
    """A derivative of the wrong sign."""
    results, found = rule(primitive, primals, tangents)
    return results, [negated(dy) for dy in found]


def opposite_cotangents(rule: Any, primitive: Any, cotangents: Any, operands: Any) -> Any:
    """A transpose of the wrong sign."""
    return [negated(ct) for ct in rule(primitive, cotangents, operands)]


def opposite_map(rule: Any, primitive: Any, primals: Any, nonzero: Any) -> Any:
    """A linear map of the wrong sign."""
    results, pushed = rule(primitive, primals, nonzero)
    return results, lambda tangents: [negated(dy) for dy in pushed(tangents)]


def wide_tangents(rule: Any, primitive: Any, primals: Any, tangents: Any) -> Any:
    """Return tangents whose element type differs from the results'."""
    results, found = rule(primitive, primals, tangents)
    return results, [np.asarray(dy).astype("c16") for dy in found]


def other_results(rule: Any, primitive: Any, primals: Any, tangents: Any) -> Any:
    """Results that differentiation changes, by one unit in the last place."""
    results, found = rule(primitive, primals, tangents)
    return [np.nextafter(np.asarray(y), np.inf) for y in results], found


def products_of_tangents(rule: Any, primitive: Any, primals: Any, tangents: Any) -> Any:
    """Tangents with a term that is not linear: it is there where both operands have tangents."""
    results, (dy,) = rule(primitive, primals, tangents)
    if any(isinstance(dx, Zero) for dx in tangents):
        return results, [dy]
    return results, [ops.add(dy, ops.multiply(*tangents))]


def rough_where_narrow(rule: Any, primitive: Any, primals: Any, tangents: Any) -> Any:
    """Tangents that are an eighth too great in one narrow type."""
    results, (dy,) = rule(primitive, primals, tangents)
    if type_of(dy).dtype == np.float16:
        dy = ops.multiply(dy, np.full(np.shape(dy), 1.125, np.float16))
    return results, [dy]


def swapped_batch(rule: Any, primitive: Any, axis: Any, operands: Any, dims: Any) -> Any:
    """Operands of the batched operation in the wrong order."""
    return rule(primitive, axis, operands[::-1], dims[::-1])


def other_axis(rule: Any, primitive: Any, axis: Any, operands: Any, dims: Any) -> Any:
    """Another axis of the operand, where it has several."""
    ndim = type_of(operands[0]).ndim - 1
    return rule(replace(primitive, axis=(primitive.axis - 1) % ndim), axis, operands, dims)


def swapped_lowering(rule: Any, context: Any, primitive: Any, x: Any, y: Any) -> Any:
    """Operands of the lowered operation in the wrong order."""
    return rule(context, primitive, y, x)


def without_precision(rule: Any, context: Any, primitive: Any, *operands: Any) -> Any:
    """A product that is lowered without the precision that it asks for."""
    return rule(context, replace(primitive, precision="default"), *operands)


def changing_lowering() -> Wrong:
    """A text that changes from one time to the next."""
    times = count()

    def change(rule: Any, context: Any, primitive: Any, x: Any, y: Any) -> Any:
        return rule(context, primitive, *((y, x) if next(times) % 2 else (x, y)))

    return change


PRODUCT: Final = "multiply(f64[],f64[])"
DIFFERENCE: Final = "subtract(f64[],f64[])"
SUMS: Final = "cumulative_add(f64[2,7])"

# Table, operation, what is wrong with its rule -> the law, and what it is asked about.
CONTROLS: Final = [
    (
        jvp_rules,
        e.Multiply,
        opposite_tangents,
        test_jvp.test_jvp_agrees_with_central_differences,
        (PRODUCT, 0),
    ),
    (
        jvp_rules,
        e.Sine,
        opposite_tangents,
        test_jvp.test_jvp_agrees_with_the_complex_step,
        ("sine(f64[])",),
    ),
    (
        jvp_rules,
        e.Multiply,
        wide_tangents,
        test_jvp.test_results_and_tangents_have_the_right_types,
        (PRODUCT,),
    ),
    (
        jvp_rules,
        e.Multiply,
        other_results,
        test_jvp.test_results_and_tangents_have_the_right_types,
        (PRODUCT,),
    ),
    (
        jvp_rules,
        e.Multiply,
        products_of_tangents,
        test_jvp.test_tangents_add_up_over_operands,
        (PRODUCT,),
    ),
    (
        linearize_rules,
        Case,
        opposite_map,
        test_jvp.test_linearize_agrees_with_jvp,
        ("case(i32[],f64[3],f64[3])-any",),
    ),
    # The first derivative of a sine is right, and the derivative of the cosine in it is not.
    (
        jvp_rules,
        e.Cosine,
        opposite_tangents,
        test_jvp.test_second_derivative_agrees_with_central_differences,
        ("sine(f64[])",),
    ),
    (
        jvp_rules,
        e.Multiply,
        rough_where_narrow,
        test_jvp.test_jvp_in_every_element_type_agrees_with_double,
        (e.Multiply, "f16"),
    ),
    (
        transpose_rules,
        e.Multiply,
        opposite_cotangents,
        test_transpose.test_forward_and_reverse_are_transposes,
        (PRODUCT, 0),
    ),
    (
        batch_rules,
        e.Subtract,
        swapped_batch,
        test_batching.test_batched_agrees_with_a_loop,
        (DIFFERENCE,),
    ),
    (
        batch_rules,
        CumulativeAdd,
        other_axis,
        test_batching.test_batched_agrees_with_a_loop,
        (SUMS,),
    ),
    (
        batch_rules,
        e.Subtract,
        swapped_batch,
        test_batching.test_batched_agrees_with_a_loop_in_every_element_type,
        (e.Subtract, "f32"),
    ),
    (
        batch_rules,
        CumulativeAdd,
        other_axis,
        test_batching.test_batched_twice_agrees_with_loops,
        (SUMS,),
    ),
    (
        batch_rules,
        e.Subtract,
        swapped_batch,
        test_batching.test_batched_agrees_with_a_loop_on_anything,
        (e.Subtract, 8),
    ),
    (
        lowering_rules,
        e.Subtract,
        swapped_lowering,
        test_lowering.test_compiled_agrees_with_reference,
        ([DIFFERENCE],),
    ),
    (
        lowering_rules,
        e.Subtract,
        swapped_lowering,
        test_lowering.test_compiled_agrees_in_every_element_type,
        (e.Subtract, "f32"),
    ),
    (
        lowering_rules,
        e.Subtract,
        swapped_lowering,
        test_lowering.test_compiled_agrees_on_anything,
        (e.Subtract, 8),
    ),
    (
        lowering_rules,
        e.Subtract,
        changing_lowering(),
        test_lowering.test_text_is_deterministic,
        (DIFFERENCE,),
    ),
    (
        lowering_rules,
        DotGeneral,
        without_precision,
        test_attributes.test_each_attribute_reaches_the_text,
        (DotGeneral,),
    ),
]


def _named(argument: Any) -> Any:
    """An argument of a law: examples are given by their names."""
    match argument:
        case str(id) if "(" in id:
            return example(id)
        case list(ids):
            return [example(id) for id in ids]
    return argument


@pytest.fixture
def without_shrinking() -> Iterator[None]:
    """Turn off hypothesis's shrinking: each smaller example would be compiled."""
    before = settings.get_current_profile_name()
    settings.register_profile(
        "unshrunk", settings.get_profile(before), phases=[Phase.explicit, Phase.generate]
    )
    settings.load_profile("unshrunk")
    yield
    settings.load_profile(before)


@pytest.mark.xla
@pytest.mark.usefixtures("without_shrinking")
@pytest.mark.parametrize(
    ("table", "cls", "change", "holds", "arguments"),
    CONTROLS,
    ids=[f"{holds.__name__}-{change.__name__}" for _, _, change, holds, _ in CONTROLS],
)
def test_a_wrong_rule_is_found(
    table: RuleTable[Any],
    cls: type[Primitive],
    change: Wrong,
    holds: Callable[..., None],
    arguments: Sequence[Any],
) -> None:
    given = [_named(argument) for argument in arguments]
    with wrong(table, cls, change), pytest.raises(AssertionError):
        holds(*given)


@pytest.mark.parametrize("jitted", [False, True])
def test_a_wrong_first_derivative_is_found(jitted: bool) -> None:
    """Every mode of the law of derivatives to third order uses the first derivative."""

    @treadle.custom_jvp
    def cube(x: Any) -> Any:
        return x**3

    @cube.defjvp
    def cube_jvp(primals: Any, tangents: Any) -> Any:
        return cube(*primals), -3 * primals[0] ** 2 * tangents[0]

    row = scalar("numpy.power", lambda x: x**3, 2.0, function=cube)
    said = law.wrong(row, jitted, law.true(row))
    assert [each.partition(" ")[0] for each in said] == [*law.MODES]
    right = scalar("numpy.power", lambda x: x**3, 2.0, function=lambda x: tnp.power(x, 3))
    assert not law.wrong(right, jitted, law.true(right))
