"""Values that a compiled function has frozen and that are others now: variables, attributes, entries of containers.

Which values a function read is known from the byte code of the functions that ran while it was traced (`recorder`).
Values that can be compared are remembered at the end of the tracing, and compared after each call. A function that was
compiled before the watch began is not known. If a function was traced with several values, a call is not reported if
one of its programs has the values of now.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from types import CellType, FunctionType, MethodType
from typing import Any, Final, final

from treadle_insight.bytecode import Path, Read, facts_of
from treadle_insight.finding import Finding
from treadle_insight.kinds import Kind
from treadle_insight.looks.part import Part
from treadle_insight.objects import (
    MISSING,
    Look,
    Remembered,
    closed_over,
    followed,
    global_variable,
    remembered,
    shown,
    weakly,
)
from treadle_insight.place import Place
from treadle_insight.recorder import MUTATORS, Ran, Staging, recorder
from treadle_ir.errors import Source
from treadle_ir.process import fork_safe_lock
from treadle_runtime import ObservedFunction

KINDS: Final = (
    Kind(
        "frozen.global",
        "A compiled function read a variable from outside of itself while it was traced, and the variable has "
        "changed since: the function goes on with the old value.",
        topic="",
        wrong="""\
import treadle

scale = 10

@treadle.jit
def f(x):
    return x * scale

with treadle.watch("frozen") as report:
    f(1.0)
    scale = 99
    f(1.0)
""",
        right="""\
import treadle

scale = 10

@treadle.jit
def f(x, scale):
    return x * scale

with treadle.watch("frozen") as report:
    f(1.0, scale)
    scale = 99
    f(1.0, scale)
""",
    ),
    Kind(
        "frozen.field",
        "An object's attribute has changed since a compiled function read it: a static argument counts as the same "
        "as long as it is equal, and objects are equal to themselves.",
        topic="",
        wrong="""\
from functools import partial

import treadle

class Model:
    def __init__(self, mul):
        self.mul = mul

    @partial(treadle.jit, static_argnums=0)
    def calc(self, y):
        return 2 * y if self.mul else y

with treadle.watch("frozen") as report:
    model = Model(True)
    model.calc(3.0)
    model.mul = False
    model.calc(3.0)
""",
        right="""\
from functools import partial

import treadle

class Model:
    def __init__(self, mul):
        self.mul = mul

    def __hash__(self):
        return hash(self.mul)

    def __eq__(self, other):
        return isinstance(other, Model) and self.mul == other.mul

    @partial(treadle.jit, static_argnums=0)
    def calc(self, y):
        return 2 * y if self.mul else y

with treadle.watch("frozen") as report:
    model = Model(True)
    model.calc(3.0)
    model = Model(False)
    model.calc(3.0)
""",
    ),
)
_MOST: Final = 256  # variables that one program may have read
_MOST_PROGRAMS: Final = 32  # of one function


@final
@dataclass(slots=True)
class _Variable:
    """A value that a program has frozen."""

    path: Path
    look: Look
    before: Remembered
    source: Source  # where it was read
    owner: weakref.ref[Any] | None = (
        None  # the argument whose attribute it is. Any: of a user's class
    )

    def now(self) -> Any:  # Any: of users
        """Return the value as it is now, or `MISSING`."""
        value = self.look()
        return (
            value if value is MISSING or not self.path.steps else followed(value, self.path.steps)
        )

    def has_changed(self) -> bool:
        """Return whether the value differs from the program's."""
        value = self.now()
        return value is not MISSING and not self.before.is_like(value)


@final
@dataclass(slots=True)
class _Function:
    """A jitted function, and what its programs have frozen."""

    name: str
    programs: list[list[_Variable]] = field(default_factory=list)
    said: set[str] = field(default_factory=set)


@final
class _Thread(threading.local):
    """The call that runs in this thread."""

    def __init__(self) -> None:
        self.given: tuple[int, ...] = ()  # the ids of its arguments
        self.traced: set[int] = set()  # the ids of the functions that were traced in it


@final
class FrozenValues(Part):
    """Remembers which values functions read while they were traced, and compares them after each call."""

    observes_calls = True

    def __init__(self) -> None:
        self._functions: dict[int, _Function] = {}  # by the id of the user's function
        self._alive: dict[int, weakref.ref[Any]] = {}  # Any: a user's function
        self._found: list[Finding] = []
        self._thread = _Thread()
        self._lock = fork_safe_lock()

    def enter(self) -> None:
        """Begin to look."""
        recorder.subscribe(self._ended)

    def leave(self) -> None:
        """Stop looking."""
        recorder.unsubscribe(self._ended)
        with self._lock:
            self._functions.clear()
            self._alive.clear()

    def _ended(self, staging: Staging) -> None:
        """Remember what a function has read that was traced now."""
        variables = [*_variables(staging)][:_MOST]
        number = id(staging.function)
        self._thread.traced.add(number)

        def gone(_: object) -> None:
            self._functions.pop(number, None)
            self._alive.pop(number, None)

        try:
            alive = weakref.ref(staging.function, gone)
        except TypeError:
            return
        with self._lock:
            if number not in self._functions:
                self._functions[number] = _Function(staging.name)
                self._alive[number] = alive
            programs = self._functions[number].programs
            programs.append(variables)
            del programs[:-_MOST_PROGRAMS]

    def called(
        self, function: ObservedFunction, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """Note the arguments of a call, by their ids.

        Args:
            function: the jitted function.
            args: its positional arguments.
            kwargs: its keyword arguments.
        """
        here = self._thread
        here.traced.clear()
        if id(function.__wrapped__) in self._functions:
            here.given = (*map(id, args), *map(id, kwargs.values()))

    def returned(self, function: ObservedFunction, result: Any) -> None:
        """Compare what the programs of a function have frozen with what there is now, unless it was traced just now.

        Args:
            function: the jitted function.
            result: its result. Any: a pytree.
        """
        number = id(function.__wrapped__)
        known = self._functions.get(number)
        here = self._thread
        if known is None or number in here.traced:
            return
        changed: list[_Variable] = []
        for program in known.programs:
            for variable in program:
                if variable.before.kept is not variable.now() and variable.has_changed():
                    changed.append(variable)
        if changed:
            self._say(known, changed, here.given)

    def _say(
        self,
        known: _Function,
        changed: list[_Variable],
        given: tuple[int, ...],
    ) -> None:
        """Report variables that have changed, unless a program of the function has the values of now."""
        old = {id(variable) for variable in changed}
        for program in known.programs:
            owners = [each.owner for each in program if each.owner is not None]
            if owners and not any([id(owner()) in given for owner in owners]):
                continue  # the program is for another object
            if not any([id(variable) in old for variable in program]):
                return
        for variable in changed:
            if variable.owner is not None and id(variable.owner()) not in given:
                continue
            with self._lock:
                if str(variable.path) in known.said:
                    continue
                known.said.add(str(variable.path))
                self._found.append(_finding(known.name, variable))

    def findings(self) -> Iterable[Finding]:
        """Return what has been found so far."""
        with self._lock:
            return [*self._found]


def _finding(name: str, variable: _Variable) -> Finding:
    """Return the finding for a variable that has changed."""
    path, now = str(variable.path), shown(variable.now())
    before = variable.before.shown
    place = Place.of(variable.source)
    now = f"another one, {now}" if now == before else now
    if variable.path.root == "argument":
        return Finding(
            "frozen.field",
            f"{name} was traced when `{path}` was {before} (read at {place}); it is {now} now, and {name} does not "
            "see it.",
            (place,),
            (f"`{variable.path.name}` is a static argument, and counts as the same as before.",),
            "Pass it as an argument; or give the class `__hash__` and `__eq__` by value and make a new object; or "
            "register the class as a pytree.",
        )
    what = "of an enclosing function " if variable.path.root == "free" else ""
    return Finding(
        "frozen.global",
        f"{name} was traced when `{path}` {what}was {before} (read at {place}); it is {now} now, and {name} does not "
        "see it.",
        (place,),
        (),
        "Pass it as an argument.",
    )


def _variables(staging: Staging) -> Iterator[_Variable]:
    """Yield the values that a program has frozen."""
    functions = _functions(staging)
    assigned = {
        store.name
        for ran in staging.ran.values()
        for store in ran.facts.stores
        if ran.facts.code.co_name != "__init__"
    }
    mutated = {
        str(read.path)
        for ran in staging.ran.values()
        for read in ran.facts.reads
        if read.method in MUTATORS
    }
    seen: set[object] = set()
    for ran in staging.ran.values():
        for read in ran.facts.reads:
            path = read.path
            last = path.steps[-1][1] if path.steps else path.name
            if read.method or last in assigned or str(path) in mutated or path.name[:2] == "__":
                continue
            for look, owner in _looks(staging, ran, read, functions):
                key = (path, None if owner is None else id(owner()), id(ran.scope))
                if key in seen:
                    continue
                value = look()
                value = value if value is MISSING else followed(value, path.steps)
                before = None if value is MISSING else remembered(value, read.whole)
                if before is not None:
                    seen.add(key)
                    source = Source(ran.facts.code, read.offset)
                    yield _Variable(path, look, before, source, owner)


def _looks(
    staging: Staging, ran: Ran, read: Read, functions: dict[int, FunctionType]
) -> Iterator[tuple[Look, weakref.ref[Any] | None]]:
    """Yield looks at the variable with which a path begins, and the argument that it is an attribute of."""
    code, path = ran.facts.code, read.path
    if path.root == "global":
        yield global_variable(ran.scope, path.name), None
    elif path.root == "free":
        cell = _cell(staging, code, path.name, functions)
        if cell is not None:
            yield closed_over(cell), None
    else:
        for name, owner in ran.objects:
            found = owner()
            if name == path.name and found is not None and not staging.made_it(found):
                yield weakly(owner), owner


def _cell(
    staging: Staging, code: Any, name: str, functions: dict[int, FunctionType]
) -> CellType | None:
    """Return what holds a variable of an enclosing function that was there before; None if it cannot be found."""
    if not staging.is_outside(code, name):
        return None
    while True:
        function = functions.get(id(code))
        if function is not None and function.__closure__ is not None:
            return dict(zip(code.co_freevars, function.__closure__, strict=True)).get(name)
        if id(code) not in staging.parents:
            return None
        code = staging.parents[id(code)]


def _functions(staging: Staging) -> dict[int, FunctionType]:
    """Return functions that ran, by the ids of their codes, as far as variables lead to them."""
    found: dict[int, FunctionType] = {}
    waiting = [*_function_in(staging.function)]
    while waiting:
        function = waiting.pop()
        code = function.__code__
        if id(code) in found:
            continue
        found[id(code)] = function
        ran = staging.ran.get(id(code))
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        # A wrapper of treadle's, such as `grad(f)`, did not count as run: its variables lead to the user's function.
        reads = facts_of(code).reads if ran is None else ran.facts.reads
        for read in reads:
            value: Any = MISSING
            if read.path.root == "global" and ran is not None:
                value = function.__globals__.get(read.path.name, MISSING)
            elif read.path.root == "free" and read.path.name in cells:
                value = closed_over(cells[read.path.name])()
            if value is not MISSING:
                waiting += _function_in(followed(value, read.path.steps))
    return found


def _function_in(value: Any) -> Iterator[FunctionType]:  # Any: a user's value
    """Yield the functions in a value: itself, those that it wraps, or those in a list of functions."""
    for each in value[:64] if type(value) in (list, tuple) else (value,):
        current: Any = each
        for _ in range(8):
            if isinstance(current, MethodType):
                current = current.__func__
            if isinstance(current, FunctionType):
                yield current
            inner: Callable[..., Any] | None = getattr(current, "__dict__", {}).get("__wrapped__")
            inner = inner if inner is not None else _partial(current)
            if inner is None:
                break
            current = inner


def _partial(value: Any) -> Any:
    """Return the function of a `functools.partial`, or None. Any: a user's value, its function."""
    from functools import partial  # noqa: PLC0415 - few are asked

    return value.func if isinstance(value, partial) else None
