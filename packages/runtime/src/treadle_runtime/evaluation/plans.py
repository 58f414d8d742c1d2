"""Plans of fused functions: which implementation runs each of them, decided once for each cache key."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import Any, Final, TypeAlias, final

import treadle_compiler as compiler
from treadle_compiler import adds_constants, jaxlib
from treadle_ir import (
    Array,
    ArrayType,
    Equation,
    Operand,
    Operands,
    Primitive,
    Program,
    Staged,
    TreadleError,
    Type,
    Value,
    bind,
)
from treadle_ir.calling import host_functions
from treadle_ir.core import InlineCall
from treadle_ir.events import listeners
from treadle_ir.primitives.call import Call
from treadle_ir.primitives.creation import Iota
from treadle_ir.primitives.shape import BroadcastInDim, Reshape
from treadle_ir.rewrite import inline, optimise
from treadle_ir.tracing import StagingTrace, Tracer, current_trace, stage_tree
from treadle_ir.tree import PyTreeDef, flatten_leaves_and_structure
from treadle_runtime.arrays.array import DeviceArray, Elements, buffer_at, elements_of
from treadle_runtime.arrays.from_user import as_device_array
from treadle_runtime.arrays.operands import told_buffers
from treadle_runtime.evaluation.codegen import Run, generate
from treadle_runtime.evaluation.host_kernels import ComposedCall, host_kernel
from treadle_runtime.evaluation.limits import ANY_SIZE, LARGE, host_limits
from treadle_runtime.evaluation.operation import Operation
from treadle_runtime.launch import Launch, check_results_fit, compile_program
from treadle_runtime.placement.partition import memories, partitioning, placement_for
from treadle_runtime.placement.placement import PlacedType, Placement, default_of_results

# Any: a fused function, its arguments and its keyword arguments.
Apply: TypeAlias = Callable[[Callable[..., Any], Sequence[Any], Mapping[str, Any]], Any]
PASSES: Final = 2  # passes over a large array from which on compiling pays off
MOST_CAPTURED: Final = 1 << 16  # bytes of constants that a plan may hold
# each argument adds 40 us and 9 KB to the creation of a plan, and saves 5 us per call
MOST_ARRAYS: Final = 1 << 14


@final
class Plan:
    """The implementation of a fused function for one cache key."""

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
    apply = _recorded if function in host_functions else _called
    try:
        staged, structure = _staged(apply, function, args, kwargs, [x.type for x in arrays])
        if structure is None or any([isinstance(x, Tracer) for x in staged.captured]):
            return None
        placement = placement_for(
            staged.program,
            [x.placed for x in arrays],
            default_of_results(),
            function.__name__,
            lambda index: f"argument {index}",
        )
        constants = [elements_of(as_device_array(x)) for x in staged.captured]
    except TreadleError:
        # The function reads elements, or refuses such arguments: called itself, it raises its own error. Any other
        # error is a bug of the library, which must not be hidden as a slow path.
        return None
    if sum([each.nbytes for each in constants]) > MOST_CAPTURED or staged.program.effects:
        return None
    operands = [x.placed for x in arrays]  # not the arrays, which the plan must not keep alive
    found = _implemented(staged.program, constants, operands, placement, loops, function.__name__)
    return None if found is None else Plan(found[0], structure, compiles=found[1])


def _implemented(
    program: Program,
    constants: Sequence[Elements],
    operands: Sequence[PlacedType],
    placement: Placement,
    loops: bool,
    name: str,
) -> tuple[Run, bool] | None:
    """Return a function that runs a program, and whether it compiles; None if its operations should run one by one.

    Args:
        program: the program; some of its operations may be calls of fused functions.
        constants: the elements of its leading parameters.
        operands: the types and placements of the others.
        placement: where the program runs.
        loops: whether it contains loops, which are compiled in any case.
        name: the name of the function.
    """
    results = [placement.of(_of_array(atom.type)) for atom in program.results]
    large_operands = any([each.type.size > LARGE for each in operands])
    large = large_operands or any([each.type.size > LARGE for each in results])
    on_host = placement.on_host and all([x.placement.is_fully_replicated for x in operands])
    # On large arrays, single host functions are faster than compiled programs only if these would contain loops.
    alone = loops and len(program.equations) == 1
    serves = on_host and (alone or not large)
    program, served = _with_host_functions(program, placement if serves else None)
    program = optimise(
        inline(program, calls=(InlineCall,)), names=(), keeps_rounding=adds_constants()
    )
    enough = PASSES if large_operands else 1  # writing a large result is one pass
    passes = _passes(program)
    compiled = large and not (alone and served) and passes is not None and passes >= enough
    if on_host and not compiled:
        operations = [
            Operation(
                equation.primitive,
                [placement.of(_of_array(atom.type)) for atom in equation.operands],
                placement,
            )
            for equation in program.equations
        ]
        if all([operation.kernel is not None for operation in operations]):
            return generate(program, operations, constants, results), served
        if not loops and (not large or passes is None):
            return None
    program = inline(_with_host_functions(program, None)[0], calls=(InlineCall,))
    return _compiled(program, placement, constants, operands, name), True


def _with_host_functions(program: Program, placement: Placement | None) -> tuple[Program, bool]:
    """Give calls of fused functions their host functions; replace calls without one by calls of their programs.

    Args:
        program: the program.
        placement: where it runs; None if it is compiled, without any host function.

    Returns:
        The program, and whether there is a host function in it.
    """
    equations, served = [], False
    for equation in program.equations:
        primitive = equation.primitive
        if isinstance(primitive, ComposedCall):
            call = None if placement is None else _served(primitive, equation, placement)
            served = served or call is not None
            equation = equation._replace(primitive=call or Call(primitive.program))
        equations.append(equation)
    return Program(program.parameters, tuple(equations), program.results), served


def _served(
    primitive: ComposedCall, equation: Equation, placement: Placement
) -> ComposedCall | None:
    """Return a call that runs its operations where the host function returns None; None without a host function."""
    types = [_of_array(atom.type) for atom in equation.operands]
    otherwise = _fallback(primitive, types, placement)
    call = ComposedCall(primitive.function, primitive.program, primitive.captured, otherwise)
    return None if host_kernel(call, types) is None else call


def _fallback(
    primitive: ComposedCall, types: Sequence[ArrayType], placement: Placement
) -> Callable[..., Sequence[Elements]]:
    """Return a function that runs the operations of a fused function, which are planned in its first call."""
    operands = [placement.of(each) for each in types]
    program, name = primitive.program, primitive.function.__name__

    @functools.cache
    def implementation() -> Run:
        found = _implemented(program, (), operands, placement, True, name)
        assert found is not None, "with loops there is always an implementation"
        return found[0]

    def run(*arrays: Elements) -> Sequence[Elements]:
        return [*map(elements_of, implementation()(*map(DeviceArray, operands, arrays)))]

    return run


def _staged(
    apply: Apply,
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    types: Sequence[Type],
) -> tuple[Staged, PyTreeDef | None]:
    """Stage a function, with calls of fused functions in it as operations; without structure if it returns anything
    but arrays.

    Args:
        apply: calls the function.
        function: the function.
        args: its arguments; the arrays among them are replaced by operands.
        kwargs: its keyword arguments.
        types: the types of the operands.
    """

    def run(*operands: Operand) -> tuple[Operands, PyTreeDef | None]:
        trace = current_trace()
        assert isinstance(trace, StagingTrace)
        trace.composed_call = _recorded
        following = iter(operands)

        def replaced(x: Any) -> Any:
            if isinstance(x, Array):
                return next(following)
            if type(x) is tuple or type(x) is list:
                return type(x)([next(following) if isinstance(y, Array) else y for y in x])
            return x

        # A list, not `map`: Python evaluates an unpacked iterator after the keyword arguments.
        positional = [replaced(x) for x in args]
        result = apply(function, positional, {name: replaced(x) for name, x in kwargs.items()})
        leaves, structure = flatten_leaves_and_structure(result)
        if not leaves or not all([isinstance(leaf, Array) for leaf in leaves]):
            return (), None
        return leaves, structure

    return stage_tree(run, *types)


def _called(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Call a function."""
    return function(*args, **kwargs)


def _recorded(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Call a fused function with a host function as one operation, if all its arguments are arrays."""
    arrays = [each for x in args for each in (x if type(x) is tuple else (x,))]
    if kwargs or not arrays or not all([isinstance(x, Array) for x in arrays]):
        return function(*args, **kwargs)
    staged, structure = _staged(_called, function, args, {}, [x.type for x in arrays])
    if structure is None or staged.program.effects:
        return function(*args)
    call = ComposedCall(function, staged.program, len(staged.captured))
    return structure.unflatten(bind(call, *staged.captured, *arrays))


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
        buffers = (
            told_buffers((*kept, *arrays), placement, name)
            if listeners
            else [
                x.raw if x.raw.__class__ is here else buffer_at(x, placement)
                for x in (*kept, *arrays)
            ]
        )
        return [*map(DeviceArray, made, nowhere, execute(buffers))]

    return run
