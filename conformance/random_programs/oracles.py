"""What a program is compared with: the ways to run it that must give the same numbers.

Rounding may differ between them. What it may amount to is measured: the arguments are moved by units in the last place,
and the program is run with wider types. Where that alone changes a result, it is not compared, and counted.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, final

import numpy as np

import treadle
from conformance.random_programs.program import KEY, Argument, Case
from conformance.random_programs.run import loaded
from treadle_ir import ReferenceEvaluator, evaluating, interpret, stage, type_of
from treadle_ir.core import dtypes

Arrays = tuple[np.ndarray[Any, np.dtype[Any]], ...]
_BAND: Final = 2000.0  # units of rounding, relative to the greatest element: a program has some tens of operations
_NOISE: Final = 50.0  # times what moved arguments change
_ILL: Final = 0.05  # a result that rounding changes by more than this part is not compared
_WIDER: Final = {
    **dict.fromkeys(("bfloat16", "float16", "float32"), "float64"),
    "complex64": "complex128",
}


@final
@dataclass
class Outcome:
    """The outcome of a case: the first law that it breaks, and what was and was not compared."""

    fault: str | None = None
    detail: str = ""
    compared: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    results: Arrays = ()
    noise: list[float | None] = field(default_factory=list)  # by result; None: not to be compared


def elements(results: Any) -> Arrays:
    """Results as NumPy's arrays of wide types: keys as their words, small floats as float64."""
    found = []
    for x in results:
        if dtypes.is_key(x.dtype):
            x = treadle.random.key_data(x)
        found.append(widened(np.asarray(x)))
    return tuple(found)


def widened(x: np.ndarray[Any, np.dtype[Any]]) -> np.ndarray[Any, np.dtype[Any]]:
    if x.dtype.kind in "biu":
        return x
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def moved(case: Case, by: int) -> Case:
    """The case with its inexact arguments moved by a few units in the last place."""

    def shift(each: Argument) -> Argument:
        if each.dtype == KEY or not isinstance(each.numbers[0], float | complex):
            return each
        eps = float(treadle.numpy.finfo(each.dtype).eps)
        numbers = tuple(
            x * (1 + by * eps * (1 if i % 2 else -1)) for i, x in enumerate(each.numbers)
        )
        return dataclasses.replace(each, numbers=numbers)

    return dataclasses.replace(case, arguments=tuple(shift(x) for x in case.arguments))


def wider(case: Case) -> Case:
    """The case with 64-bit floats in the places of narrower ones."""
    arguments = [dataclasses.replace(x, dtype=_WIDER.get(x.dtype, x.dtype)) for x in case.arguments]
    return Case(case.program, tuple(arguments), True)


def _ran(
    case: Case, how: Callable[[Callable[..., Any], list[Any]], Any], plain: bool = False
) -> Arrays:
    with treadle.enable_x64(case.x64), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function, arguments = loaded(case, plain)
        return elements(how(function, arguments))


def eager(function: Callable[..., Any], arguments: list[Any]) -> Any:
    return function(*arguments)


def _jitted(function: Callable[..., Any], arguments: list[Any]) -> Any:
    return treadle.jit(function)(*arguments)


def _disabled(function: Callable[..., Any], arguments: list[Any]) -> Any:
    with treadle.disable_jit():
        return function(*arguments)


def _reference(function: Callable[..., Any], arguments: list[Any]) -> Any:
    staged = stage(lambda *xs: list(function(*xs)), *map(type_of, arguments))
    with evaluating(ReferenceEvaluator()):
        return interpret(staged.program, *staged.captured, *arguments)


def _row_of_vmap(function: Callable[..., Any], arguments: list[Any]) -> Any:
    twice = [treadle.numpy.stack([x, x]) for x in arguments]
    return [y[1] for y in treadle.vmap(function)(*twice)]


def _on_eight(function: Callable[..., Any], arguments: list[Any]) -> Any:
    """As one row of eight, each on a device of its own."""
    mesh = treadle.make_mesh((8,), ("rows",))
    place = treadle.sharding.NamedSharding(mesh, treadle.P("rows"))
    eight = [treadle.device_put(treadle.numpy.stack([x] * 8), place) for x in arguments]
    results = treadle.jit(treadle.vmap(function))(*eight)
    return [treadle.device_put(y, treadle.devices()[0])[5] for y in results]


WAYS: Final[dict[str, Callable[[Callable[..., Any], list[Any]], Any]]] = {
    "jit": _jitted,
    "disable_jit": _disabled,
    "plain loops": eager,
    "vmap": _row_of_vmap,
    "reference": _reference,
}
# Refusals that a way of running has of its own: they are counted.
_ALLOWED: Final[dict[str, tuple[str, ...]]] = {
    "plain loops": ("ConcretizationError",),  # a branch on a value that is being differentiated
    "reference": ("MissingRuleError",),  # shard_map's parts run together
}


@np.errstate(all="ignore")
def judged(case: Case, only: str | None = None) -> Outcome:
    """Run a case in every way, or in one of them."""
    found = Outcome()
    try:
        first = _ran(case, eager)
    except Exception as error:
        found.fault, found.detail = "eager", _said(error)
        return found
    found.results = first
    found.noise = _noise(case, first, found)
    ways = dict(WAYS)
    if len(treadle.devices()) >= 8:
        ways["eight devices"] = _on_eight
    for way, how in ways.items():
        if only is not None and way != only:
            continue
        try:
            second = _ran(case, how, plain=way == "plain loops")
        except Exception as error:
            if type(error).__name__ in _ALLOWED.get(way, ()):
                found.skipped[f"{way}: {type(error).__name__}"] += 1
                continue
            found.fault, found.detail = way, _said(error)
            return found
        different = compare(first, second, found.noise, found, way)
        if different:
            found.fault, found.detail = way, different
            return found
    return found


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0][:300]}"


def _coarsest(case: Case, results: Any) -> float:
    """The rounding unit of the coarsest type among the arguments, the results and what the text names."""
    named = [name for name in (*_WIDER, "float64") if name in case.text()]
    computed = [x.dtype for x in results if dtypes.is_inexact(x.dtype)]
    units = [float(treadle.numpy.finfo(x).eps) for x in [*named, *computed]]
    # Integers may become floats on the way.
    return max(units, default=float(np.finfo(np.float32).eps))


def _noise(case: Case, first: Arrays, found: Outcome) -> list[float | None]:
    """Return how much rounding may change each result, absolutely; None for results that are not to be compared."""
    with treadle.enable_x64(case.x64), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function, arguments = loaded(case)
        typed = treadle.eval_shape(function, *arguments)
    unit = _coarsest(case, typed)
    others = []
    cases = {"moved arguments": moved(case, 2), "arguments moved back": moved(case, -3)}
    if not any(name.startswith("random.") for name in case.program.functions()):  # other numbers
        cases["wider"] = wider(case)
    for name, each in cases.items():
        try:
            others.append((name, _ran(each, eager)))
        except Exception as error:
            found.skipped[f"{name}: {type(error).__name__}"] += 1
    noise: list[float | None] = []
    for i, x in enumerate(first):
        noise.append(
            _noise_of(
                x, [(name, other[i]) for name, other in others if i < len(other)], unit, found
            )
        )
    return noise


def _noise_of(
    x: np.ndarray[Any, np.dtype[Any]], others: list[tuple[str, Any]], unit: float, found: Outcome
) -> float | None:
    noise = 0.0
    for name, other in others:
        if other.shape != x.shape:
            found.skipped[f"{name}: another shape"] += 1
            continue
        if x.dtype.kind in "biu" or other.dtype.kind in "biu":
            if name == "wider" and x.dtype != other.dtype and x.dtype.kind in "iu":
                continue  # 64-bit integers hold other numbers
            if not np.array_equal(x, other):
                found.skipped[f"rounding decides a discrete result ({name})"] += 1
                return None
            continue
        ends = np.isfinite(x)
        if not np.array_equal(ends, np.isfinite(other)) or not _ends_alike(x, other, ends):
            found.skipped[f"rounding decides what is finite ({name})"] += 1
            return None
        noise = max([noise, *np.abs(x[ends] - other[ends]).tolist()])
    if x.dtype.kind in "biu":
        return 0.0
    scale = max(np.abs(x[np.isfinite(x)]).ravel().tolist(), default=0.0)
    if noise > _ILL * scale + 1e-30:
        found.skipped["ill-conditioned"] += 1
        return None
    return _NOISE * noise + min(_BAND * unit, 0.3) * scale + 1e-30


def _ends_alike(x: Any, y: Any, finite: Any) -> bool:
    """Return whether the elements that are not finite agree; complex numbers always do."""
    return (
        x.dtype.kind == "c"
        or y.dtype.kind == "c"
        or np.array_equal(x[~finite], y[~finite], equal_nan=True)
    )


def compare(
    first: Arrays, second: Arrays, noise: list[float | None], found: Outcome, way: str
) -> str | None:
    """Return which result differs by more than rounding may; None when none does."""
    if len(first) != len(second):
        return f"{len(first)} results against {len(second)}"
    for i, (x, y, allowed) in enumerate(zip(first, second, noise, strict=True)):
        if x.shape != y.shape or x.dtype != y.dtype:
            return f"result {i} is {x.dtype}{x.shape} against {y.dtype}{y.shape}"
        if allowed is None:
            found.skipped[f"{way}: results not compared"] += 1
            continue
        found.compared[way] += 1
        finite = np.isfinite(x) if x.dtype.kind in "fc" else np.ones(x.shape, bool)
        also = np.isfinite(y) if x.dtype.kind in "fc" else finite
        if not np.array_equal(finite, also) or not _ends_alike(x, y, finite):
            return f"result {i} is {x.tolist()} against {y.tolist()}"
        if x.dtype.kind in "biu":
            if not np.array_equal(x, y):
                return f"result {i} is {x.tolist()} against {y.tolist()}"
        elif np.any(np.abs(x[finite] - y[finite]) > allowed):
            return (
                f"result {i} is {x.tolist()} against {y.tolist()}, where {allowed:.3g} may differ"
            )
    return None
