"""`HiPrimitive`: an operation of a library's own that may change its arguments, with its rules as methods.

In programs it is an operation on the arrays that its arguments are made of. Its results are the arrays of the changed
arguments afterwards, and the arrays of the values that it returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Any, TypeAlias, TypeVar, final

from treadle.core import AbstractValue, ShapedArray
from treadle.experimental.hijax.application import types_of_parts, value_of
from treadle.experimental.hijax.mutable import (
    AvalMutableQDD,
    AvalQDD,
    MutableCell,
    MutableQDD,
    MutableTracer,
    State,
    among_themselves,
    as_tracer,
    is_among_themselves,
    mutable_cell,
)
from treadle.experimental.hijax.prim import declared, each_of, pair_of
from treadle.experimental.hijax.types import HiType, hitype_of, lo_types, opened
from treadle_ir import (
    ArgumentError,
    Array,
    ArrayType,
    MissingRuleError,
    Operand,
    Operands,
    Type,
    bind,
    stage,
    type_of,
)
from treadle_ir.calling import as_array
from treadle_ir.core import Extension
from treadle_ir.process import frozen
from treadle_ir.tracing import EvalTrace, current_trace

Tree: TypeAlias = Any  # Any: what rules of libraries take and return
T = TypeVar("T")


class HiPrimitive:
    """An operation that may change its arguments: derive from it, and apply an instance by `bind`.

    `to_lojax` does it, to values themselves. Where a function is traced, `abstract_eval` says which types the results
    have and which effects there are. It sees an argument that changes as an `AvalMutableQDD`, which it updates; what is
    known of a new one it says by an `AvalQDD`. The other methods are the rules of transformations.

    Example:
        >>> import treadle
        >>> from treadle.experimental.hijax import HiPrimitive
        >>> class Square(HiPrimitive):
        ...     def abstract_eval(self, x):
        ...         return x, set()
        ...     def to_lojax(self, x):
        ...         return x * x
        ...     def jvp(self, primals, tangents):
        ...         return self.bind(*primals), 3 * primals[0] * tangents[0]
        >>> print(treadle.jit(treadle.grad(Square("square").bind))(2.0))
        6.0
    """

    multiple_results: bool = False

    def __init__(self, name: str) -> None:
        self.name = name

    # --- what a library writes

    def is_high(self, *avals: Any, **params: Any) -> bool:  # Any: types, and what libraries pass
        """Return whether it is one on values of types of a library's own; it is asked by JAX."""
        return True

    def abstract_eval(self, *avals: Any, **params: Any) -> tuple[Any, Any]:
        """Return the types of the results, and the effects, of the types of the arguments."""
        raise self._lacks("traced functions", "abstract_eval")

    def to_lojax(self, *args: Tree, **params: Any) -> Tree:
        """Return the results, of values themselves: where it is run, and in compiled code."""
        raise self._lacks("evaluation", "to_lojax")

    def jvp(self, primals: tuple[Tree, ...], tangents: tuple[Tree, ...], **params: Any) -> Tree:
        """Return the results, and their tangents; a tangent that is known to be zero is a `Zero`."""
        raise self._lacks("differentiation", "jvp")

    def transpose(self, ct: Tree, *args: Tree, **params: Any) -> Tree:
        """Return the cotangents of the arguments in which it is linear, which are `UndefinedPrimal`s."""
        raise self._lacks("reverse differentiation", "transpose")

    # --- how it is applied

    def bind(self, *args: Tree, **params: Any) -> Tree:
        """Apply it to arguments, under whatever transformation is at work."""
        if is_among_themselves() or (
            isinstance(current_trace(), EvalTrace)
            and not any(isinstance(arg, MutableTracer) for arg in args)
        ):
            return self.to_lojax(*args, **params)
        cells = [mutable_cell(arg) for arg in args]
        several = [id(cell) for cell in cells if cell is not None]
        if len({*several}) != len(several):
            raise ArgumentError(
                f"`{self.name}`: one mutable value is given twice", fix="give it once"
            )
        ins: list[AbstractValue] = []
        flat: list[list[Any]] = []
        for arg, cell in zip(args, cells, strict=True):
            known, arrays = _as_argument(arg, cell)
            ins.append(known)
            flat.append(arrays)
        call = HiCall.made(self, params, ins, flat)
        after, results = call.groups(bind(call, *[x for arrays in flat for x in arrays]))
        for cell, now, arrays in zip(cells, call.changed, after, strict=True):
            if cell is not None and now is not None:
                cell.store(State(now, arrays))
        values = [
            as_tracer(known, mine) if isinstance(known, AvalQDD) else value_of(known, mine)
            for known, mine in zip(call.outs, results, strict=True)
        ]
        return values if self.multiple_results else values[0]

    def _lacks(self, what: str, method: str) -> MissingRuleError:
        return MissingRuleError(
            f"for {what} of `{self.name}`, {type(self).__name__} must override `{method}`",
            fix=f"define `{type(self).__name__}.{method}`",
        )

    def __repr__(self) -> str:
        return self.name


def _as_argument(arg: Tree, cell: MutableCell | None) -> tuple[AbstractValue, list[Any]]:
    """Return the type of an argument, and its arrays in programs."""
    if cell is not None:
        state = cell.load()
        return state.known, [*state.arrays]
    aval = hitype_of(arg)
    if aval is not None:
        return aval, opened(aval, arg)
    array = as_array(arg)
    type = type_of(array)
    return ShapedArray(type.shape, type.dtype, type.weak), [array]


def arrays_of(known: AbstractValue, value: Tree) -> list[Any]:
    """Return the arrays of a value in programs."""
    if isinstance(known, AvalQDD):
        if isinstance(value, MutableTracer):
            return [*value.cell.load().arrays]
        return known.read_loval(value)
    return opened(known, value) if isinstance(known, HiType) else [value]


@final
class Parameters:
    """The parameters of an operation: equal where they are equal and hashed, else only to themselves."""

    __slots__ = ("_key", "values")

    def __init__(self, values: dict[str, Any]) -> None:  # Any: what libraries pass
        self.values = values
        self._key: object = tuple(values.items())
        try:
            hash(self._key)
        except TypeError:
            self._key = id(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Parameters) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@frozen
class HiCall(Extension):
    """An operation on values that may change, in programs: one on the arrays that these are made of."""

    name = "hi_primitive"
    of: HiPrimitive
    params: Parameters
    ins: tuple[AbstractValue, ...]  # `AvalQDD`s of what changes
    outs: tuple[AbstractValue, ...]
    # What is known afterwards of each argument, if it is changed.
    changed: tuple[AvalQDD | None, ...]
    # Of how many arrays each argument is made, and each of what comes out: changed arguments, then results.
    counts: tuple[int, ...]
    sizes: tuple[int, ...]
    types: tuple[ArrayType, ...]  # of all that come out

    @staticmethod
    def made(
        of: HiPrimitive,
        params: dict[str, Any],
        ins: Sequence[AbstractValue],
        flat: Sequence[Sequence[Any]],
    ) -> HiCall:
        """Return the application to arguments of these types, made of these arrays.

        `abstract_eval` says what changes. Where it tells of no effect, the operation is traced to see.
        """
        seen = [
            AvalMutableQDD(x.aval, MutableQDD(x.qdd)) if isinstance(x, AvalQDD) else x for x in ins
        ]
        types, effects = pair_of(of.name, "abstract_eval", of.abstract_eval(*seen, **params))
        several = of.multiple_results
        outs = each_of(of.name, "abstract_eval", "types", types) if several else [types]
        after = [
            AvalQDD(x.aval, x.mutable_qdd.cur_val) if isinstance(x, AvalMutableQDD) else None
            for x in seen
        ]
        counts = tuple(map(len, flat))
        given = Parameters(params)
        whole = HiCall(of, given, tuple(ins), tuple(outs), tuple(after), counts, (), ())
        sizes: list[int] = []
        changed: list[AvalQDD | None] = []

        def of_changed(*operands: Operand) -> list[Array]:
            states, results = whole.done(operands)
            out = []
            for was, now, before, arrays in zip(
                ins, after, split(operands, counts), states, strict=True
            ):
                same = arrays is None or (was == now and all(map(is_, before, arrays)))
                changed.append(now if effects or not same else None)
                if arrays is not None and changed[-1] is not None:
                    out.append(arrays)
            for aval, arrays in zip(outs, results, strict=True):
                if not isinstance(aval, AvalQDD):
                    wanted = types_of_parts(aval)
                    arrays = [
                        declared(of.name, type, x, "a result")
                        for type, x in zip(wanted, arrays, strict=True)
                    ]
                out.append(arrays)
            sizes.extend([len(arrays) for arrays in out])
            return [as_array(x) for arrays in out for x in arrays]

        staged = stage(of_changed, *[type_of(x).unsharded for arrays in flat for x in arrays])
        made = tuple([type for type in staged.program.result_types if isinstance(type, ArrayType)])
        return HiCall(
            of, given, tuple(ins), tuple(outs), tuple(changed), counts, tuple(sizes), made
        )

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the types found when it was applied."""
        return self.types

    def call(self, operands: Operands) -> list[Array]:
        """Apply `to_lojax`, with values themselves for arguments."""
        states, results = self.done(operands)
        return self.declared([arrays for arrays in states if arrays is not None], results)

    def done(self, operands: Operands) -> tuple[list[list[Any] | None], list[list[Any]]]:
        """Return the arrays of the arguments that it changes, afterwards, and the arrays of the results."""
        values: list[Tree] = []
        for known, arrays in zip(self.ins, split(operands, self.counts), strict=True):
            lo = list(map(as_array, arrays))
            if isinstance(known, AvalQDD):
                values.append(known.new_from_loval(*lo))
            elif isinstance(known, HiType):
                values.append(known.raise_val(*lo[: len(lo_types(known))]))
            else:
                values.append(lo[0])
        with among_themselves():
            output = self.several("to_lojax", self.of.to_lojax(*values, **self.params.values))
        states = [
            None if known is None else [*known.read_loval(value)]
            for known, value in zip(self.changed, values, strict=True)
        ]
        return states, [arrays_of(known, x) for known, x in zip(self.outs, output, strict=True)]

    def declared(
        self, states: Sequence[Sequence[Any]], results: Sequence[Sequence[Any]]
    ) -> list[Array]:
        """Return all arrays that come out.

        Raises:
            ArgumentError, ShapeError, DTypeError: they are not what came out when it was applied.
        """
        groups = [*states, *results]
        made_of = [len(arrays) for arrays in groups]
        if made_of != [*self.sizes]:
            raise ArgumentError(
                f"`{self.of.name}`: what comes out is made of {made_of} arrays, "
                f"but of {list(self.sizes)} when it was applied"
            )
        flat = [x for arrays in groups for x in arrays]
        return [
            declared(self.of, type, x, "a result") for type, x in zip(self.types, flat, strict=True)
        ]

    def groups(self, flat: Sequence[Array]) -> tuple[list[list[Array]], list[list[Array]]]:
        """Split flat results into the arrays of each argument, empty if it does not change, and of each result."""
        groups = iter(split(flat, self.sizes))
        states = [[] if known is None else [*next(groups)] for known in self.changed]
        return states, [[*each] for each in groups]

    def several(self, method: str, output: Tree) -> list[Tree]:
        """Return the results as a list.

        Raises:
            ArgumentError: there are more or fewer than `abstract_eval` says.
        """
        several = self.of.multiple_results
        found = each_of(self.of.name, method, "results", output) if several else [output]
        if len(found) != len(self.outs):
            raise ArgumentError(
                f"`{self.of.name}` has {len(found)} results, but its `abstract_eval` says {len(self.outs)}"
            )
        return found

    @property
    def changes(self) -> bool:
        """Whether values that may change are among the arguments and the results."""
        return any(isinstance(known, AvalQDD) for known in (*self.ins, *self.outs))


def split(flat: Sequence[T], counts: Sequence[int]) -> list[Sequence[T]]:
    """Parts of a sequence, of so many items each."""
    found, first = [], 0
    for count in counts:
        found.append(flat[first : first + count])
        first += count
    return found
