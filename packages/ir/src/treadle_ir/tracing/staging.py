"""Staging: run a function on tracers that represent its arguments, and record its operations.

Values that the function captures (arrays, and tracers of outer traces) become leading parameters of the program,
since programs are closed and hold no arrays; scalars become literals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, TypeAlias, TypeVar, final

import numpy as np

from treadle_ir.core.families import Extension, FunctionCall
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.promotion import scalar_type
from treadle_ir.core.types import ArrayType, Type, unsharded
from treadle_ir.core.typing import Inferred, inferred, inferred_over
from treadle_ir.core.values import Atom, Literal, Value, put_type
from treadle_ir.errors.kinds import ConcretizationError
from treadle_ir.errors.source import NOWHERE, Source, operation_source, place, with_callers
from treadle_ir.errors.tracebacks import boundary
from treadle_ir.primitives.metadata import METADATA, ValueMetadata, with_metadata
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.process.nesting import deeper
from treadle_ir.settings.context import context_overrides, current_context
from treadle_ir.settings.declared import ENABLE_CHECKS, FULL_TRACEBACKS, TRACEBACK_FRAMES
from treadle_ir.tracing.array import Array, Function, Operand, Operands, type_of
from treadle_ir.tracing.current_mesh import checked_manual_axes, explicit_mesh
from treadle_ir.tracing.leaks import checks_leaks, refuse_leaks
from treadle_ir.tracing.provenance import arguments_behind
from treadle_ir.tracing.trace import Trace, current_trace, run_under
from treadle_ir.tracing.tracer import Tracer, escaped

if TYPE_CHECKING:
    from types import CodeType

    from treadle_ir.core.mesh import AbstractMesh
    from treadle_ir.core.sharding import Sharding
    from treadle_ir.sharding.varying import Casts

Out = TypeVar("Out")
# Any: from a function, its arguments and keyword arguments to its result.
ComposedCall: TypeAlias = Callable[[Callable[..., Any], Sequence[Any], Mapping[str, Any]], Any]
_overrides: Final = context_overrides.get  # called for each equation
_new: Final = tuple.__new__
_new_object: Final = object.__new__


@boundary
@final
class StagedTracer(Tracer):
    """Represents a value of the program that is being staged."""

    __slots__ = ("equation_source", "type", "value")
    made_by: ClassVar[str] = (
        "staged, as under jit, or as the body of a loop, a branch or a checkpoint"
    )

    def __init__(self, trace: Trace, value: Value, source: Source) -> None:
        self.owner = trace
        self.value: Final = value
        self.type = value.type  # type: ignore[assignment]  # tokens are never shown to users
        self.equation_source = source

    @property
    def source(self) -> Source:
        """The location of the operation that makes the value."""
        return self.equation_source

    def __treadle_sharding__(self, mesh: AbstractMesh) -> Sharding | None:
        """Return the sharding of its type; None if the compiler decides."""
        return self.type.sharding


def with_sharding(tracer: StagedTracer, sharding: Sharding | None) -> StagedTracer:
    """Return a tracer of the same value whose type has a sharding; the program does not have it."""
    shown = StagedTracer(tracer.owner, tracer.value, tracer.source)
    shown.type = tracer.type.with_sharding(sharding)
    return shown


@final
class Constant(NamedTuple):
    """A user's NumPy array, a copy of its elements, and the array that represents it in a program."""

    given: object  # kept alive, so that its id stays valid
    copy: np.ndarray[Any, np.dtype[Any]]
    array: Array


@final
class StagingTrace(Trace):
    """Records equations instead of computing."""

    __slots__ = (
        "_callers",
        "_casts",
        "_known",
        "axes",
        "captured",
        "composed_call",
        "constants",
        "context",
        "derivative",
        "equations",
        "explicit",
        "interned",
        "parameters",
        "primal",
    )

    def __init__(self, parent: Trace | None) -> None:
        super().__init__(parent)
        self._callers = TRACEBACK_FRAMES() - 1 if FULL_TRACEBACKS() else 0
        self.parameters: list[Value] = []
        self.captured: list[Operand] = []
        # While the rule of a derivative runs: the location of all its equations, except of the operation itself.
        self.derivative: Source | None = None
        self.primal: Primitive | None = None
        self.equations: list[Equation] = []
        # The NumPy arrays over which the function closes, by their ids; see `treadle_ir.calling.operands`.
        self.constants: dict[int, Constant] = {}
        # In the outermost staging trace: the programs of bodies in it, see `treadle_ir.tracing.interning`.
        self.interned: dict[CodeType, list[Program]] = {}
        # How an evaluator that stages composed functions records those with a host function: see `calling.composed`.
        self.composed_call: ComposedCall | None = None
        self.context = current_context()
        # The axes of shard_maps over which results may vary, and the casts of the program that is being staged: see
        # `treadle_ir.sharding.varying`.
        self.axes = checked_manual_axes(self.context)
        self._casts: Casts | None = None
        # Whether results have shardings over the explicit axes of the mesh in force: see `treadle_ir.sharding`.
        self.explicit = explicit_mesh(self.context) is not None
        self._known: dict[
            int, Value
        ] = {}  # by id of the captured value, which `captured` keeps alive

    def parameter(self, type: Type) -> StagedTracer:
        """Add a parameter to the program, and return it as a tracer."""
        value = Value(type)
        self.parameters.append(value)
        return StagedTracer(self, value, NOWHERE)

    def atom(self, operand: object) -> Atom:
        """Return the atom that represents an operand in the program."""
        if isinstance(operand, StagedTracer) and operand.owner is self:
            return operand.value
        if isinstance(operand, np.generic):
            return Literal(operand, ArrayType((), operand.dtype))
        if isinstance(operand, (bool, int, float, complex)):
            type = scalar_type(operand)
            return Literal(type.dtype.type(operand), type)
        if isinstance(operand, Literal):
            return operand
        return self.capture(operand)

    def capture(self, operand: object) -> Value:
        """Return the leading parameter for a value from outside of the function."""
        value = self._known.get(id(operand))
        if value is None:
            if isinstance(operand, Tracer):
                constant = operand.constant()
                if constant is not None:
                    return self.capture(constant)
                if operand.owner.closed or not self._is_within(operand.owner):
                    raise escaped(operand)
            type = self._type_here(operand) if self.explicit else type_of(operand)
            if type.sharding is not None and not self.explicit:
                type = type.unsharded
            assert isinstance(operand, (Array, np.ndarray))
            value = self._known[id(operand)] = Value(type)
            self.captured.append(operand)
        return value

    def _type_here(self, operand: object) -> ArrayType:
        """Return the type of a captured value, with its sharding over the mesh that was in force at the start."""
        from treadle_ir.sharding.staged import sharding_of  # noqa: PLC0415 - few need it

        mesh = explicit_mesh(self.context)
        sharding = None if mesh is None else sharding_of(operand, mesh)
        return type_of(operand).with_sharding(sharding)

    def _types_of(self, operands: Operands) -> tuple[Type, ...]:
        """Return the types of operands, with their shardings under the mesh in force."""
        if not self.explicit:
            return unsharded([type_of(operand) for operand in operands])
        from treadle_ir.sharding.staged import types_here  # noqa: PLC0415 - few need it

        return types_here(operands)

    def outside(self) -> dict[Value, object]:
        """Return the captured values by their leading parameters."""
        return {self._known[id(operand)]: operand for operand in self.captured}

    def _is_within(self, other: Trace) -> bool:
        """Return whether this trace's program runs under `other`, so that tracers of `other` can be captured."""
        trace = self.parent
        while trace is not None and not trace.accepts_tracers_of(other):
            trace = trace.parent
        return trace is not None

    def keep(self, given: object, copy: np.ndarray[Any, np.dtype[Any]], array: Array) -> Array:
        """Let one array represent a NumPy array in all its uses, as long as the NumPy array is unchanged."""
        self.constants[id(given)] = Constant(given, copy, array)
        return array

    def process(self, primitive: Primitive, operands: Operands) -> Operands:
        """Record one equation."""
        if primitive.is_function:
            assert isinstance(primitive, (FunctionCall, Extension))
            if isinstance(primitive, FunctionCall):
                primitive, captured = primitive.staged(self._types_of(operands))
                operands = (*captured, *operands)
        if self.derivative is None:
            source = operation_source(2)
        elif primitive is self.primal:
            self.primal = None
            source = operation_source(2)
        else:
            source = self.derivative
        if self._callers:
            source = with_callers(source, 2, self._callers)
        return self.record(primitive, operands, source)

    def record(
        self, primitive: Primitive, operands: Operands, source: Source
    ) -> list[StagedTracer]:
        """Record one equation with the location `source`."""
        if self.closed:
            raise next(
                (escaped(x) for x in operands if isinstance(x, Tracer)),
                AssertionError("closed trace"),
            )
        atoms: list[Atom] = []
        operand_types: list[Type] = []
        for x in operands:
            atom = x.value if x.__class__ is StagedTracer and x.owner is self else self.atom(x)
            atoms.append(atom)
            operand_types.append(atom.type)
        if (
            _overrides() is not None
            and (metadata := METADATA())
            and not isinstance(primitive, ValueMetadata)  # it is about an earlier equation
        ):
            primitive, atoms = with_metadata(primitive, atoms, source, metadata)
            operand_types = [atom.type for atom in atoms]
        if self.explicit or self.axes:
            return self._record_distributed(primitive, atoms, source)
        types, effects = inferred(primitive, tuple(operand_types))
        if len(types) == 1:  # the common case
            # `Value(types[0])` and `Equation(...)` without their constructors saves a tenth of the time.
            put_type(result := _new_object(Value), types[0])
            self.equations.append(
                _new(Equation, (primitive, tuple(atoms), (result,), effects, source))
            )
            return [StagedTracer(self, result, source)]
        return self._written(primitive, atoms, (types, effects), source)

    def _written(
        self, primitive: Primitive, atoms: Sequence[Atom], inferred: Inferred, source: Source
    ) -> list[StagedTracer]:
        """Record an equation with these result types and effects, and return its results."""
        types, effects = inferred
        results = tuple([Value(type) for type in types])
        self.equations.append(Equation(primitive, tuple(atoms), results, effects, source))
        return [StagedTracer(self, result, source) for result in results]

    def _record_distributed(
        self, primitive: Primitive, atoms: list[Atom], source: Source
    ) -> list[StagedTracer]:
        """Record an equation under explicit axes or checked manual axes.

        Operands are cast so that they vary over the same axes. If the compiler must know the sharding of
        the result, a constraint follows.
        """
        axes = self.axes
        if axes:
            if self._casts is None:
                from treadle_ir.sharding.varying import Casts  # noqa: PLC0415 - few need it

                self._casts = Casts(self.equations)
            primitive, atoms = self._casts.together(primitive, atoms, axes)
        if not self.explicit:
            found = inferred_over(primitive, tuple([x.type for x in atoms]), None, axes)
            return self._written(primitive, atoms, found, source)
        from treadle_ir.sharding.staged import inferred_here  # noqa: PLC0415 - few need it

        primitive, found, constraint = inferred_here(primitive, atoms, axes)
        results = self._written(primitive, atoms, found, source)
        return results if constraint is None else self.record(constraint, results, source)

    def program(self, results: Operands) -> Program:
        """Return the program that computes these results."""
        atoms = tuple([self.atom(result) for result in results])
        captured = tuple([self._known[id(operand)] for operand in self.captured])
        return Program((*captured, *self.parameters), tuple(self.equations), atoms)


def staging_trace(trace: Trace | None = None) -> StagingTrace | None:
    """Return the innermost trace that stages the running code, or the rules of `trace`, or None."""
    if trace is None:
        trace = current_trace()
    while trace is not None and type(trace) is not StagingTrace:
        trace = trace.parent
    return trace


def outermost_staging_trace() -> StagingTrace | None:
    """Return the trace that stages the outermost program around the running code, or None."""
    found = None
    trace: Trace | None = current_trace()
    while trace is not None:
        if type(trace) is StagingTrace:
            found = trace
        trace = trace.parent
    return found


@final
@frozen(eq=False)
class Staged:
    """A function staged as a program."""

    program: Program
    captured: tuple[Operand, ...]  # pass these first


def stage(function: Function, *types: Type) -> Staged:
    """Stage a function of flat operands as a program, by running it on tracers of these types.

    Example:
        >>> from treadle_ir import ArrayType, ops, stage
        >>> import numpy as np
        >>> staged = stage(lambda x: [ops.add(x, x)], ArrayType((3,), np.dtype("f4")))
        >>> len(staged.program.equations)
        1
    """
    return stage_tree(lambda *operands: (function(*operands), None), *types)[0]


def stage_tree(function: Callable[..., tuple[Operands, Out]], *types: Type) -> tuple[Staged, Out]:
    """Stage a function that also returns auxiliary (non-array) output, which is the second result; see `stage`."""
    trace = StagingTrace(current_trace())
    tracers = [trace.parameter(type) for type in types]
    outer = place.get()
    if outer is not None:
        place.set(None)  # the program has its own scopes and locations
    try:
        with deeper():  # a function that is staged may stage others: jit in jit, loops in loops
            results, out = run_under(trace, function, *tracers)
    except ConcretizationError as error:
        error.arguments = arguments_behind(trace, error.asked)
        raise
    finally:
        trace.closed = True
        if outer is not None:
            place.set(outer)
    program = trace.program(results)
    if ENABLE_CHECKS():
        from treadle_ir.analysis.verifier import verify  # noqa: PLC0415 - a debug mode

        verify(program)
    if checks_leaks():
        del tracers, results
        refuse_leaks(trace)
    return Staged(program, tuple(trace.captured)), out
