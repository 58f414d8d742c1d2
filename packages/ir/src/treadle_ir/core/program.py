"""Programs: closed, typed, immutable lists of equations."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, final

from treadle_ir.core.effects import PURE, Effects, joined
from treadle_ir.core.sharding import replicated
from treadle_ir.core.types import Type
from treadle_ir.core.values import Atom, Literal, Value
from treadle_ir.errors.lazily import import_module
from treadle_ir.errors.source import NOWHERE, Source
from treadle_ir.events.kinds import ProgramMade, emit, listeners
from treadle_ir.process.frozen_classes import refuse

if TYPE_CHECKING:
    from treadle_ir.core.mesh import AbstractMesh
    from treadle_ir.core.primitive import Primitive


@final
class Equation(NamedTuple):
    """The application of one operation: `results = primitive(operands)`. Equal only to itself; immutable.

    Made once for each staged operation, which is a hot path: a tuple, since the constructor of a frozen dataclass takes
    three times as long. `StagingTrace` makes it without the constructor, as quickly as a mutable object.
    """

    primitive: Primitive
    operands: tuple[Atom, ...]
    results: tuple[Value, ...]
    effects: Effects
    source: Source = NOWHERE

    def __setattr__(self, name: str, value: object) -> NoReturn:
        refuse(self, name)

    def __delattr__(self, name: str) -> NoReturn:
        refuse(self, name)

    def __copy__(self) -> Equation:
        return self

    def __deepcopy__(self, memo: object) -> Equation:
        return self

    def __repr__(self) -> str:
        types = ", ".join(str(result.type) for result in self.results)
        return f"<equation {types} = {self.primitive.name}>"


if not TYPE_CHECKING:  # by identity, not as tuples; not written as methods, which would be slower
    Equation.__eq__, Equation.__ne__ = object.__eq__, object.__ne__
    Equation.__hash__ = object.__hash__


@final
@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Program:
    """A typed program: closed, so it holds no arrays; values that a function captures become leading parameters.

    Programs are equal only to themselves; `treadle_ir.core.equality` compares them up to names.
    One attribute of one primitive is opaque: the deferred derivative of a staged custom_jvp or
    custom_vjp, which is staged when it is first needed, since it may call its own function.
    """

    parameters: tuple[Value, ...]
    equations: tuple[Equation, ...]
    results: tuple[Atom, ...]
    effects: Effects = field(init=False)
    # See `derived`. Any: results of transformations.
    _derived: dict[Hashable, Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        effects = [equation.effects for equation in self.equations if equation.effects]
        object.__setattr__(self, "effects", joined(effects) if effects else PURE)
        if listeners:
            emit(ProgramMade(self))

    @property
    def derived(self) -> dict[Hashable, Any]:
        """Memoized transformation results (`treadle_ir.tracing.derived`), which live as long as this program."""
        try:
            return self._derived
        except AttributeError:
            object.__setattr__(self, "_derived", {})
            return self._derived

    def __copy__(self) -> Program:
        return self

    def __deepcopy__(self, memo: object) -> Program:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        import_module("treadle_ir.core.pickling").check_picklable(self)
        return Program, (self.parameters, self.equations, self.results)

    @property
    def parameter_types(self) -> tuple[Type, ...]:
        """The types of the parameters, in order."""
        return tuple(parameter.type for parameter in self.parameters)

    @property
    def result_types(self) -> tuple[Type, ...]:
        """The types of the results, in order."""
        return tuple(result.type for result in self.results)

    def nested(self) -> Iterator[Program]:
        """Yield the programs that this program's equations contain, each once, outermost first."""
        seen: set[int] = set()
        stack: list[Program] = [self]
        while stack:
            program = stack.pop()
            for equation in program.equations:
                for inner in equation.primitive.programs().values():
                    if id(inner) not in seen:
                        seen.add(id(inner))
                        stack.append(inner)
                        yield inner

    def then(
        self, operations: Sequence[Primitive | None], mesh: AbstractMesh | None = None
    ) -> Program:
        """Return this program followed by a pure operation on each of its results; None leaves a result unchanged.

        The results have shardings over the explicit axes of `mesh`, if it is given.
        """
        typed = import_module("treadle_ir.core.typing").inferred_over  # a later layer than programs
        equations, results = [*self.equations], []
        for result, operation in zip(self.results, operations, strict=True):
            if operation is None:
                results.append(result)
                continue
            kind = result.type
            if mesh is not None and isinstance(result, Literal):  # the same on each device
                kind = result.type.with_sharding(replicated(0, mesh))
            ((type_,), _) = typed(operation, (kind,), mesh)
            made = Value(type_.with_varying(result.type.varying))
            equations.append(Equation(operation, (result,), (made,), PURE))
            results.append(made)
        if len(equations) == len(self.equations):
            return self
        return Program(self.parameters, tuple(equations), tuple(results))

    def to_dot(self) -> str:
        """Return this program as a graph in the language of Graphviz: see `treadle_ir.drawing.to_dot`."""
        text: str = import_module("treadle_ir.drawing.dot").to_dot(self)  # a later layer
        return text

    def _repr_html_(self) -> str:
        """Return this program as HTML, which notebooks show."""
        html: str = import_module("treadle_ir.drawing.html").program_html(self)  # a later layer
        return html

    def __str__(self) -> str:
        printing = import_module("treadle_ir.core.printing")  # a later layer than programs
        text: str = printing.print_program(self)
        return text

    def __repr__(self) -> str:
        parameters = ", ".join(map(str, self.parameter_types))
        results = ", ".join(map(str, self.result_types))
        return f"<program ({parameters}) -> ({results}), {len(self.equations)} equations>"
