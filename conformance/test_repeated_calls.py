"""The law of repeated calls: the first, second and third call give the same bits or the same error, as do cold caches.

A composed function runs operation by operation when its arguments are met first, and as a whole from then on; an
operation has one kernel when it is met first, and might have another one later. Whatever was called before, and however
the elements lie in memory, must not be seen in the results.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
import pytest

import treadle
from conformance.effort import LONG
from conformance.functions import is_composed
from conformance.hostile.calls import Call, calls
from conformance.special_values import VALUES, VIEWS, Variant, empty, varied
from treadle_ir.tracing import current_evaluator
from treadle_runtime.evaluation import plans

pytestmark = pytest.mark.installed

FEW = 1  # variants that a function gets in addition to `mixed`; they differ between functions


# Functions that are given no numbers of the greatest size, with the reason; distributions are made of them.
FINITE = dict.fromkeys(
    ["special.hyp1f1", "special.hyp2f1", "special.digamma"], "their kernels add terms for seconds"
)


def composed_calls(*, loops: bool) -> list[Call]:
    """The calls of composed functions with loops, or without."""
    return [call for call in calls() if is_composed(call.function, loops=loops)]


@pytest.fixture(autouse=True)
def programs() -> None:
    """Not checked here: `test_composed` makes the same ones."""


@pytest.fixture(autouse=True)
def checked_rules() -> None:
    """No rules of transformations run here."""


def forget() -> None:
    """Let the evaluator forget what it has met."""
    evaluator: Any = current_evaluator()
    evaluator.clear()


def outcome(call: Call, variant: Variant) -> list[Any]:
    """Types and bits of all results, or the error."""
    positional, named = varied(call, variant)
    try:
        result = call.function(*positional, **named)
    except Exception as error:  # of whatever kind: the others have to be of this kind, too
        return [type(error), str(error)]
    leaves, structure = treadle.tree.flatten(result)
    return [structure, *[_bits(leaf) for leaf in leaves]]


def _bits(leaf: Any) -> Any:
    if not isinstance(leaf, treadle.Array):
        return repr(leaf)
    elements = np.asarray(leaf)
    # The sign of a NaN has no meaning, and depends on which operand a processor takes it from.
    bits = (
        np.where(np.isnan(elements), np.nan, elements) if elements.dtype.kind in "fc" else elements
    )
    return str(treadle.typeof(leaf)), bits.tobytes()


def chosen(call: Call) -> dict[str, Variant]:
    """The variants of a function's arguments that are tried."""
    found = VALUES | VIEWS
    if call.name in FINITE or call.name.startswith("stats."):
        return {name: found[name] for name in ("as they are", "NaN", "strided")}
    first = crc32(call.name.encode())
    names = [*found]
    few = ["mixed", *[names[(first + 3 * i) % len(names)] for i in range(FEW)]]
    return found if LONG else {name: found[name] for name in few}


def assert_repeatable(call: Call, variants: dict[str, Variant]) -> None:
    """Compare cold calls of all variants, which have one kind of arguments, with later ones."""
    cold = {}
    for name, variant in variants.items():
        forget()
        cold[name] = outcome(call, variant)
    for place in ("second", "third"):
        for name, variant in variants.items():
            assert outcome(call, variant) == cold[name], f"the {place} call, {name}"


@pytest.mark.skipif(treadle.default_backend() != "cpu", reason="on a device all is compiled")
@pytest.mark.parametrize("call", composed_calls(loops=False), ids=lambda call: call.name)
def test_a_composed_function_gives_the_same_each_time(call: Call) -> None:
    assert_repeatable(call, chosen(call))
    assert_repeatable(call, {"empty": empty})


@pytest.mark.skipif(treadle.default_backend() != "cpu", reason="on a device all is compiled")
@pytest.mark.parametrize("call", composed_calls(loops=True), ids=lambda call: call.name)
def test_a_composed_loop_gives_the_same_each_time(call: Call) -> None:
    assert_repeatable(call, chosen(call))
    assert_repeatable(call, {"empty": empty})


# Composed functions that run as they are, with the reason.
WITHOUT_PLAN = {"scipy.linalg.cho_factor": "it returns a truth value with an array"}


@pytest.mark.skipif(treadle.default_backend() != "cpu", reason="on a device all is compiled")
def test_each_composed_function_is_staged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that cannot be staged is slow and right: no other law would see it."""
    without = set()
    made = plans.planned

    def planned(arrays: Any, function: Any, *arguments: Any) -> Any:
        plan = made(arrays, function, *arguments)
        if plan is None:
            without.add((call.name, function.__name__))
        return plan

    monkeypatch.setattr(plans, "planned", planned)
    forget()
    for call in [*composed_calls(loops=False), *composed_calls(loops=True)]:
        for _ in range(2):
            positional, named = call.arguments()
            call.function(*positional, **named)
    assert {name for name, _ in without} == {*WITHOUT_PLAN}
