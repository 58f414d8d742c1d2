"""Effects of Python while a function is traced: they happen once, and not in each call.

The recorder notes calls of `print`, of clocks, of random generators, and of methods that change a container from
outside of the function. Variables and attributes are compared with what they were when the function that may assign
them began. What happens in libraries, and to objects that were made meanwhile, is not reported.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final, TypeAlias, final

import numpy as np

from treadle_insight.finding import Finding
from treadle_insight.kinds import Kind
from treadle_insight.looks.part import Part
from treadle_insight.objects import MISSING, PLAIN, followed
from treadle_insight.place import Place
from treadle_insight.recorder import Change, Effect, Staging, recorder, was_used
from treadle_insight.spelling import Spelling
from treadle_ir import Array, Literal
from treadle_ir.errors import Source
from treadle_ir.process import fork_safe_lock


def _programs(inside: str, returned: str, before: str = "") -> str:
    """Return a program with an effect in a jitted function."""
    return f"""\
import random
import time

import treadle

{before}
@treadle.jit
def f(x{", key" if "noise" in returned else ""}):
{inside}
    return {returned}

with treadle.watch("effect") as report:
    f(1.0{", treadle.random.key(0)" if "noise" in returned else ""})
"""


_MODEL: Final = """\
class Model:
    n = 0

model = Model()

def step(self, x):
    self.n += 1
    return x
"""
KINDS: Final = (
    Kind(
        "effect.append",
        "A container from outside of a function was changed while the function was traced: once, and with traced "
        "values.",
        topic="",
        wrong=_programs("    log.append(x)", "x", "log = []"),
        right=_programs("    y = 2 * x", "x, y", "log = []"),
    ),
    Kind(
        "effect.print",
        "`print` ran while a function was traced: once, and not in each call.",
        topic="",
        wrong=_programs('    print("step")', "x"),
        right=_programs('    treadle.debug.print("step")', "x"),
    ),
    Kind(
        "effect.random",
        "Python or NumPy drew a random number while a function was traced: every call uses the same one.",
        topic="",
        wrong=_programs("    x = 2 * x", "x * random.random()"),
        right=_programs("    noise = treadle.random.uniform(key)", "x * noise"),
    ),
    Kind(
        "effect.clock",
        "The clock was read while a function was traced: every call uses the same time.",
        topic="",
        wrong=_programs("    start = time.time()", "x + start"),
        right=_programs("    y = 2 * x", "x + y"),
    ),
    Kind(
        "effect.attribute",
        "An attribute of an object from outside of a function was assigned while the function was traced: once, and "
        "not in each call.",
        topic="",
        wrong=_programs("    x = step(model, x)", "x", _MODEL),
        right=_programs("    x = step(model, x)", "x", _MODEL.replace("    self.n += 1\n", "")),
    ),
    Kind(
        "effect.global",
        "A global variable was assigned while a function was traced: once, and not in each call.",
        topic="",
        wrong=_programs("    global n\n    n += 1", "x", "n = 0"),
        right=_programs("    m = 1", "x + m", "n = 0"),
    ),
)
_ONCE: Final = "once, while {name} was traced"
_Effect: TypeAlias = tuple[
    str, Source, Callable[[], Finding]
]  # its kind, where it was, what makes the finding


@final
class Effects(Part):
    """Reports effects in the user's files while functions are traced."""

    def __init__(self) -> None:
        # By kind, code and offset; the source keeps the code alive.
        self._found: dict[tuple[str, int, int], tuple[Source, Finding]] = {}
        self._lock = fork_safe_lock()

    def enter(self) -> None:
        """Begin to look."""
        recorder.subscribe(self._ended)

    def leave(self) -> None:
        """Stop looking."""
        recorder.unsubscribe(self._ended)

    def _ended(self, staging: Staging) -> None:
        """Report the effects of a function that was traced now."""
        with self._lock:
            for kind, source, finding in (*_calls(staging), *_numpys(staging), *_changes(staging)):
                key = kind, id(source.code), source.offset
                if key not in self._found:  # a finding takes longer to make than many a trace
                    self._found[key] = source, finding()

    def findings(self) -> Iterable[Finding]:
        """Return what has been found so far."""
        with self._lock:
            return [finding for _, finding in self._found.values()]


def _calls(staging: Staging) -> Iterator[_Effect]:
    """Yield the calls that are not recorded in the program."""
    for effect in staging.effects:
        yield f"effect.{effect.kind}", effect.source, partial(_called, staging, effect)


def _called(staging: Staging, effect: Effect, certain: bool = True) -> Finding:
    """Return the finding for a call that is not recorded in the program."""
    place, name = Place.of(effect.source), staging.name
    said, once, code = _said(place), _ONCE.format(name=name), ""
    if effect.kind == "print":
        what = f"{said} at {place} printed {once}; calls of the compiled {name} do not print."
        fix = "Use `treadle.debug.print`, which prints in each call."
    elif effect.kind == "append":
        what = f"{said} at {place} was called {once}; calls of the compiled {name} leave `{effect.receiver}` as it is."
        fix = f"Return the value from {name}, and change `{effect.receiver}` outside of it."
    else:
        what = f"{said} at {place} was called {once}; every call uses {_value(staging, effect)}."
        if effect.kind == "clock":
            fix = f"Read the clock outside of {name}, and pass the time as an argument."
        else:
            fix = f"Draw from a random key that is an argument of {name}; give each call a new key."
            code = _drawing(Spelling.of_file(place.file), name)
    return Finding(f"effect.{effect.kind}", what, (place,), (), fix, code, certain=certain)


def _drawing(spelled: Spelling, name: str) -> str:
    """Return the lines that draw a random number from a key, in a function and before its calls."""
    return "\n".join(
        [
            f"noise = {spelled.name('random.uniform')}(key)  # in {name}, of which `key` is an argument",
            f"key = {spelled.name('random.key')}(0)  # once, before the first call",
            f"key, now = {spelled.name('random.split')}(key)  # before each call, which is given `now`",
        ]
    )


def _numpys(staging: Staging) -> Iterator[_Effect]:
    """Yield the uses of NumPy's generators, whose states have changed."""
    for ran in staging.ran.values():
        used = [
            (x, offset)
            for x, offset, generator, state in ran.generators
            if was_used(generator, state)
        ]
        for path, offset in used:
            source = _call_after(Source(ran.facts.code, offset))
            # Of several uses of generators in a function it is not known which ones were reached.
            certain = len(used) == 1
            effect = Effect("random", source, path)
            yield "effect.random", source, partial(_called, staging, effect, certain)


def _call_after(source: Source) -> Source:
    """Return the location of the call of a method, given the location at which the method is read."""
    import dis  # noqa: PLC0415 - few calls are looked at

    assert source.code is not None, "it comes from byte code"
    start = source.span[::2]
    for each in dis.get_instructions(source.code):
        if each.offset > source.offset and each.opname.startswith("CALL"):
            found = Source(source.code, each.offset)
            if found.span[::2] == start:
                return found
    return source


def _changes(staging: Staging) -> Iterator[_Effect]:
    """Yield the variables and attributes that were assigned."""
    seen: set[tuple[int, str]] = set()
    for change in staging.changes:
        if isinstance(change.owner, weakref.ref):
            owner = change.owner()
            if owner is None or staging.made_it(owner):
                continue
            after = followed(owner, ((".", change.name),))
        else:
            owner = change.owner
            after = change.owner.get(change.name, MISSING)
        if id(after) == change.identity or (id(owner), change.name) in seen:
            continue
        if change.was_empty and not isinstance(after, Array):
            continue  # computed when it was first needed, as for a cache
        seen.add((id(owner), change.name))
        is_global = isinstance(change.owner, dict)
        kind = "effect.global" if is_global else "effect.attribute"
        yield kind, change.source, partial(_assigned, staging, change, is_global=is_global)


def _assigned(staging: Staging, change: Change, *, is_global: bool) -> Finding:
    """Return the finding for a variable or an attribute that was assigned."""
    place, name = Place.of(change.source), staging.name
    what = f"The global variable `{change.path}`" if is_global else f"`{change.path}`"
    return Finding(
        "effect.global" if is_global else "effect.attribute",
        f"{what} was assigned at {place} {_ONCE.format(name=name)}; calls of the compiled {name} leave it as it is.",
        (place,),
        (),
        f"Return the new value from {name}, and assign `{change.path}` outside of it.",
    )


def _said(place: Place) -> str:
    """Return a call as the source has it, in few characters: `random.random()`."""
    text = place.marked
    if len(text) <= 40 and text.endswith(")"):
        return f"`{text}`"
    return f"`{text.split('(')[0]}(...)`" if "(" in text else f"`{text[:40]}`"


def _value(staging: Staging, effect: Effect) -> str:
    """Return the number that a call gave, if it can be found: in a variable, or as a constant in the program."""
    value = effect.value
    if value is MISSING and staging.program is not None:
        line = (effect.source.file, effect.source.line)
        constants = {
            operand.value.item()
            for equation in staging.program.equations
            if (equation.source.file, equation.source.line) == line
            for operand in equation.operands
            if isinstance(operand, Literal) and _is_drawn(operand.value, effect)
        }
        value = constants.pop() if len(constants) == 1 else MISSING
    if type(value) in PLAIN and isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{value:.10g}" if effect.kind == "clock" else f"{value:.3g}"
    return "the same time" if effect.kind == "clock" else "the same numbers"


def _is_drawn(value: np.generic, effect: Effect) -> bool:
    """Return whether a constant can be a random number or a time, as opposed to a constant of the source."""
    return isinstance(value, np.floating) and str(value.item()) not in Place.of(effect.source).text
