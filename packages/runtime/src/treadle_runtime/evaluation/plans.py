"""Plans of composed functions: how each is run as a whole, decided once for a kind of arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import Any, Final, final

import treadle_compiler as compiler
from treadle_compiler import adds_constants, jaxlib
from treadle_ir import (
    Array,
    ArrayType,
    Counterpart,
    InlineCall,
    Operands,
    Primitive,
    Program,
    Tracer,
    TreadleError,
    Type,
    Value,
    counterparts,
    stage_tree,
)
from treadle_ir.primitives.creation import Iota
from treadle_ir.primitives.shape import BroadcastInDim, Reshape
from treadle_ir.rewrite import inline, optimise
from treadle_ir.tree import PyTreeDef, flatten_leaves_and_structure
from treadle_runtime.arrays.array import DeviceArray, Elements, buffer_at, elements_of
from treadle_runtime.arrays.from_user import as_device_array
from treadle_runtime.evaluation.composites import LARGE, is_large
from treadle_runtime.evaluation.limits import ANY_SIZE, host_limits
from treadle_runtime.evaluation.operation import Operation
from treadle_runtime.evaluation.quiet import SILENCE, quieten, restore
from treadle_runtime.evaluation.straight_line import Run, straight_line
from treadle_runtime.launch import Launch, check_results_fit, compile_program
from treadle_runtime.placement.partition import memories, partitioning, placement_for
from treadle_runtime.placement.placement import PlacedType, Placement, default_of_results

PASSES: Final = 2  # over a large array, from which on compiling pays
MOST_CAPTURED: Final = 1 << 16  # bytes of constants that are kept with a plan
# each costs 40 us and 9 KB in the making of a plan, which takes 5 us less for it later
MOST_ARRAYS: Final = 1 << 14


@final
class Plan:
    """How a composed function is run on arguments of one kind."""

    __slots__ = ("compiles", "rebuild", "run")

    def __init__(self, run: Run, structure: PyTreeDef, *, compiles: bool) -> None:
        self.run = run
        self.compiles = compiles  # whether it has a compiled program, or may get one
        # None for a single array, the commonest result.
        self.rebuild = None if structure.is_leaf() else structure.unflatten


def planned(
    arrays: Sequence[DeviceArray],
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    loops: bool,
) -> Plan | None:
    """How to run the function on such arguments; None where it has to run as it is.

    That is a function that reads elements, refuses such arguments, or returns something else than arrays.
    """
    if len(arrays) > MOST_ARRAYS:
        return None
    try:
        staged, structure = stage_tree(
            lambda *operands: _applied(function, args, kwargs, operands),
            *[x.type for x in arrays],
        )
        placement = placement_for(
            staged.program,
            [x.placed for x in arrays],
            default_of_results(),
            function.__name__,
            lambda index: f"argument {index}",
        )
        if structure is None or any([isinstance(x, Tracer) for x in staged.captured]):
            return None
        constants = [elements_of(as_device_array(x)) for x in staged.captured]
    except TreadleError:
        # The function reads elements, or refuses such arguments: run by itself, it says so in its own words. Any other
        # error is a fault of the library's, which must not hide as slowness.
        return None
    if sum([each.nbytes for each in constants]) > MOST_CAPTURED or staged.program.effects:
        return None
    program = optimise(
        inline(staged.program, calls=(InlineCall,)), names=(), keeps_rounding=adds_constants()
    )
    results = [placement.of(_of_array(atom.type)) for atom in program.results]
    large = any(map(is_large, arrays)) or any([each.type.size > LARGE for each in results])
    on_host = placement.on_host and all([x.placed.placement.is_whole for x in arrays])
    enough = PASSES if any(map(is_large, arrays)) else 1  # to write a large result is a pass
    passes = _passes(program)
    whole = _counterpart(arrays, function, args, kwargs) if loops or not large else None
    whole = whole if on_host else None
    if on_host and not (large and passes is not None and passes >= enough):
        operations = [
            Operation(
                equation.primitive,
                [placement.of(_of_array(atom.type)) for atom in equation.operands],
                placement,
            )
            for equation in program.equations
        ]
        if all([operation.kernel is not None for operation in operations]):
            run = straight_line(program, operations, constants, results)
            return Plan(
                run if whole is None else _in_numpy(whole, results, run), structure, compiles=False
            )
        if not loops and (not large or passes is None):
            return None

    operands = [x.placed for x in arrays]  # the arrays themselves are not kept

    @functools.cache
    def compiled() -> Run:
        return _compiled(program, placement, constants, operands, function.__name__)

    if whole is None:
        return Plan(compiled(), structure, compiles=True)
    run = _in_numpy(whole, results, lambda *arrays: compiled()(*arrays))
    return Plan(run, structure, compiles=True)


def _counterpart(
    arrays: Sequence[DeviceArray],
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Counterpart | None:
    """The counterpart of a function of arrays and tuples of them, and then values if its maker takes so many."""
    maker = counterparts.get(function)
    given = [each for x in args for each in (x if type(x) is tuple else (x,))]
    count = len(arrays)
    if maker is None or kwargs or any([type(x) is not DeviceArray for x in given[:count]]):
        return None
    if len(given) - count != maker.__code__.co_argcount - 1:
        return None
    return maker([x.type for x in arrays], *given[count:])


def _in_numpy(counterpart: Counterpart, results: Sequence[PlacedType], otherwise: Run) -> Run:
    """The counterpart of a function, and the function's operations where that gives nothing."""

    def run(*arrays: DeviceArray) -> list[DeviceArray]:
        operands = []
        for x in arrays:  # a comprehension is a call of its own
            operands.append(elements_of(x) if x.host is None else x.host)
        token = quieten(SILENCE)
        try:
            found = counterpart(*operands)
        finally:
            restore(token)
        return otherwise(*arrays) if found is None else [*map(DeviceArray, results, found)]

    return run


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


def _of_array(type: Type) -> ArrayType:
    assert isinstance(type, ArrayType), "a program without effects has no tokens"
    return type


def _passes(program: Program) -> int | None:
    """How often the program goes over large arrays; None where NumPy does something of it better at any size."""
    passes = 0
    strewn: set[Value] = set()
    for equation in program.equations:
        types = [each.type for each in (*equation.operands, *equation.results)]
        size = max([each.size for each in types if isinstance(each, ArrayType)], default=0)
        if size > LARGE:
            if host_limits.get(type(equation.primitive)) == ANY_SIZE:
                return None
            passes += equation.primitive.computes or _counts(equation.primitive)
            if _strews(equation.primitive):
                strewn.update(equation.results)
            elif isinstance(equation.primitive, Reshape) and strewn.intersection(equation.operands):
                passes += PASSES  # NumPy copies the elements one by one
    return passes


def _counts(primitive: Primitive) -> bool:
    """Whether NumPy would write a range to memory; of more axes it is a view."""
    return isinstance(primitive, Iota) and len(primitive.shape) == 1


def _strews(primitive: Primitive) -> bool:
    """Whether each element is repeated side by side."""
    return (
        isinstance(primitive, BroadcastInDim)
        and len(primitive.shape) - 1 not in primitive.dimensions
    )


def _compiled(
    program: Program,
    placement: Placement,
    constants: Sequence[Elements],
    arrays: Sequence[PlacedType],
    name: str,
) -> Run:
    """The program compiled by XLA for a placement, and for arrays that lie as these do."""
    operands = [placement.of(_of_array(value.type)) for value in program.parameters]
    operands[len(constants) :] = arrays
    results = [_of_array(type) for type in program.result_types]
    check_results_fit(results, placement)
    lowered = compiler.lower_program(
        program,
        name=name,
        platform=placement.device.backend.platform,
        partitioning=partitioning(placement, operands, results),
        memories=memories(placement, operands, len(results)),
    )
    launch: Launch = compile_program(lowered, placement)
    kept = [
        DeviceArray(placement.of(_of_array(value.type)), each)
        for value, each in zip(program.parameters, constants, strict=False)
    ]
    devices = placement.sharding.devices
    in_place = all([each.placement.sharding.devices == devices for each in operands])
    # Where all arrays are where the program runs, their buffers need not be asked for once they are there.
    here = jaxlib().core.ArrayImpl if in_place else None
    execute, made, nowhere = launch.execute, launch.results, repeat(None)

    def run(*arrays: DeviceArray) -> list[DeviceArray]:
        buffers = [
            x.raw if x.raw.__class__ is here else buffer_at(x, placement) for x in (*kept, *arrays)
        ]
        return [*map(DeviceArray, made, nowhere, execute(buffers))]

    return run
