"""Plans of composed functions: which implementation runs each of them, decided once for each cache key."""

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
from treadle_runtime.evaluation.codegen import Run, generate
from treadle_runtime.evaluation.fp_warnings import IGNORED, restore, suppress_fp_warnings
from treadle_runtime.evaluation.limits import ANY_SIZE, LARGE, host_limits, is_large
from treadle_runtime.evaluation.operation import Operation
from treadle_runtime.launch import Launch, check_results_fit, compile_program
from treadle_runtime.placement.partition import memories, partitioning, placement_for
from treadle_runtime.placement.placement import PlacedType, Placement, default_of_results

PASSES: Final = 2  # passes over a large array from which on compiling pays off
MOST_CAPTURED: Final = 1 << 16  # bytes of constants that a plan may hold
# each argument adds 40 us and 9 KB to the creation of a plan, and saves 5 us per call
MOST_ARRAYS: Final = 1 << 14


@final
class Plan:
    """The implementation of a composed function for one cache key."""

    __slots__ = ("compiles", "rebuild", "run")

    def __init__(self, run: Run, structure: PyTreeDef, *, compiles: bool) -> None:
        self.run = run
        self.compiles = compiles  # whether it has a compiled program, or may get one
        # None for a single array, the most common result.
        self.rebuild = None if structure.is_leaf() else structure.unflatten


def planned(
    arrays: Sequence[DeviceArray],
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    loops: bool,
) -> Plan | None:
    """Return the plan of `function` for such arguments; None if it has to be called itself.

    There is no plan for a function that reads elements, refuses the arguments, or does not return arrays.
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
        # The function reads elements, or refuses such arguments: called itself, it raises its own error. Any other
        # error is a bug of the library, which must not be hidden as a slow path.
        return None
    if sum([each.nbytes for each in constants]) > MOST_CAPTURED or staged.program.effects:
        return None
    program = optimise(
        inline(staged.program, calls=(InlineCall,)), names=(), keeps_rounding=adds_constants()
    )
    results = [placement.of(_of_array(atom.type)) for atom in program.results]
    large = any(map(is_large, arrays)) or any([each.type.size > LARGE for each in results])
    on_host = placement.on_host and all([x.placed.placement.is_whole for x in arrays])
    enough = PASSES if any(map(is_large, arrays)) else 1  # writing a large result is one pass
    passes = _passes(program)
    native = _counterpart(arrays, function, args, kwargs) if loops or not large else None
    native = native if on_host else None
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
            run = generate(program, operations, constants, results)
            return Plan(
                run if native is None else _native(native, results, run), structure, compiles=False
            )
        if not loops and (not large or passes is None):
            return None

    operands = [x.placed for x in arrays]  # not the arrays, which the plan must not keep alive

    @functools.cache
    def compiled() -> Run:
        return _compiled(program, placement, constants, operands, function.__name__)

    if native is None:
        return Plan(compiled(), structure, compiles=True)
    run = _native(native, results, lambda *arrays: compiled()(*arrays))
    return Plan(run, structure, compiles=True)


def _counterpart(
    arrays: Sequence[DeviceArray],
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> Counterpart | None:
    """Return the native implementation of a function for these arguments; None if it has none.

    The arguments have to be arrays and tuples of arrays, followed by as many other values as its maker accepts.
    """
    maker = counterparts.get(function)
    given = [each for x in args for each in (x if type(x) is tuple else (x,))]
    count = len(arrays)
    if maker is None or kwargs or any([type(x) is not DeviceArray for x in given[:count]]):
        return None
    if len(given) - count != maker.__code__.co_argcount - 1:
        return None
    return maker([x.type for x in arrays], *given[count:])


def _native(counterpart: Counterpart, results: Sequence[PlacedType], otherwise: Run) -> Run:
    """Return a function that calls the native implementation, and falls back to `otherwise` if that returns None."""

    def run(*arrays: DeviceArray) -> list[DeviceArray]:
        operands = []
        for x in arrays:  # a comprehension would cost a function call
            operands.append(elements_of(x) if x.host is None else x.host)
        token = suppress_fp_warnings(IGNORED)
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
    """Call the function with operands instead of its arrays; no structure if it returns anything but arrays."""
    following = iter(operands)

    def replaced(x: Any) -> Any:
        if type(x) is DeviceArray:
            return next(following)
        if type(x) is tuple or type(x) is list:
            return type(x)([next(following) if type(each) is DeviceArray else each for each in x])
        return x

    # A list, not `map`: Python evaluates an unpacked iterator after the keyword arguments.
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
    """Return the number of full passes over memory; None if NumPy is better at one of the operations at any size."""
    passes = 0
    interleaved: set[Value] = set()
    for equation in program.equations:
        types = [each.type for each in (*equation.operands, *equation.results)]
        size = max([each.size for each in types if isinstance(each, ArrayType)], default=0)
        if size > LARGE:
            if host_limits.get(type(equation.primitive)) == ANY_SIZE:
                return None
            passes += equation.primitive.computes or _counts(equation.primitive)
            if _broadcasts_inside(equation.primitive):
                interleaved.update(equation.results)
            elif isinstance(equation.primitive, Reshape) and interleaved.intersection(
                equation.operands
            ):
                passes += PASSES  # NumPy copies the elements one by one
    return passes


def _counts(primitive: Primitive) -> bool:
    """Return whether NumPy would write a range to memory; with several axes it is a view."""
    return isinstance(primitive, Iota) and len(primitive.shape) == 1


def _broadcasts_inside(primitive: Primitive) -> bool:
    """Return whether a broadcast adds an innermost axis, so that each element is repeated consecutively."""
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
    """Return the program compiled by XLA for a placement, and for arrays with the given shardings."""
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
    # If all arrays are on the devices of the program, existing buffers can be passed directly.
    here = jaxlib().core.ArrayImpl if in_place else None
    execute, made, nowhere = launch.execute, launch.results, repeat(None)

    def run(*arrays: DeviceArray) -> list[DeviceArray]:
        buffers = [
            x.raw if x.raw.__class__ is here else buffer_at(x, placement) for x in (*kept, *arrays)
        ]
        return [*map(DeviceArray, made, nowhere, execute(buffers))]

    return run
