"""Composed functions, run as a whole where nothing transforms them.

A function of the library that makes five operations costs five times the Python around an operation. Here it is staged
once for each kind of arguments - types and places of arrays, values of everything else, the context - and later calls
run what was staged: on small arrays the same NumPy kernels in a row (`straight_line`), with the same results to the
last bit; on large ones, where it makes several passes over the elements, one program compiled by XLA.

Which of them it is depends on types and places alone, so a call gives the same each time. On the CPU small arrays never
cause a compilation, and a function that is called once with some kind of small arguments is not staged for it either.
On an accelerator, where each single operation would be compiled, all of them are compiled as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar, final

import numpy as np

import treadle_compiler as compiler
from treadle_ir import (
    Array,
    ArrayType,
    InlineCall,
    Operands,
    Program,
    Tracer,
    Type,
    context_overrides,
    current_context,
    process_context,
    stage_tree,
)
from treadle_ir.dtypes import is_key
from treadle_ir.rewrite import inline, optimise
from treadle_ir.tree import PyTreeDef, flatten_leaves_and_structure, tree_structure
from treadle_runtime.arrays.array import DeviceArray, Elements, buffer_at, elements_of
from treadle_runtime.arrays.from_user import as_device_array
from treadle_runtime.evaluation.limits import ANY_SIZE, host_limits
from treadle_runtime.evaluation.operation import Operation
from treadle_runtime.evaluation.straight_line import Run, straight_line
from treadle_runtime.launch import Launch, compile_program
from treadle_runtime.placement.placement import PlacedType, Placement, default_placement
from treadle_runtime.placement.resolve import resolve

T = TypeVar("T")

_LIMIT: Final = 4096
LARGE: Final = 1 << 17  # elements of an operand from which on a function may be compiled
PASSES: Final = 3  # over a large array, from which on compiling pays
MOST_CAPTURED: Final = 1 << 16  # bytes of constants that are kept with a plan
# Values that say what to do: they are compared and hashed by what they are, and cannot change.
_STATIC: Final = frozenset(
    {bool, int, float, complex, str, type(None), type}
    | {np.dtype(letter).type for letter in "?bhilqBHILQefdFD"}
)


def _unknown(*arrays: DeviceArray) -> list[DeviceArray]:
    raise AssertionError("stands for no plan")


@final
class Plan:
    """How a composed function is run on arguments of one kind."""

    __slots__ = ("rebuild", "run")

    def __init__(self, run: Run, structure: PyTreeDef) -> None:
        self.run = run
        # None for a single array, the commonest result.
        self.rebuild = None if structure.is_leaf() else structure.unflatten


_UNKNOWN: Final = Plan(_unknown, tree_structure(0))


@final
class Composites:
    """The plans of an evaluator."""

    __slots__ = ("_met", "_plans")

    def __init__(self) -> None:
        self._plans: dict[tuple[Any, ...], Plan | None] = {}  # None: run the function itself
        # What was met once. Apart, since numbers that are never the same fill it: plans are not lost by that.
        self._met: set[tuple[Any, ...]] = set()

    def call(self, function: Callable[..., T], args: Sequence[Any], kwargs: Mapping[str, Any]) -> T:
        """What the function returns."""
        overrides = context_overrides.get()
        context = (process_context[0] if overrides is None else overrides.context()).key
        arrays: list[DeviceArray] = []
        parts: list[Any] = [function, context]
        for x in args:
            kind = x.__class__
            if kind is DeviceArray:
                parts.append(x.placed)
                arrays.append(x)
            elif not _describe(x, kind, parts, arrays):
                return function(*args, **kwargs)
        for name, x in kwargs.items():
            kind = x.__class__
            parts.append(name)
            if kind is DeviceArray:
                parts.append(x.placed)
                arrays.append(x)
            elif not _describe(x, kind, parts, arrays):
                return function(*args, **kwargs)
        key = tuple(parts)
        plan = self._plans.get(key, _UNKNOWN)
        if plan is None:
            return function(*args, **kwargs)
        if plan is _UNKNOWN:
            return self._meet(key, arrays, function, args, kwargs)
        results = plan.run(*arrays)
        rebuild = plan.rebuild
        value: Any = results[0] if rebuild is None else rebuild(results)
        return value  # type: ignore[no-any-return]  # what the function would have returned

    def clear(self) -> None:
        """Forget all plans."""
        self._plans.clear()
        self._met.clear()

    def _meet(
        self,
        key: tuple[Any, ...],
        arrays: Sequence[DeviceArray],
        function: Callable[..., T],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> T:
        """The first calls with a kind of arguments: the function itself, then a plan."""
        if current_context().watched:  # each of its operations is looked at
            return function(*args, **kwargs)
        at_once = any([_is_large(x) or not x.placed.placement.on_host for x in arrays])
        if arrays and not at_once and key not in self._met:
            if len(self._met) >= _LIMIT:
                self._met.clear()
            self._met.add(key)
            return function(*args, **kwargs)
        if len(self._plans) >= _LIMIT:
            self._plans.clear()
        plan = _planned(arrays, function, args, kwargs) if arrays else None
        self._plans[key] = plan
        if plan is None:
            return function(*args, **kwargs)
        results = plan.run(*arrays)
        value: Any = results[0] if plan.rebuild is None else plan.rebuild(results)
        return value  # type: ignore[no-any-return]  # what the function would have returned


def _describe(x: Any, kind: type, parts: list[Any], arrays: list[DeviceArray]) -> bool:
    """Add an argument that is no array to the key, and the arrays in it; False if it has no place there."""
    if kind in _STATIC:
        # 0.0 == -0.0, and NaN is not itself: as text they are what they are.
        parts.append(kind)
        parts.append(x if kind is int or kind is str or kind is bool else _exactly(x))
        return True
    if kind is tuple or kind is list:
        parts.append(kind)
        parts.append(len(x))
        for each in x:
            inner = each.__class__
            if inner is DeviceArray:
                parts.append(each.placed)
                arrays.append(each)
            elif inner in _STATIC:
                parts.append(inner)
                parts.append(_exactly(each))
            else:
                return False
        return True
    if isinstance(x, np.dtype):
        parts.append(x)
        return True
    return False


def _exactly(x: Any) -> Any:
    """What is equal for equal values alone."""
    return x if x is None or isinstance(x, type) else repr(x)


def _planned(
    arrays: Sequence[DeviceArray],
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Plan | None:
    """How to run the function on such arguments, or None: as it is."""
    if current_context().is_stepwise() or any([is_key(x.type.dtype) for x in arrays]):
        return None
    try:
        staged, structure = stage_tree(
            lambda *operands: _applied(function, args, kwargs, operands),
            *[x.type for x in arrays],
        )
        placement = resolve(
            [x.placed for x in arrays],
            default_placement(),
            function.__name__,
            lambda index: f"argument {index}",
        )
        if structure is None or any([isinstance(x, Tracer) for x in staged.captured]):
            return None
        constants = [elements_of(as_device_array(x)) for x in staged.captured]
    except Exception:  # run by itself, the function says what is wrong, in its own words
        return None
    if sum([each.nbytes for each in constants]) > MOST_CAPTURED or staged.program.effects:
        return None
    program = optimise(inline(staged.program, calls=(InlineCall,)), names=())
    results = [placement.of(_of_array(atom.type)) for atom in program.results]
    large = any(map(_is_large, arrays))
    if placement.on_host and not (large and _passes(program) >= PASSES):
        operations = [
            Operation(
                equation.primitive,
                [placement.of(_of_array(atom.type)) for atom in equation.operands],
                placement,
            )
            for equation in program.equations
        ]
        if all([operation.kernel is not None for operation in operations]):
            return Plan(straight_line(program, operations, constants, results), structure)
        if not large or _passes(program) == 0:
            return None
    return Plan(_compiled(program, placement, constants, results, function.__name__), structure)


def _applied(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    operands: Operands,
) -> tuple[Operands, PyTreeDef | None]:
    """The function on operands in the place of the arrays among its arguments; no structure if it returns others."""
    following = iter(operands)

    def replaced(x: Any) -> Any:
        if type(x) is DeviceArray:
            return next(following)
        if type(x) is tuple or type(x) is list:
            return type(x)([next(following) if type(each) is DeviceArray else each for each in x])
        return x

    # A list, not `map`: Python makes the tuple of the positional arguments last.
    positional = [replaced(x) for x in args]
    result = function(*positional, **{name: replaced(x) for name, x in kwargs.items()})
    leaves, structure = flatten_leaves_and_structure(result)
    if not leaves or not all([isinstance(leaf, Array) for leaf in leaves]):
        return (), None
    return leaves, structure


def _is_large(x: DeviceArray) -> bool:
    return x.placed.type.size > LARGE


def _of_array(type: Type) -> ArrayType:
    assert isinstance(type, ArrayType), "a program without effects has no tokens"
    return type


def _passes(program: Program) -> int:
    """How often the program goes over large arrays; 0 if it has something to do that NumPy does better at any size."""
    passes = 0
    for equation in program.equations:
        types = [each.type for each in (*equation.operands, *equation.results)]
        size = max([each.size for each in types if isinstance(each, ArrayType)], default=0)
        if size > LARGE:
            if host_limits.get(type(equation.primitive)) == ANY_SIZE:
                return 0
            passes += equation.primitive.computes
    return passes


def _compiled(
    program: Program,
    placement: Placement,
    constants: Sequence[Elements],
    results: Sequence[PlacedType],
    name: str,
) -> Run:
    """The program compiled by XLA for a placement."""
    platform = placement.device.backend.platform
    lowered = compiler.lower_program(program, name=name, platform=platform)
    launch: Launch = compile_program(lowered, placement)
    kept = [
        DeviceArray(placement.of(_of_array(value.type)), each)
        for value, each in zip(program.parameters, constants, strict=False)
    ]

    def run(*arrays: DeviceArray) -> list[DeviceArray]:
        buffers = launch.execute([buffer_at(x, placement) for x in (*kept, *arrays)])
        return [
            DeviceArray(placed, None, buffer)
            for placed, buffer in zip(results, buffers, strict=True)
        ]

    return run
