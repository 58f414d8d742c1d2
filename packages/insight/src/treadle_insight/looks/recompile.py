"""Functions that are traced or compiled again and again: what varies, how often, and what it costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, final

import numpy as np

from treadle_insight.finding import Cost, Finding, seconds_text
from treadle_insight.looks.misses import (
    Definition,
    Miss,
    definition_of,
    explained,
    place_of_definition,
)
from treadle_insight.looks.part import Part
from treadle_insight.looks.recompile_kinds import KINDS as KINDS
from treadle_insight.place import Place
from treadle_ir.core import program_hash
from treadle_ir.errors import source
from treadle_ir.events import (
    Event,
    ExecutableFound,
    FunctionStaged,
    ProgramCompiled,
    ProgramLowered,
    Request,
)
from treadle_ir.process import fork_safe_lock
from treadle_ir.tracing import Signature, only_compiles

_SHOWN: Final = 8  # values that a sentence lists

# How many misses of a cause, beyond the first call, are worth saying. Programs need some of them: a shape for training
# and one for evaluation, a static flag on and off.
_FEW: Final = 3
_MANY: Final = 7


@final
class RecompilePart(Part):
    """Finds functions that are traced or compiled again and again."""

    events: tuple[type[Event], ...] = (
        FunctionStaged,
        ProgramLowered,
        ProgramCompiled,
        ExecutableFound,
    )

    def __init__(self) -> None:
        self._lock = fork_safe_lock()
        self._definitions: dict[tuple[object, ...], Definition] = {}
        self._open: dict[tuple[object, ...], Miss] = {}  # by definition and signature

    def hear(self, event: Event) -> None:
        """Note a miss, or what one costs.

        Args:
            event: what happened, in the thread in which it happened.
        """
        if isinstance(event, FunctionStaged):
            if event.request is not None:
                self._note(event.request, event.seconds, program_hash(event.program))
        elif isinstance(event, ProgramLowered):
            request = event.request
            if request is not None and only_compiles(request.signature, request.nearest):
                self._note(request, event.seconds, None)
            else:
                self._add(request, event.seconds)
        elif isinstance(event, (ProgramCompiled, ExecutableFound)):
            self._add(event.request, event.seconds)

    def _note(self, request: Request, seconds: float, program: int | None) -> None:
        """Note a miss; `program` is the hash of the program, where the function was traced."""
        function = request.function
        key = definition_of(function)
        miss = explained(request.signature, request.nearest, function, Place.of(request.place))
        miss.seconds, miss.program, miss.traced = seconds, program, program is not None
        with self._lock:
            known = self._definitions.get(key)
            if known is None:
                place = place_of_definition(function)
                known = self._definitions[key] = Definition(request.name, place)
            known.misses.append(miss)
            self._open[_key(key, request.signature)] = miss

    def _add(self, request: Request | None, seconds: float) -> None:
        """Add the cost of lowering or compiling to the miss that caused it."""
        if request is None:
            return
        key = _key(definition_of(request.function), request.signature)
        with self._lock:
            miss = self._open.get(key)
            if miss is not None:
                miss.seconds += seconds

    def findings(self) -> Iterable[Finding]:
        """Return what has been found so far."""
        with self._lock:
            definitions = [
                Definition(each.name, each.place, [*each.misses])
                for each in self._definitions.values()
            ]
        return [finding for each in definitions for finding in findings_of(each)]


def _key(definition: tuple[object, ...], signature: Signature) -> tuple[object, ...]:
    """Return what a trace and the compilations of its program have in common."""
    types = [getattr(leaf, "type", leaf) for leaf in signature.types]
    plain = tuple([getattr(type, "plain", type) for type in types])
    return definition, signature.context.programs, signature.structure, signature.statics, plain


def findings_of(definition: Definition) -> Iterator[Finding]:
    """Yield the findings on the functions that were made from one definition.

    Args:
        definition: the functions, with their misses.
    """
    if definition.place is not None and source.is_internal(definition.place.file):
        return
    said = [*_of_functions(definition), *_of_causes(definition)]
    yield from said
    again = [miss for miss in definition.misses if miss.cause]
    if not said and len(again) > _MANY:
        causes = Counter([miss.cause for miss in again])
        listed = ", ".join([f"{_CAUSES[cause]} {_times(n)}" for cause, n in causes.most_common()])
        what = f"{definition.name} was compiled for {len(again) + 1} signatures; what differed was {listed}."
        fix = "Call it with arguments of a few types and shapes, or use a function of its own for each purpose."
        yield _finding("many", definition, again, what, fix, certain=False)


_CAUSES: Final = {
    "structure": "the containers",
    "hash": "a static object",
    "static": "a static argument",
    "context": "a setting",
    "dtype": "an element type",
    "weak": "a weak type",
    "shape": "a shape",
    "placement": "a placement",
}


def _of_causes(definition: Definition) -> Iterator[Finding]:
    """Yield a finding for each cause that comes often enough."""
    by_cause: dict[tuple[str, str], list[Miss]] = {}
    for miss in definition.misses:
        what = "" if miss.cause in ("context", "structure", "placement") else miss.what
        by_cause.setdefault((miss.cause, what), []).append(miss)
    for (cause, _), misses in by_cause.items():
        describe = _DESCRIPTIONS.get(cause)
        if describe is not None:
            yield from describe(definition, misses)


def _finding(
    cause: str,
    definition: Definition,
    misses: list[Miss],
    what: str,
    fix: str,
    *,
    certain: bool = True,
) -> Finding:
    """Return a finding on several misses of one cause."""
    seconds = sum([miss.seconds for miss in misses])
    traced = sum([miss.traced for miss in misses])
    only = len(misses) - traced
    counts = [f"traced {_times(traced)} more"] if traced else []
    counts += (
        [f"only compiled, for the program that was there, {_times(only)} more"] if only else []
    )
    places = Counter([miss.place for miss in misses])
    where = [place for place, _ in places.most_common(1)]
    if definition.place is not None:
        where.append(definition.place)
    why = [f"{definition.name} was {' and '.join(counts)}, in {seconds_text(seconds)}."]
    if len(places) > 1:
        why.append(f"It was called so from {len(places)} places.")
    return Finding(
        f"recompile.{cause}",
        what,
        tuple(where),
        tuple(why),
        fix,
        cost=Cost(seconds=seconds),
        certain=certain,
    )


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _listed(values: Iterable[str]) -> str:
    """Return different values as text, the first few."""
    different = [*dict.fromkeys(values)]
    more = len(different) - _SHOWN
    return ", ".join(different[:_SHOWN]) + (f", and {more} more" if more > 0 else "")


def _values(misses: list[Miss]) -> list[str]:
    """Return the different values of what varied, in the order in which they came."""
    return [*dict.fromkeys([misses[0].before, *[miss.now for miss in misses]])]


def _of_functions(definition: Definition) -> Iterator[Finding]:
    """Yield a finding on a function that is defined again for each call, from one place."""
    first: dict[tuple[str, int], list[Miss]] = {}
    for miss in definition.misses:
        if not miss.cause and miss.traced:
            first.setdefault((miss.place.file, miss.place.line), []).append(miss)
    for misses in first.values():
        alike = len({miss.program for miss in misses}) == 1
        if len(misses) < (_FEW if alike else _MANY + 1):
            continue
        yield _finding(
            "function",
            definition,
            misses[1:],
            f"{definition.name} was defined {_times(len(misses))} and jitted each time: each of them is a new "
            "function, which is traced and compiled for itself.",
            "Define and jit it once, outside of the loop or the function; pass what it closes over as arguments.",
            certain=alike,
        )


def _of_shapes(definition: Definition, misses: list[Miss]) -> Iterator[Finding]:
    """Yield a finding on the size of an axis that varies."""
    axes = {axis for miss in misses for axis in miss.detail[0]}
    if not axes or not all([miss.detail[0] for miss in misses]):  # of other ranks
        return
    if len(misses) < (_FEW if len(axes) == 1 else _MANY):
        return
    shapes = [misses[0].detail[2], *[miss.detail[1] for miss in misses]]
    axis = min(axes)
    sizes = [*dict.fromkeys([shape[axis] for shape in shapes])]
    powers = {max(size - 1, 0).bit_length() for size in sizes}
    if all([size & (size - 1) == 0 for size in sizes]):  # padded already
        return
    which = f"axis {axis}" if len(axes) == 1 else f"axes {', '.join(map(str, sorted(axes)))}"
    saved = f" ({len(powers)} programs instead of {len(sizes)})" if len(powers) < len(sizes) else ""
    yield _finding(
        "shape",
        definition,
        misses,
        f"{definition.name} was compiled for {len(sizes)} sizes of {which} of `{misses[0].what}`: "
        f"{_listed(map(str, sizes))}.",
        f"Pad {which} to powers of two{saved} before the call, pass the true size as an ordinary argument, and mask "
        f"what was added with `where` in {definition.name}; or drop or pad the last batch, if it alone is shorter.",
    )


def _of_statics(definition: Definition, misses: list[Miss]) -> Iterator[Finding]:
    """Yield a finding on a static argument that has many values."""
    numbers = all([miss.detail for miss in misses])
    if len(misses) < (_FEW if numbers else _MANY):
        return
    values = _values(misses)
    name = misses[0].what
    yield _finding(
        "static",
        definition,
        misses,
        f"{definition.name} was compiled for {len(values)} values of the static argument `{name}`: {_listed(values)}.",
        f"Do not mark `{name}` static if it only enters arithmetic: as an array it needs one program."
        if numbers
        else f"Give `{name}` fewer values, or choose by it outside of the jitted function.",
    )


def _of_hashes(definition: Definition, misses: list[Miss]) -> Iterator[Finding]:
    """Yield a finding on static objects that equal themselves only."""
    kind, defines_hash, is_function = misses[0].detail
    if len(misses) < (1 if defines_hash else 2):
        return
    name = misses[0].what
    if is_function:
        what = (
            f"{definition.name} was compiled for {len(misses) + 1} functions from one definition, given as the static "
            f"argument `{name}`: each is another value."
        )
        fix = f"Define the function that is given as `{name}` once, outside of the loop or the function."
    else:
        lacks = "__hash__ but no __eq__" if defines_hash else "neither __hash__ nor __eq__"
        what = (
            f"{definition.name} was compiled for {len(misses) + 1} objects of {kind}, given as the static argument "
            f"`{name}`: {kind} has {lacks}, so each object is another value."
        )
        fix = (
            f"Give {kind} `__hash__` and `__eq__` by value, such as `@dataclass(frozen=True)` does, or register it as "
            "a pytree."
        )
    yield _finding("hash", definition, misses, what, fix)


def _of_weak_types(definition: Definition, misses: list[Miss]) -> Iterator[Finding]:
    """Yield a finding on an argument that is a Python number in one call and an array in the next."""
    name, values = misses[0].what, _values(misses)
    yield _finding(
        "weak",
        definition,
        misses,
        f"`{name}` of {definition.name} was a Python number in some calls, or computed from one, and an array with a "
        f"type of its own in others: {_listed(values)}.",
        f"Pass `{name}` always as an array with a type: `asarray({name}, dtype=...)`.",
    )


def _of_element_types(definition: Definition, misses: list[Miss]) -> Iterator[Finding]:
    """Yield a finding on an argument with several element types."""
    needed = any([_is_low_precision(dtype) for miss in misses for dtype in miss.detail])
    if needed and len(misses) < _FEW:  # such as training in bfloat16 and evaluating in float32
        return
    name, values = misses[0].what, _values(misses)
    yield _finding(
        "dtype",
        definition,
        misses,
        f"`{name}` of {definition.name} had {len(values)} types: {_listed(values)}.",
        f"Convert it to one element type before the call: `{name}.astype(...)`.",
    )


def _is_low_precision(dtype: np.dtype[Any]) -> bool:
    return dtype.itemsize < 4 and dtype.kind not in "biu"


def _of_contexts(definition: Definition, misses: list[Miss]) -> Iterator[Finding]:
    """Yield a finding on settings that differ from call to call."""
    # Where work is done, and settings for debugging, which need no trace, are changed on purpose.
    intended = all([miss.detail or not miss.traced for miss in misses])
    if intended and len(misses) < _FEW:
        return
    yield _finding(
        "context",
        definition,
        misses,
        f"{definition.name} was compiled in {len(misses) + 1} contexts: {_listed([miss.what for miss in misses])}.",
        "Set what differs once, before the first call, or call the function always within the same `with`.",
    )


def _of_structures(definition: Definition, misses: list[Miss]) -> Iterator[Finding]:
    """Yield a finding on arguments in several containers."""
    accident = any([miss.detail for miss in misses])
    if len(misses) < (1 if accident else _FEW):
        return
    yield _finding(
        "structure",
        definition,
        misses,
        f"The arguments of {definition.name} had {len(misses) + 1} structures: "
        f"{_listed([miss.what for miss in misses])}.",
        "Pass the same containers with the same keys in each call: always a tuple or always a list, a zero or an empty "
        "array instead of None.",
    )


def _of_placements(definition: Definition, misses: list[Miss]) -> Iterator[Finding]:
    """Yield a finding on arrays that are in several places."""
    moved = all([miss.detail for miss in misses])
    if moved and len(misses) < 2:
        return
    name, values = misses[0].what, _values(misses)
    yield _finding(
        "placement",
        definition,
        misses,
        f"{definition.name} was compiled again because of where its arguments are: `{name}` was {_listed(values)}.",
        f"Put `{name}` where it belongs once, before the first call, with `device_put(x, device)`.",
    )


_DESCRIPTIONS: Final[dict[str, Callable[[Definition, list[Miss]], Iterator[Finding]]]] = {
    "shape": _of_shapes,
    "static": _of_statics,
    "hash": _of_hashes,
    "weak": _of_weak_types,
    "dtype": _of_element_types,
    "context": _of_contexts,
    "structure": _of_structures,
    "placement": _of_placements,
}
