"""What the user's Python does while jitted functions are traced: which functions run, and which effects they have.

Between `StagingBegan` and the end of the staging a profile hook is installed in the thread. It notes each function in
a file of the user's that runs, by its code, and the calls of functions written in C that programs do not record:
`print`, `time.time`, `log.append`. Values are not kept: objects are referred to weakly. One recorder serves all parts
of all `watch` that need it. The hook calls the previous hook, which is restored afterwards; if a
profiler written in C is active (cProfile before Python 3.12), nothing is recorded.
"""

from __future__ import annotations

import dis
import random
import threading
import weakref
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any, Final, TypeAlias, final

import numpy as np

from treadle_insight.bytecode import Facts, Path, Store, facts_of
from treadle_insight.objects import MISSING, followed, is_object
from treadle_insight.profiling import Hook, installed, removed
from treadle_ir import Program
from treadle_ir.errors import Source, kind_of_file
from treadle_ir.events import Event, FunctionStaged, StagingBegan, StagingFailed, listening
from treadle_ir.process import fork_safe_lock

MUTATORS: Final = frozenset(
    {
        "add",
        "append",
        "appendleft",
        "clear",
        "extend",
        "insert",
        "pop",
        "remove",
        "update",
    }
)
_CONTAINERS: Final = (list, dict, set, bytearray)
CLOCKS: Final = frozenset(
    {
        *("monotonic", "monotonic_ns", "now", "perf_counter", "perf_counter_ns", "process_time"),
        *("process_time_ns", "time", "time_ns", "utcnow"),
    }
)
_WANTED: Final = frozenset({"print", "random", "getrandbits", *CLOCKS, *MUTATORS})
_MOST_OBJECTS: Final = 64  # whose attributes one function reads
_RANDOM_FILE: Final = random.__file__
_GENERATED: Final = "<string>"  # the file of generated functions, such as `__init__` of a dataclass


@final
@dataclass(slots=True)
class Effect:
    """A call, while a function was traced, that its program does not record."""

    kind: str  # the second word of the finding's kind
    source: Source
    receiver: Path | None = None  # the object whose method was called
    value: object = MISSING  # the number that it returned, if it is known


@final
@dataclass(slots=True)
class Change:
    """An attribute or a variable that may be assigned while a function is traced."""

    owner: weakref.ref[Any] | dict[str, Any]  # an object, or the variables of a module
    name: str
    path: str  # as the source calls it
    identity: int  # of the value before
    was_empty: bool  # whether there was no value before, or None
    source: Source


@final
@dataclass(slots=True)
class Ran:
    """A function of the user's that ran while another one was traced."""

    facts: Facts
    scope: dict[str, Any]  # the variables of its module. Any: of users
    objects: list[tuple[str, weakref.ref[Any]]] = field(default_factory=list)  # by argument
    generators: list[tuple[Path, int, Any, bytes]] = field(default_factory=list)


@final
@dataclass(slots=True)
class Staging:
    """A function that is being traced, or has been, and the functions that ran meanwhile."""

    name: str
    function: Callable[..., Any]  # the user's. Any: its arguments and results
    ran: dict[int, Ran] = field(default_factory=dict)  # by the id of its code
    parents: dict[int, CodeType] = field(default_factory=dict)  # the code around code that ran
    effects: list[Effect] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    made: dict[int, weakref.ref[Any]] = field(default_factory=dict)  # objects by their ids
    program: Program | None = None

    def is_outside(self, code: CodeType, name: str) -> bool:
        """Return whether a variable of an enclosing function was there before the staging began.

        Args:
            code: the code with the free variable.
            name: the variable.
        """
        parent = self.parents.get(id(code))
        if parent is None:
            return True
        return name in parent.co_freevars and self.is_outside(parent, name)

    def made_it(self, value: object) -> bool:
        """Return whether an object was made while the function was traced."""
        found = self.made.get(id(value))
        return found is not None and found() is value


Ended: TypeAlias = Callable[[Staging], object]


@final
class Recorder:
    """Notes what runs while functions are traced, and tells those who subscribe."""

    def __init__(self) -> None:
        self._subscribers: list[Ended] = []
        self._lock = fork_safe_lock()
        self._threads = threading.local()
        self._stack = ExitStack()
        self._known: dict[int, Facts] = {}  # by the id of the code, which the facts keep alive
        self._noted: dict[str, bool] = {}  # whether functions of a file are noted

    def subscribe(self, ended: Ended) -> None:
        """Begin to record for a subscriber.

        Args:
            ended: is called with each staging that has ended, in its thread.
        """
        with self._lock:
            self._subscribers.append(ended)
            if len(self._subscribers) == 1:
                self._stack.enter_context(listening(self._hear))

    def unsubscribe(self, ended: Ended) -> None:
        """Stop recording for a subscriber; without any, all that was recorded is forgotten.

        Args:
            ended: as for `subscribe`.
        """
        with self._lock:
            self._subscribers.remove(ended)
            if not self._subscribers:
                self._stack.close()
                self._unhook()
                self._known = {}
                self._noted.clear()  # hooks of other threads remove themselves at the next file

    def _hear(self, event: Event) -> None:
        """Follow the beginnings and ends of stagings."""
        if type(event) is StagingBegan:
            stack = self._stagings()
            stack.append(Staging(event.name, event.function))
            if len(stack) == 1:
                self._threads.hook = installed(self._hook(stack))
        elif type(event) is FunctionStaged or type(event) is StagingFailed:
            stack = self._stagings()
            if not stack:  # the recording began in the middle of it
                return
            staging = stack.pop()
            if stack:
                for number, ran in staging.ran.items():
                    stack[-1].ran.setdefault(number, ran)
                stack[-1].parents.update(staging.parents)
                stack[-1].made.update(staging.made)
            else:
                self._unhook()
            if type(event) is FunctionStaged:
                staging.program = event.program
                for ended in [*self._subscribers]:
                    ended(staging)

    def _stagings(self) -> list[Staging]:
        """Return the stagings of this thread that have not ended, outermost first."""
        found: list[Staging] | None = getattr(self._threads, "stagings", None)
        if found is None:
            found = self._threads.stagings = []
        return found

    def _unhook(self) -> None:
        """Remove the hook of this thread, if there is one."""
        hook = getattr(self._threads, "hook", None)
        self._threads.hook = None
        self._stagings().clear()
        if hook is not None:
            removed(hook)

    def _hook(self, stack: list[Staging]) -> Hook:
        """Return the profile hook for a thread with these stagings.

        It runs for each call in the thread, so the common case, code that is not the user's, comes first.
        """
        noted = self._noted
        # By frame: a variable that an effect's value goes to.
        waiting: dict[int, tuple[str, Effect]] = {}

        def hook(frame: FrameType, event: str, argument: Any) -> None:
            if event == "call":
                try:
                    if noted[frame.f_code.co_filename] and stack:
                        self._enter(stack[-1], frame)
                except KeyError:
                    if self._is_noted(frame.f_code.co_filename) and stack:
                        self._enter(stack[-1], frame)
            elif event == "c_call":
                if noted.get(frame.f_code.co_filename) and argument.__name__ in _WANTED and stack:
                    with suppress(Exception):  # never an error in the user's program
                        _note_call(stack[-1], frame, argument, waiting)
            elif waiting and event == "return":
                found = waiting.pop(id(frame), None)
                if found is not None:
                    name, effect = found
                    effect.value = frame.f_locals.get(name, MISSING)

        return hook

    def _is_noted(self, file: str) -> bool:
        """Return whether functions of a file are noted: the user's, and some of the standard library."""
        if not self._subscribers:
            self._unhook()
            return False
        found = kind_of_file(file) == "user" or file in (_RANDOM_FILE, _GENERATED)
        self._noted[file] = found
        return found

    def _enter(self, staging: Staging, frame: FrameType) -> None:
        """Note that a function begins."""
        with suppress(Exception):  # never an error in the user's program
            code = frame.f_code
            facts = self._known.get(id(code))
            if facts is None:
                facts = self._known[id(code)] = facts_of(code)
            _enter(staging, facts, frame)


recorder: Final = Recorder()


def _enter(staging: Staging, facts: Facts, frame: FrameType) -> None:
    """Note that a function of the user's begins."""
    code = frame.f_code
    if code.co_name == "__init__":
        made = frame.f_locals.get(code.co_varnames[0]) if code.co_varnames else None
        if is_object(made):
            with suppress(TypeError):
                staging.made[id(made)] = weakref.ref(made)
    if code.co_filename == _RANDOM_FILE:
        _note_random(staging, frame)
        return
    if code.co_filename == _GENERATED:
        return
    ran = staging.ran.get(id(code))
    if ran is None:
        ran = staging.ran[id(code)] = Ran(facts, frame.f_globals)
        for each in code.co_consts:
            if isinstance(each, CodeType):
                staging.parents[id(each)] = code
        _note_variables(staging, ran, frame)
    if facts.arguments and len(ran.objects) < _MOST_OBJECTS:
        _note_objects(staging, ran, frame)


def _note_random(staging: Staging, frame: FrameType) -> None:
    """Note a function of the module `random`, if the user calls it."""
    caller = frame.f_back
    if caller is None or id(caller.f_code) not in staging.ran:
        return
    if frame.f_locals.get("self") is getattr(random, "_inst", None):
        staging.effects.append(Effect("random", Source(caller.f_code, caller.f_lasti)))


def _note_variables(staging: Staging, ran: Ran, frame: FrameType) -> None:
    """Note the global variables that a function may assign, and the states of NumPy's generators that it may use."""
    for store in ran.facts.stores:
        if store.root == "global":
            before = ran.scope.get(store.name, MISSING)
            source = Source(frame.f_code, store.offset)
            change = Change(ran.scope, store.name, store.name, id(before), before is None, source)
            staging.changes.append(change)
        elif store.owner is not None and store.owner.root != "argument":
            _note_attribute(staging, frame, store, value_of(staging, store.owner, frame))
    for read in ran.facts.reads:
        if read.method and read.path.root != "argument":
            generator = _numpys_generator(value_of(staging, read.path, frame), read.method)
            if generator is not None:
                state = _state(generator)
                ran.generators.append((read.path, read.offset, generator, state))


def _note_objects(staging: Staging, ran: Ran, frame: FrameType) -> None:
    """Note the objects among a function's arguments whose attributes it reads, and those that it may assign."""
    names = frame.f_locals
    for name in ran.facts.arguments:
        value = names.get(name)
        if not is_object(value) or any([known() is value for _, known in ran.objects]):
            continue
        try:
            ran.objects.append((name, weakref.ref(value)))
        except TypeError:  # it cannot be referred to weakly
            continue
    for store in ran.facts.stores:
        if store.owner is not None and store.owner.root == "argument":
            owner = followed(names.get(store.owner.name), store.owner.steps)
            _note_attribute(staging, frame, store, owner)


def _note_attribute(staging: Staging, frame: FrameType, store: Store, owner: Any) -> None:
    """Note an attribute that a function may assign. Any: the object, of the user's class, or `MISSING`."""
    if owner is MISSING or not is_object(owner):
        return
    before = followed(owner, ((".", store.name),))
    assert store.owner is not None, "attributes have an owner"
    path = Path(store.owner.root, store.owner.name, (*store.owner.steps, (".", store.name)))
    with suppress(TypeError):  # it may be that it cannot be referred to weakly
        staging.changes.append(
            Change(
                weakref.ref(owner),
                store.name,
                str(path),
                id(before),
                before is MISSING or before is None,
                Source(frame.f_code, store.offset),
            )
        )


def value_of(staging: Staging, path: Path, frame: FrameType) -> Any:  # Any: of users
    """Return what a path leads to that was there before the staging began, or `MISSING`.

    Args:
        staging: the staging.
        path: the path, in the code of the frame.
        frame: the frame.
    """
    if path.root == "global":
        value = frame.f_globals.get(path.name, MISSING)
        if value is np:
            return np.random if path.steps == ((".", "random"),) else MISSING
    elif path.root == "free" and not staging.is_outside(frame.f_code, path.name):
        return MISSING
    else:
        value = frame.f_locals.get(path.name, MISSING)
        if path.root == "argument" and (not is_object(value) or staging.made_it(value)):
            return MISSING
        if path.root == "argument" and not path.steps:  # it may have been made by the caller
            return MISSING
    return MISSING if value is MISSING else followed(value, path.steps)


def _note_call(
    staging: Staging, frame: FrameType, function: Any, waiting: dict[int, tuple[str, Effect]]
) -> None:
    """Note a call of a function written in C, if it has an effect. Any: the function."""
    if frame.f_code.co_filename in (_RANDOM_FILE, _GENERATED):  # the caller has been noted
        return
    effect = _effect(staging, frame, function)
    if effect is None:
        return
    staging.effects.append(effect)
    variable = stored_in(frame.f_code, frame.f_lasti)
    if variable and effect.kind in ("random", "clock"):
        waiting[id(frame)] = variable, effect


def _effect(staging: Staging, frame: FrameType, function: Any) -> Effect | None:
    """Return the effect of calling a function written in C, or None. Any: the function."""
    name, owner = function.__name__, function.__self__
    source = Source(frame.f_code, frame.f_lasti)
    if name == "print" and function is print:
        return Effect("print", source)
    if name in CLOCKS:
        is_clock = getattr(function, "__module__", None) == "time" or name in ("now", "utcnow")
        return Effect("clock", source) if is_clock else None
    if isinstance(owner, random.Random):
        inside = owner is getattr(random, "_inst", None)
        receiver = _receiver(staging, frame, name, owner)
        return Effect("random", source, receiver) if inside or receiver else None
    if name in MUTATORS and isinstance(owner, _CONTAINERS):
        receiver = _receiver(staging, frame, name, owner)
        return Effect("append", source, receiver) if receiver else None
    return None


def _receiver(staging: Staging, frame: FrameType, method: str, owner: object) -> Path | None:
    """Return the path of the object whose method is called, if it was there before the staging began."""
    ran = staging.ran.get(id(frame.f_code))
    for read in ran.facts.reads if ran is not None else ():
        if read.method == method and value_of(staging, read.path, frame) is owner:
            return read.path
    return None


def stored_in(code: CodeType, offset: int) -> str:
    """Return the local variable in which the result of a call is kept at once, or an empty string.

    Args:
        code: the code with the call.
        offset: the offset of the call.
    """
    found = False
    for each in dis.get_instructions(code):
        if found and each.opname != "CACHE":
            return str(each.argval) if each.opname == "STORE_FAST" else ""
        found = found or each.offset == offset
    return ""


def _numpys_generator(value: object, method: str) -> Any:
    """Return the bit generator behind a method of `numpy.random`, or of a generator; None for others. Any: NumPy's."""
    if value is np.random:
        return getattr(
            getattr(getattr(np.random, method, None), "__self__", None), "_bit_generator", None
        )
    if isinstance(value, np.random.Generator):
        return value.bit_generator
    if isinstance(value, np.random.RandomState):
        return getattr(value, "_bit_generator", None)
    return None


def _state(generator: Any) -> bytes:
    """Return the state of a bit generator as bytes, for a comparison. Any: NumPy's."""
    return (
        repr(generator.state).encode()
        if type(generator).__name__ != "MT19937"
        else _twister(generator)
    )


def _twister(generator: Any) -> bytes:
    """Return the state of a Mersenne twister. Any: NumPy's."""
    state = generator.state["state"]
    key: np.ndarray[Any, np.dtype[np.uint32]] = state["key"]
    return key.tobytes() + int(state["pos"]).to_bytes(4, "little")


def was_used(generator: Any, state: bytes) -> bool:
    """Return whether a generator has given numbers since it had a state. Any: NumPy's.

    Args:
        generator: a bit generator.
        state: its state before.
    """
    return _state(generator) != state
