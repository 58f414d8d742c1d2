"""Bodies of control flow as programs: staged once per function and types where that can be seen to be right.

A body is a Python function that runs on tracers, whatever trace is current: what it captured becomes leading
operands. In an eager loop the same body would be staged, and compiled, again in each turn. Two memories
prevent it. A function that captured no arrays, and that can see nothing but constants, modules of libraries and
functions of that kind, the same ones as before, is not staged again. Any other is, but if its program equals one
that the same code gave before, that one is used, and with it all that is remembered of it: its derivatives, its
executables.
"""

from __future__ import annotations

import threading
import types
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any, Final, TypeAlias, final

import numpy as np

from treadle_ir import (
    ArgumentError,
    ArrayType,
    Operand,
    Operands,
    Program,
    StagingTrace,
    Trace,
    Value,
    current_trace,
    during,
    equal_programs,
    stage,
    type_of,
    x64_enabled,
)
from treadle_ir.tree import (
    PyTreeDef,
    flatten_leaves_and_structure,
    keystr,
    tree_flatten_with_path,
    tree_unflatten,
)
from treadle_numpy.coercion import coerce

Tree: TypeAlias = Any  # a pytree: any Python object

_PROGRAMS_KEPT: Final = 8  # per function, and per code
_SEEN_AT_MOST: Final = 256  # objects: a function that sees more is staged anew


@final
@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A staged body: its program, what it captured (operands that go first), the structures it returned."""

    program: Program
    captured: tuple[Operand, ...]
    structures: tuple[PyTreeDef, ...]

    @property
    def result_types(self) -> list[list[ArrayType]]:
        """The types of the results, by structure."""
        all_types = iter(self.program.result_types)
        return [
            [
                each
                for _, each in zip(range(structure.num_leaves), all_types, strict=False)
                if isinstance(each, ArrayType)
            ]
            for structure in self.structures
        ]


def flatten_operands(function: str, what: str, tree: Tree) -> tuple[list[Any], PyTreeDef]:
    """The leaves of a tree as operands, and its structure; a leaf that is no array is named by its path.

    Raises:
        ArgumentError: a leaf is not an array or a number.
    """
    leaves, structure = flatten_leaves_and_structure(tree)
    operands = []
    for position, leaf in enumerate(leaves):
        try:
            operands.append(coerce(function, position, leaf))
        except ArgumentError as error:
            paths, _ = tree_flatten_with_path(tree)
            raise ArgumentError(
                f"{function}: {what}{keystr(paths[position][0])} is {leaf!r} of type {type(leaf)}, "
                "which is not an array or a number",
                fix="close over it, or register its class as a pytree",
            ) from error
    return operands, structure


def paths_of(structure: PyTreeDef) -> list[str]:
    """Where the leaves of a structure are: `['w'][0]`."""
    tree = tree_unflatten(structure, range(structure.num_leaves))
    return [keystr(path) for path, _ in tree_flatten_with_path(tree)[0]]


Split: TypeAlias = Callable[[Tree], tuple[Tree, ...]]


def one_tree(result: Tree) -> tuple[Tree, ...]:
    """The result of a body that returns one tree."""
    return (result,)


def stage_body(
    where: str,
    function: Callable[..., Tree],
    structures: Sequence[PyTreeDef],
    operand_types: Sequence[ArrayType],
    split: Split = one_tree,
    identity: object = None,
) -> Body:
    """A body as a program: `function` takes one tree per structure; `split` takes its result apart.

    `where` is for messages: "the body of scan". `identity` is the user's function, where `function` is a wrapper
    around it; together with `where` it must say what `function` does.
    """
    identity = function if identity is None else identity
    key = (where, tuple(structures), tuple(operand_types), x64_enabled(), split)
    memory = _memory(identity)
    if memory is not None:
        found = memory.find(key)
        if found is not None:
            return found
    shape: list[PyTreeDef] = []
    counts = [structure.num_leaves for structure in structures]

    def flat(*operands: Operand) -> Operands:
        arguments, start = [], 0
        for structure, count in zip(structures, counts, strict=True):
            arguments.append(tree_unflatten(structure, operands[start : start + count]))
            start += count
        results: list[Operand] = []
        for tree in split(function(*arguments)):
            leaves, structure = flatten_operands(where, "the result ", tree)
            results += leaves
            shape.append(structure)
        return results

    with during(f"staging {where}"):
        staged = stage(flat, *operand_types)
    body = Body(interned(identity, staged.program), staged.captured, tuple(shape))
    if memory is not None and not staged.captured:
        memory.keep(key, body)
    return body


# --- by function -----------------------------------------------------------------------------------


@final
class _Memory:
    """The bodies staged from one function, and what the function could see then.

    It is an attribute of the function: they refer to each other, and go together.
    """

    __slots__ = ("_bodies", "_owner", "_seen")

    def __init__(self, function: types.FunctionType, seen: list[object]) -> None:
        self._owner = weakref.ref(function)
        self._seen = seen
        self._bodies: dict[Any, Body] = {}

    def holds_for(self, function: types.FunctionType, seen: list[object]) -> bool:
        """Whether it is this function's own (`functools.wraps` copies attributes), and nothing has changed."""
        if self._owner() is not function or len(seen) != len(self._seen):
            return False
        return all(x is y for x, y in zip(seen, self._seen, strict=True))

    def find(self, key: object) -> Body | None:
        """The body staged for a key."""
        return self._bodies.get(key)

    def keep(self, key: object, body: Body) -> None:
        """Remember a body, in the place of the oldest one if there are many."""
        if len(self._bodies) >= _PROGRAMS_KEPT:
            self._bodies.pop(next(iter(self._bodies)))
        self._bodies[key] = body


_CONSTANTS: Final = (bool, int, float, complex, str, bytes, np.generic, np.dtype, type, type(None))
_BUILT_IN: Final = (types.BuiltinFunctionType, np.ufunc)
_LIBRARIES: Final = frozenset(
    {"builtins", "functools", "math", "ml_dtypes", "numpy", "operator", "scipy"}
)


def _is_library(name: object) -> bool:
    top = str(name).partition(".")[0]
    return top in _LIBRARIES or top.startswith("treadle")


def _visible(function: types.FunctionType) -> list[object] | None:
    """All objects that a function may use; None if one of them might change without being replaced."""
    seen: list[object] = []
    known: set[int] = set()
    stack: list[object] = [function]
    while stack:
        value = stack.pop()
        if id(value) in known:
            continue
        known.add(id(value))
        seen.append(value)
        if len(seen) > _SEEN_AT_MOST:
            return None
        if isinstance(value, (*_CONSTANTS, *_BUILT_IN)):
            continue
        if isinstance(value, types.ModuleType):
            if not _is_library(value.__name__):
                return None
        elif isinstance(value, (tuple, frozenset)):
            stack += value
        elif isinstance(value, types.FunctionType):
            if not _is_library(value.__module__):
                stack += _used_by(value)
        else:
            return None
    return seen


def _used_by(function: types.FunctionType) -> list[object]:
    """The code, defaults, closure and globals of a function."""
    used: list[object] = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    for cell in function.__closure__ or ():
        try:
            used.append(cell.cell_contents)
        except ValueError:  # not filled yet
            used.append(None)
    scope = function.__globals__
    for name in _global_names(function.__code__):
        if name in scope:
            used.append(scope[name])
    return used


@lru_cache(maxsize=4096)
def _global_names(code: CodeType) -> tuple[str, ...]:
    """The names that a code and the codes in it look up (attributes are among them)."""
    names: set[str] = set()
    stack = [code]
    while stack:
        each = stack.pop()
        names.update(each.co_names)
        stack += [constant for constant in each.co_consts if isinstance(constant, CodeType)]
    return tuple(sorted(names))


def _memory(function: object) -> _Memory | None:
    """The memory of a plain Python function that can see nothing that might change; others have none."""
    if not isinstance(function, types.FunctionType):
        return None
    seen = _visible(function)
    if seen is None:
        return None
    memory = function.__dict__.get("_treadle_bodies")
    if not isinstance(memory, _Memory) or not memory.holds_for(function, seen):
        memory = _Memory(function, seen)
        function.__dict__["_treadle_bodies"] = memory
    return memory


# --- by program ------------------------------------------------------------------------------------

_INTERNED: Final[weakref.WeakKeyDictionary[CodeType, list[Program]]] = weakref.WeakKeyDictionary()
_LOCK: Final = threading.Lock()


def interned(function: object, program: Program) -> Program:
    """A program that the same code gave before and that equals this one; this one if there is none."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType) or _is_staging():
        return program  # under jit the outer program is made once
    with _LOCK:
        known = _INTERNED.setdefault(code, [])
        for other in known:
            if equal_programs(other, program):
                return other
        if len(known) >= _PROGRAMS_KEPT:
            known.pop(0)
        known.append(program)
    return program


def _is_staging() -> bool:
    trace: Trace | None = current_trace()
    while trace is not None:
        if isinstance(trace, StagingTrace):
            return True
        trace = trace.parent
    return False


def with_common_captured(
    bodies: Sequence[Body], functions: Sequence[object]
) -> tuple[list[Program], list[Operand]]:
    """The bodies' programs with all that any of them captured as leading parameters, and what that is."""
    captured: dict[int, Operand] = {}
    for body in bodies:
        for operand in body.captured:
            captured.setdefault(id(operand), operand)
    if not captured:
        return [body.program for body in bodies], []
    programs = []
    for body, function in zip(bodies, functions, strict=True):
        own = {
            id(x): value for x, value in zip(body.captured, body.program.parameters, strict=False)
        }
        leading = [own.get(place) or Value(type_of(x)) for place, x in captured.items()]
        rest = body.program.parameters[len(body.captured) :]
        widened = Program((*leading, *rest), body.program.equations, body.program.results)
        programs.append(interned(function, widened))
    return programs, list(captured.values())
