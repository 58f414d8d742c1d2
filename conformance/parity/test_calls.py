"""Element types, weak marks, shapes, values and errors of calls are JAX's, but for the listed exceptions."""

from __future__ import annotations

import collections
import warnings
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.lax
import treadle.nn
import treadle.numpy
import treadle.random
import treadle.scipy.optimize
import treadle.scipy.spatial.transform
import treadle.scipy.special
from conformance.joined import modules
from conformance.parity import exceptions, questions, questions_random, questions_special
from conformance.parity.asked import NAMESPACES, answer
from conformance.parity.conftest import Ask, asked_here, is_0_10
from conformance.parity.questions import Question

PARTS: Final = modules("conformance.parity", "questions_")  # of the library: `GROUPS`, `wrong`
GROUPS: Final = {**questions.GROUPS, **{k: v for part in PARTS for k, v in part.GROUPS.items()}}
RTOL: Final = {"float16": 4e-3, "bfloat16": 3e-2, "float64": 1e-10, "complex128": 1e-10}


def library() -> Any:
    names = (*NAMESPACES, "jit", "grad", "vmap")
    return SimpleNamespace(
        **{name: getattr(treadle, name) for name in names}, types=lambda run: run(), memory={}
    )


def treadles(asked: list[Question]) -> list[Any]:
    """treadle's answers; what it warns of besides is not compared."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return answer(library(), asked)


def same_type(ours: Any, theirs: Any) -> bool:
    """Equal types and shapes; a weak boolean promotes as any other, so its mark means nothing."""
    one, other = ours["type"], theirs["type"]
    return ours.get("shape") == theirs.get("shape") and (
        one == other or {one, other} == {"bool", "bool*"}
    )


def same(ours: Any, theirs: Any) -> bool:
    if "error" in ours or "error" in theirs:
        if not ("error" in ours and "error" in theirs):
            return False
        return not theirs["error"] or bool(set(ours["error"]) & set(theirs["error"]))
    return len(ours["results"]) == len(theirs["results"]) and all(
        same_type(one, other) and close(one, other)
        for one, other in zip(ours["results"], theirs["results"], strict=True)
    )


def close(ours: Any, theirs: Any) -> bool:
    if "elements" not in ours:
        return True
    x, y = ours["elements"], theirs["elements"]
    if x.dtype.kind not in "fc":
        return bool(np.array_equal(x, y))
    within = RTOL.get(ours["type"].rstrip("*"), 2e-5)
    return bool(np.allclose(x, y, rtol=within, atol=within, equal_nan=True))


def compared(ask: Ask, asked: list[Question], x64: bool) -> collections.Counter[str]:
    """Fail where answers differ without a reason; how often each reason was needed."""
    asked = asked_here(asked)
    with treadle.enable_x64(x64):
        ours = treadles(asked)
    used: collections.Counter[str] = collections.Counter()
    wrong = []
    good = 0
    for question, own, other in zip(asked, ours, ask(asked, x64=x64), strict=True):
        if same(own, other):
            good += "error" not in own
        elif (why := exceptions.reason(question, own, other)) is not None:
            used[why] += 1
        else:
            wrong.append((question["of"], question["arguments"], question["keywords"], own, other))
    groups = collections.Counter(each[0] for each in wrong)
    assert not wrong, f"{len(wrong)} of {len(asked)}: {groups}; for example {wrong[:3]}"
    assert good > len(asked) // 2
    return used


@pytest.mark.parametrize("x64", [False, True])
def test_types_of_binary_functions(ask: Ask, x64: bool) -> None:
    compared(ask, questions.of_two(x64, questions.FEW if x64 else questions.DTYPES), x64)


@pytest.mark.parametrize("x64", [False, True])
def test_types_of_operators(ask: Ask, x64: bool) -> None:
    assert not compared(ask, questions.of_operators(x64), x64)


@pytest.mark.parametrize("x64", [False, True])
def test_types_of_functions_of_one_operand(ask: Ask, x64: bool) -> None:
    compared(ask, questions.of_one(x64), x64)


@pytest.mark.parametrize("x64", [False, True])
def test_types_where_operands_meet(ask: Ask, x64: bool) -> None:
    compared(ask, questions.of_parts(x64), x64)


@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.parametrize("group", GROUPS)
def test_values(ask: Ask, group: str, x64: bool) -> None:
    compared(ask, questions.drawn(GROUPS[group], 2, x64, seed=7), x64)


@pytest.mark.parametrize("x64", [False])
def test_errors(ask: Ask, x64: bool) -> None:
    """Treadle rejects what JAX rejects, with an error that the same handlers catch."""
    asked = asked_here([*questions.wrong(), *(each for part in PARTS for each in part.wrong())])
    ours = treadles(asked)
    silent = [
        (question["of"], question["arguments"], question["keywords"], other["said"], own)
        for question, own, other in zip(asked, ours, ask(asked, x64=x64), strict=True)
        if "error" in other
        and not same(own, other)
        and exceptions.reason(question, own, other) is None
    ]
    assert not silent, f"{len(silent)} of {len(asked)}, for example {silent[:5]}"


def test_exceptions_are_needed(ask: Ask) -> None:
    """An exception that nothing needs any more goes."""
    used: collections.Counter[str] = collections.Counter()
    asked = [
        *questions.of_two(False, ("bool", "int8", "float32")),
        *questions.of_parts(False, ("bool", "int8")),
        *questions.of_one(False),
        *questions.wrong(),
        *(question for part in PARTS for question in part.wrong()),
    ]
    asked += [*questions_random.extreme(), *questions_special.ends()]
    for x64, each in ((False, asked), (True, [questions.call("scipy.linalg.pascal", 3)])):
        with treadle.enable_x64(x64):
            ours = treadles(each)
        for question, own, other in zip(each, ours, ask(each, x64=x64), strict=True):
            if not same(own, other) and (why := exceptions.reason(question, own, other)):
                used[why] += 1
    of_release = exceptions.ONLY_0_10 if is_0_10() else exceptions.SINCE_0_11
    assert set(used) == {*exceptions.EXCEPTIONS, *of_release}
