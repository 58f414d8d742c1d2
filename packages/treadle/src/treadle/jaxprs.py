"""Programs as JAX shows them: `Jaxpr`, `ClosedJaxpr`, `JaxprEqn`, `Var`, `Literal`, all of them views of programs.

A `Jaxpr` holds a program and how many of its leading parameters are constants. Its variables are the program's values,
its equations are made when they are asked for. Interpreters that users write walk them, look at `eqn.primitive`, and
call `eqn.primitive.bind(*operands, **eqn.params)`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias, final

from treadle.core import AbstractValue, aval_of, eval_jaxpr, shown_aval, type_of_aval
from treadle.extend.source_info_util import SourceInfo, new_source_info
from treadle.extension import Application, Parameters, Primitive
from treadle.full_operands import in_full
from treadle_ir import (
    Array,
    Atom,
    Effects,
    Equation,
    Literal as _Literal,
    Operand,
    Primitive as Instruction,
    Program,
    Value,
    bind,
)
from treadle_ir.calling import as_array
from treadle_ir.core import inferred
from treadle_ir.errors import boundary, refused
from treadle_ir.text import coloured, print_program, wants_colour
from treadle_ir.tracing import Trace, Tracer
from treadle_numpy.lax.attributes import hidden, instruction, ordered, parameters
from treadle_numpy.lax.views import BindParams, bound_under
from treadle_runtime import NamedSharding

Tree: TypeAlias = Any  # Any: attributes of operations, which are of all kinds

Var = Value
Literal = _Literal


# Shardings of arguments and results over explicit axes of a mesh, or None.
Shardings: TypeAlias = tuple[Sequence[NamedSharding | None], Sequence[NamedSharding | None]]


def _avals(
    atoms: Sequence[Atom], shardings: Sequence[NamedSharding | None] | None
) -> list[AbstractValue]:
    """Return the types of atoms, some of which are sharded over explicit axes."""
    return [
        shown_aval(atom.type, sharding)
        for atom, sharding in zip(atoms, shardings or [None] * len(atoms), strict=True)
    ]


def _typed(atoms: Sequence[Atom]) -> tuple[Any, ...]:
    """Atoms of a program; those that a user made of an `aval`, as `Var(aval)`, get the type that it means."""
    for atom in atoms:
        if isinstance(atom.type, AbstractValue):
            object.__setattr__(atom, "type", type_of_aval(atom.type))  # it is made whole, once
    return tuple(atoms)


@final
class DropVar:
    """JAX's variable of a result that is not used; programs have none, so nothing is one."""


@final
class InstructionView:
    """One of treadle's operations that JAX has no name for: `bind` takes its own attributes."""

    multiple_results = True

    def __init__(self, cls: type[Instruction]) -> None:
        self.name = cls.name
        self._class = cls

    def bind(self, *operands: Tree, **attributes: Tree) -> list[Array]:
        """Apply the operation."""
        return list(bind(made(self._class, attributes), *[as_array(x) for x in operands]))

    def bind_with_trace(
        self, trace: Trace, operands: Sequence[Tree], *avals_and_attributes: Tree
    ) -> Tree:
        """Apply the operation under a trace; attributes come last."""
        return bound_under(self, trace, operands, avals_and_attributes[-1])

    def get_bind_params(self, params: Mapping[str, Tree]) -> BindParams:
        """Return the keyword arguments of `bind`, as interpreters ask for them."""
        return BindParams(params)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InstructionView) and other._class is self._class

    def __hash__(self) -> int:
        return hash(self._class)

    def __repr__(self) -> str:
        return self.name


def made(
    cls: type[Instruction], params: Mapping[str, Tree], like: Instruction | None = None
) -> Instruction:
    """Return the operation with parameters that differ from `like`, and its attributes that parameters do not show.

    Raises:
        ArgumentError: it has other parameters.
    """
    found = instruction(cls, params, {} if like is None else hidden(like))
    if found is None:
        raise refused(
            cls.name, "the parameters", "the parameters of its equations, all of them", dict(params)
        )
    return found


def params_of(primitive: Instruction) -> dict[str, Tree]:
    """Return the parameters of an operation under JAX's names; nested programs as `ClosedJaxpr`s."""
    if isinstance(primitive, Application):
        return dict(primitive.parameters)
    return {name: _shown(value) for name, value in parameters(primitive).items()}


def _shown(value: Tree) -> Tree:
    if isinstance(value, Program):
        return ClosedJaxpr(Jaxpr.of(value), ())
    if isinstance(value, tuple) and value and all(isinstance(each, Program) for each in value):
        return tuple(_shown(each) for each in value)
    return value


def view_of(primitive: Instruction) -> Tree:
    """Return the operation under JAX's name, which it is compared with: `eqn.primitive is lax.sin_p`."""
    if isinstance(primitive, Application):
        return primitive.of
    from treadle.extend.core.primitives import view_for  # noqa: PLC0415 - a table of all names

    return view_for(primitive) or InstructionView(type(primitive))


@final
class JaxprEqn:
    """An equation: `primitive` under JAX's name, `params`, `invars`, `outvars`, `effects`, `source_info`."""

    __slots__ = ("ctx", "effects", "invars", "outvars", "params", "primitive", "source_info")

    def __init__(
        self,
        invars: Sequence[Atom],
        outvars: Sequence[Value],
        primitive: Tree,
        params: Mapping[str, Tree],
        effects: Effects = frozenset(),
        source_info: SourceInfo | None = None,
        ctx: object = None,
    ) -> None:
        self.invars = list(invars)
        self.outvars = list(outvars)
        self.primitive = primitive
        self.params = dict(params)
        self.effects = effects
        self.source_info = source_info if source_info is not None else new_source_info()
        self.ctx = ctx

    @staticmethod
    def of(equation: Equation) -> JaxprEqn:
        """Return the view of an equation."""
        return JaxprEqn(
            ordered(equation.primitive.name, equation.operands),
            equation.results,
            view_of(equation.primitive),
            params_of(equation.primitive),
            equation.effects,
            SourceInfo.of(equation.source),
            equation.primitive,
        )

    def replace(self, **changes: Tree) -> JaxprEqn:
        """Return a copy with the given fields replaced."""
        known = {name: getattr(self, name) for name in self.__slots__}
        return JaxprEqn(**{**known, **changes})

    @property
    def equation(self) -> Equation:
        """The equation of a program that this stands for."""
        primitive = self._instruction()
        operands = tuple(ordered(primitive.name, _typed(self.invars)))
        results = _typed(self.outvars)
        _, effects = inferred(primitive, tuple([atom.type for atom in operands]))
        return Equation(primitive, operands, results, effects, self.source_info.source)

    def _instruction(self) -> Instruction:
        if isinstance(self.primitive, Primitive):
            return Application(self.primitive, Parameters(self.params))
        if isinstance(self.ctx, Instruction) and view_of(self.ctx) == self.primitive:
            if params_of(self.ctx) == self.params:
                return self.ctx
            return made(type(self.ctx), self.params, self.ctx)
        raise refused("Jaxpr", "an equation's primitive", "one of a program, or your own", self)

    def __repr__(self) -> str:
        return f"{', '.join(map(str, self.outvars))} = {self.primitive} {', '.join(map(str, self.invars))}"


def new_jaxpr_eqn(
    invars: Sequence[Atom],
    outvars: Sequence[Value],
    primitive: Tree,
    params: Mapping[str, Tree],
    effects: Effects = frozenset(),
    source_info: SourceInfo | None = None,
    ctx: object = None,
) -> JaxprEqn:
    """Return a new equation."""
    return JaxprEqn(invars, outvars, primitive, params, effects, source_info, ctx)


@final
class DebugInfo:
    """What a program was made of, for messages."""

    def __init__(
        self,
        traced_for: str = "",
        func_src_info: str = "",
        arg_names: Sequence[str] = (),
        result_paths: Sequence[str] = (),
    ) -> None:
        self.traced_for = traced_for
        self.func_src_info = func_src_info
        self.arg_names = tuple(arg_names)
        self.result_paths = tuple(result_paths)

    @property
    def func_name(self) -> str:
        """The name of the function."""
        return self.func_src_info.partition(" ")[0]


@boundary
@final
class Jaxpr:
    """A program whose first parameters are constants, `constvars`, and whose others are `invars`."""

    def __init__(
        self,
        constvars: Sequence[Value],
        invars: Sequence[Value],
        outvars: Sequence[Atom],
        eqns: Sequence[JaxprEqn],
        effects: Effects = frozenset(),
        debug_info: DebugInfo | None = None,
        is_high: bool = False,
    ) -> None:
        self.eqns = list(eqns)  # these very ones: code finds equations again by identity
        equations = tuple(eqn.equation for eqn in self.eqns)
        parameters = (*_typed(constvars), *_typed(invars))
        self.program = Program(parameters, equations, _typed(outvars))
        self._constants = len(constvars)
        self._shardings: Shardings | None = None
        self.debug_info = debug_info if debug_info is not None else DebugInfo()

    @staticmethod
    def of(program: Program, constants: int = 0, shardings: Shardings | None = None) -> Jaxpr:
        """Return the view of a program with so many constants; `shardings` are over explicit axes."""
        view = Jaxpr.__new__(Jaxpr)
        view.program = program
        view._constants = constants
        view._shardings = shardings
        view.debug_info = DebugInfo()
        return view

    @property
    def constvars(self) -> list[Value]:
        """The parameters that stand for constants."""
        return list(self.program.parameters[: self._constants])

    @property
    def invars(self) -> list[Value]:
        """The other parameters."""
        return list(self.program.parameters[self._constants :])

    @property
    def outvars(self) -> list[Atom]:
        """The results."""
        return list(self.program.results)

    @cached_property
    def eqns(self) -> list[JaxprEqn]:
        """The equations."""
        return [JaxprEqn.of(each) for made in self.program.equations for each in in_full(made)]

    @property
    def effects(self) -> Effects:
        """What it does besides compute."""
        return self.program.effects

    @property
    def in_avals(self) -> list[AbstractValue]:
        """The types of `invars`; for a traced function with their shardings over explicit axes of a mesh."""
        return _avals(self.invars, self._shardings and self._shardings[0])

    @property
    def out_avals(self) -> list[AbstractValue]:
        """The types of the results; for a traced function with their shardings over explicit axes of a mesh."""
        return _avals(self.program.results, self._shardings and self._shardings[1])

    def replace(self, **changes: Tree) -> Jaxpr:
        """Return a copy with the given fields replaced."""
        names = ("constvars", "invars", "outvars", "eqns", "effects", "debug_info")
        return Jaxpr(**{**{name: getattr(self, name) for name in names}, **changes})

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Jaxpr)
            and other.program is self.program
            and other._constants == self._constants
        )

    def __hash__(self) -> int:
        return hash(self.program)

    def __str__(self) -> str:
        return print_program(self.program)

    def __repr__(self) -> str:
        text = str(self)
        return coloured(text) if wants_colour() else text

    def pretty_print(self, **_: object) -> str:
        """Return the program as text."""
        return str(self)


@boundary
@final
class ClosedJaxpr:
    """A program with its constants: `print` shows it, `.program` is it (a `treadle_ir.Program`)."""

    def __init__(self, jaxpr: Jaxpr, consts: Sequence[Operand] = ()) -> None:
        if not isinstance(jaxpr, Jaxpr):
            raise refused("ClosedJaxpr", "jaxpr", "a Jaxpr", jaxpr)
        self.jaxpr = jaxpr
        self.consts: list[Operand] = list(consts)

    @property
    def program(self) -> Program:
        """The program; its first parameters stand for the constants."""
        return self.jaxpr.program

    @property
    def literals(self) -> list[Operand]:
        """The constants."""
        return self.consts

    @property
    def eqns(self) -> list[JaxprEqn]:
        """The program's equations."""
        return self.jaxpr.eqns

    @property
    def constvars(self) -> list[Value]:
        """The variables of the constants."""
        return self.jaxpr.constvars

    @property
    def invars(self) -> list[Value]:
        """The variables of the arguments."""
        return self.jaxpr.invars

    @property
    def outvars(self) -> list[Atom]:
        """The variables and literals that are the results."""
        return self.jaxpr.outvars

    @property
    def debug_info(self) -> DebugInfo:
        """Where it comes from."""
        return self.jaxpr.debug_info

    @property
    def in_avals(self) -> list[AbstractValue]:
        """The types of the arguments (the constants are not among them)."""
        return self.jaxpr.in_avals

    @property
    def out_avals(self) -> list[AbstractValue]:
        """The types of the results."""
        return self.jaxpr.out_avals

    @property
    def effects(self) -> Effects:
        """What it does besides compute."""
        return self.program.effects

    def map_jaxpr(self, f: Callable[[Jaxpr], Jaxpr]) -> ClosedJaxpr:
        """Return a copy with another program."""
        return ClosedJaxpr(f(self.jaxpr), self.consts)

    def replace(
        self, *, jaxpr: Jaxpr | None = None, consts: Sequence[Operand] | None = None
    ) -> ClosedJaxpr:
        """Return a copy with the given parts replaced."""
        return ClosedJaxpr(
            self.jaxpr if jaxpr is None else jaxpr, self.consts if consts is None else consts
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ClosedJaxpr)
            and self.jaxpr == other.jaxpr
            and len(self.consts) == len(other.consts)
            and all(x is y for x, y in zip(self.consts, other.consts, strict=True))
        )

    def __hash__(self) -> int:
        return hash(self.jaxpr)

    def __str__(self) -> str:
        return str(self.jaxpr)

    def __repr__(self) -> str:
        return repr(self.jaxpr)

    def pretty_print(self, **_: object) -> str:
        """Return the program as text."""
        return str(self)


def gensym() -> Callable[[AbstractValue], Value]:
    """Return a function that makes new variables of types, for users who write jaxprs themselves.

    Example:
        >>> import treadle
        >>> from treadle.extend.core import gensym
        >>> new = gensym()
        >>> new(treadle.typeof(treadle.numpy.ones(3))).aval
        ShapedArray(float32[3])
    """

    def new(aval: AbstractValue) -> Value:
        return Value(type_of_aval(aval))

    return new


def jaxpr_as_fun(closed_jaxpr: ClosedJaxpr) -> Callable[..., list[Array]]:
    """Return the function of flat arrays that a program is.

    Example:
        >>> import treadle
        >>> from treadle.extend.core import jaxpr_as_fun
        >>> made = treadle.make_jaxpr(lambda x: (x, 2 * x))(1.0)
        >>> [float(y) for y in jaxpr_as_fun(made)(3.0)]
        [3.0, 6.0]
    """
    if not isinstance(closed_jaxpr, ClosedJaxpr):
        raise refused("jaxpr_as_fun", "closed_jaxpr", "what `make_jaxpr` returns", closed_jaxpr)

    def function(*args: object) -> list[Array]:
        return eval_jaxpr(closed_jaxpr.jaxpr, closed_jaxpr.consts, *args)

    return function


def jaxprs_in_params(params: Mapping[str, Tree]) -> Iterator[Jaxpr]:
    """Yield the nested programs among an equation's parameters."""
    for value in params.values():
        for each in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(each, Jaxpr):
                yield each
            elif isinstance(each, ClosedJaxpr):
                yield each.jaxpr


def subjaxprs(jaxpr: Jaxpr) -> Iterator[Jaxpr]:
    """Return the nested programs of a program's equations."""
    return itertools.chain.from_iterable(jaxprs_in_params(eqn.params) for eqn in jaxpr.eqns)


def name_values() -> None:
    """Let values, literals and traces have JAX's attributes: `var.aval`, `literal.val`, `tracer._trace.main`."""
    Trace.main = property(lambda trace: trace)  # type: ignore[attr-defined]
    Tracer._trace = property(lambda tracer: tracer.owner)  # type: ignore[attr-defined]
    for cls in (Value, _Literal):
        cls.aval = property(lambda atom: aval_of(atom.type))  # type: ignore[union-attr]
    _Literal.val = property(lambda literal: literal.value)  # type: ignore[attr-defined]


name_values()
