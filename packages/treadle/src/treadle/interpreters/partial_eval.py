"""Programs of functions, in part or as a whole; and JAX's name for jit's tracers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, final

from treadle_ir.errors import boundaries
from treadle_ir.tracing import StagedTracer

if TYPE_CHECKING:
    from treadle.core import AbstractValue
    from treadle.extend.linear_util import WrappedFun
    from treadle.jaxprs import Jaxpr

__all__ = [
    "DynamicJaxprTracer",
    "JaxprTracer",
    "PartialVal",
    "dce_jaxpr",
    "trace_to_jaxpr_dynamic",
    "trace_to_jaxpr_nounits",
]

Value: TypeAlias = Any  # Any: an array, or what can be made one

DynamicJaxprTracer = StagedTracer
JaxprTracer = StagedTracer


@final
class PartialVal(tuple[Any, Any]):
    """A value that is known, or only its type: the pair `(None, value)` or `(aval, None)`."""

    __slots__ = ()

    @staticmethod
    def known(const: Value) -> PartialVal:
        """Return a value that is known."""
        return PartialVal((None, const))

    @staticmethod
    def unknown(aval: AbstractValue) -> PartialVal:
        """Return a value of which only the type is known."""
        return PartialVal((aval, None))

    def is_known(self) -> bool:
        """Return whether the value is known."""
        return self[0] is None

    def get_known(self) -> Value:
        """Return the value, or None."""
        return self[1] if self.is_known() else None

    def get_aval(self) -> AbstractValue:
        """Return the type."""
        from treadle.abstract import typeof  # noqa: PLC0415 - see below

        aval: AbstractValue = typeof(self[1]) if self.is_known() else self[0]
        return aval


# What follows needs more than `import treadle` should load, so its parts are imported when it is called.


def trace_to_jaxpr_nounits(
    fun: WrappedFun, pvals: Sequence[PartialVal], instantiate: bool | Sequence[bool] = False
) -> tuple[Jaxpr, list[PartialVal], list[Value]]:
    """Compute what known arguments allow; the rest as a program of the unknown ones.

    Returns the program, the results as far as they are known, and the program's constants, which go first. The
    program's results are those that are unknown, or that `instantiate` asks for.
    """
    from treadle.core import aval_of, type_of_aval  # noqa: PLC0415
    from treadle.jaxprs import Jaxpr  # noqa: PLC0415
    from treadle_autodiff import split_known  # noqa: PLC0415
    from treadle_ir import type_of  # noqa: PLC0415
    from treadle_ir.calling import as_array  # noqa: PLC0415

    given = [pval[1] if pval.is_known() else type_of_aval(pval[0]) for pval in pvals]
    wanted = [not pval.is_known() for pval in pvals]

    def function(*operands: Value) -> list[Value]:
        return [as_array(x) for x in fun.call_wrapped(*operands)]

    split = split_known(function, given, wanted, instantiate)
    results = [
        PartialVal.known(each) if known else PartialVal.unknown(aval_of(type_of(each)))
        for each, known in zip(split.results, split.known, strict=True)
    ]
    return Jaxpr.of(split.program, len(split.captured)), results, list(split.captured)


def trace_to_jaxpr_dynamic(
    fun: WrappedFun, in_avals: Sequence[AbstractValue]
) -> tuple[Jaxpr, list[AbstractValue], list[Value]]:
    """Return a function as a program; the types of its results, and its constants, which go first.

    Example:
        >>> import treadle
        >>> from treadle.extend.linear_util import wrap_init
        >>> from treadle.interpreters.partial_eval import trace_to_jaxpr_dynamic
        >>> jaxpr, avals, consts = trace_to_jaxpr_dynamic(wrap_init(lambda x: [2 * x]), [treadle.typeof(1.0)])
        >>> len(jaxpr.eqns), avals, consts
        (1, [ShapedArray(float32[], weak_type=True)], [])
    """
    from treadle.core import type_of_aval  # noqa: PLC0415
    from treadle.jaxprs import Jaxpr  # noqa: PLC0415
    from treadle_ir import stage  # noqa: PLC0415
    from treadle_ir.calling import as_array  # noqa: PLC0415

    staged = stage(
        lambda *xs: [as_array(x) for x in fun.call_wrapped(*xs)], *map(type_of_aval, in_avals)
    )
    jaxpr = Jaxpr.of(staged.program, len(staged.captured))
    return jaxpr, jaxpr.out_avals, list(staged.captured)


def dce_jaxpr(
    jaxpr: Jaxpr, used_outputs: bool | Sequence[bool], instantiate: bool | Sequence[bool] = False
) -> tuple[Jaxpr, list[bool]]:
    """Return a program without what the wanted results do not need, and which of its arguments it needs.

    `instantiate` keeps arguments that it does not.
    """
    from treadle.jaxprs import Jaxpr  # noqa: PLC0415
    from treadle_ir import Literal, Program  # noqa: PLC0415
    from treadle_ir.rewrite import dce  # noqa: PLC0415

    program = jaxpr.program
    count = len(program.results)
    wanted = [used_outputs] * count if isinstance(used_outputs, bool) else used_outputs
    arguments = len(jaxpr.invars)
    kept = [instantiate] * arguments if isinstance(instantiate, bool) else instantiate
    results = tuple(x for x, use in zip(program.results, wanted, strict=True) if use)
    smaller = dce(Program(program.parameters, program.equations, results))
    atoms = [*smaller.results, *(x for each in smaller.equations for x in each.operands)]
    read = {atom for atom in atoms if not isinstance(atom, Literal)}
    used = [x in read or keep for x, keep in zip(jaxpr.invars, kept, strict=True)]
    parameters = [x for x, use in zip(jaxpr.invars, used, strict=True) if use]
    pruned = Program((*jaxpr.constvars, *parameters), smaller.equations, smaller.results)
    return Jaxpr.of(pruned, len(jaxpr.constvars)), used


boundaries(__name__)
