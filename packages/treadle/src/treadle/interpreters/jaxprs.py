"""Transformations of jaxprs, which those write who make operations with nested programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

from treadle.core import aval_of, type_of_aval
from treadle.interpreters.zeros import Zero, is_undefined_primal
from treadle.jaxprs import ClosedJaxpr, Jaxpr
from treadle_autodiff import Zero as _Zero, jvp_program, transpose
from treadle_batching import Axis, Dim, batch_flat, with_dim
from treadle_ir import ArgumentError, ArrayType, Operand, Operands, Program, UnsupportedError, stage
from treadle_ir.calling import as_array
from treadle_ir.errors import flags, refused
from treadle_ir.tracing import interpret_unchecked as interpret

if TYPE_CHECKING:
    from treadle.interpreters.batching import AxisData

Tree: TypeAlias = Any  # Any: arrays, zeros, undefined primals
AnyJaxpr: TypeAlias = Jaxpr | ClosedJaxpr


@final
class ZeroIfMapped:
    """Where a result's batch goes: to axis 0 if it has one."""

    def __repr__(self) -> str:
        return "zero_if_mapped"


zero_if_mapped: Final = ZeroIfMapped()


def parts(function: str, jaxpr: AnyJaxpr) -> tuple[Program, Operands]:
    """Return a jaxpr's program and its constants, which are its leading parameters.

    Raises:
        ArgumentError: it is none, or its constants are not given.
    """
    if isinstance(jaxpr, ClosedJaxpr):
        return jaxpr.program, jaxpr.consts
    if not isinstance(jaxpr, Jaxpr):
        raise refused(function, "jaxpr", "a Jaxpr or a ClosedJaxpr", jaxpr)
    if jaxpr.constvars:
        raise ArgumentError(
            f"{function}: the jaxpr has {len(jaxpr.constvars)} constants, whose values are not known",
            fix="pass `ClosedJaxpr(jaxpr, consts)`",
        )
    return jaxpr.program, ()


def closed(program: Program, captured: Operands) -> ClosedJaxpr:
    """Return a program and the values it captured, as a jaxpr with its constants."""
    return ClosedJaxpr(Jaxpr.of(program, len(captured)), captured)


def jvp_jaxpr(
    jaxpr: AnyJaxpr, nonzeros: Sequence[bool], instantiate: bool | Sequence[bool] = False
) -> tuple[ClosedJaxpr, list[bool]]:
    """Return the jaxpr of the derivative: from arguments and the tangents that are not zero to results and such
    tangents.

    Args:
        jaxpr: what is differentiated.
        nonzeros: for each argument, whether it has a tangent.
        instantiate: for which results a tangent is returned even where it is zero.

    Returns:
        The jaxpr, and for each result whether its tangent is returned.

    Raises:
        ArgumentError: `jaxpr` is none, or there are not as many flags as arguments or results.

    Example:
        >>> import treadle
        >>> from treadle.core import eval_jaxpr
        >>> from treadle.interpreters import ad
        >>> product = treadle.make_jaxpr(lambda x, y: (x * y, y))(1.0, 1.0)
        >>> tangent, returned = ad.jvp_jaxpr(product, [True, False])
        >>> returned, [float(x) for x in eval_jaxpr(tangent.jaxpr, tangent.consts, 3.0, 4.0, 1.0)]
        ([True, False], [12.0, 4.0, 4.0])
    """
    program, constants = parts("jvp_jaxpr", jaxpr)
    results = len(program.results)
    forced = [instantiate] * results if isinstance(instantiate, bool) else [*instantiate]
    arguments = len(program.parameters) - len(constants)
    if len(nonzeros) != arguments or len(forced) != results:
        raise ArgumentError(
            f"jvp_jaxpr: {len(nonzeros)} nonzeros and {len(forced)} flags for a jaxpr of {arguments} arguments and "
            f"{results} results"
        )
    flags = [False] * len(constants) + [bool(each) for each in nonzeros]
    made = jvp_program(program, flags, forced)
    return closed(made.program, [*made.captured, *constants]), [*made.nonzero]


def backward_pass(
    jaxpr: AnyJaxpr,
    transform_stack: bool,
    consts: Sequence[Tree],
    primals_in: Sequence[Tree],
    cts_in: Sequence[Tree],
    *,
    return_logs: bool = False,
) -> list[Tree]:
    """Return cotangents of the arguments of a jaxpr that is linear in the `UndefinedPrimal`s among them.

    Returns an array or a `Zero` for each argument; those that are known have a `Zero`. Rules write no logs here, so
    `return_logs` is refused.

    Raises:
        UnsupportedError: `return_logs` is given; ArgumentError: `jaxpr` is none, or there are not as many arguments
            or cotangents as it has.

    Example:
        >>> import treadle
        >>> from treadle.interpreters import ad
        >>> product = treadle.make_jaxpr(lambda x, y: x * y)(1.0, 1.0)
        >>> linear = ad.UndefinedPrimal(treadle.typeof(1.0))
        >>> zero, ct = ad.backward_pass(product.jaxpr, True, [], [3.0, linear], [2.0])
        >>> print(zero, ct)
        Zero(~float32[]) 6.0
    """
    flags("backward_pass", return_logs=return_logs)
    if return_logs:
        raise UnsupportedError(
            "backward_pass: the argument `return_logs` is not supported",
            fix="return what is to be seen, or use `treadle.debug.print` in the rule",
        )
    if not isinstance(jaxpr, Jaxpr | ClosedJaxpr):
        raise refused("backward_pass", "jaxpr", "a Jaxpr or a ClosedJaxpr", jaxpr)
    program = jaxpr.program
    given = [*(jaxpr.consts if isinstance(jaxpr, ClosedJaxpr) else ()), *consts, *primals_in]
    if len(given) != len(program.parameters) or len(cts_in) != len(program.results):
        raise ArgumentError(
            f"backward_pass: {len(given)} constants and arguments and {len(cts_in)} cotangents for a jaxpr of "
            f"{len(program.parameters)} and {len(program.results)}"
        )
    linear = [is_undefined_primal(each) for each in given]
    known = [p for p, flag in zip(program.parameters, linear, strict=True) if not flag]
    unknown = [p for p, flag in zip(program.parameters, linear, strict=True) if flag]
    sorted_program = Program((*known, *unknown), program.equations, program.results)
    values = [as_array(x) for x, flag in zip(given, linear, strict=True) if not flag]
    cotangents = [
        _Zero(type_of_aval(each.aval)) if isinstance(each, Zero) else as_array(each)
        for each in cts_in
    ]
    found = iter(transpose(sorted_program, values, cotangents))
    returned = [
        next(found) if flag else _Zero(parameter.type.tangent())
        for parameter, flag in zip(program.parameters, linear, strict=True)
    ]
    arguments = returned[len(given) - len(primals_in) :]
    return [
        Zero(aval_of(each.type)) if isinstance(each, _Zero) else as_array(each)
        for each in arguments
    ]


def batch_jaxpr_axes(
    closed_jaxpr: AnyJaxpr,
    axis_data: AxisData,
    in_axes: Sequence[int | None],
    out_axes_dest: Sequence[int | ZeroIfMapped | None],
) -> tuple[ClosedJaxpr, list[int | None]]:
    """Return the jaxpr for a whole batch.

    Args:
        closed_jaxpr: what is done with each element.
        axis_data: the axis: `AxisData(name, size)`.
        in_axes: where the batch is in each argument; None: it has none.
        out_axes_dest: where it shall be in each result; None: nowhere; `zero_if_mapped`: in front, if it is there.

    Returns:
        The jaxpr, and where the batch is in each result.

    Raises:
        ArgumentError: `closed_jaxpr` is none, there are not as many axes as arguments and results, or a result that
            shall have no batch has one.

    Example:
        >>> import treadle
        >>> from treadle.interpreters import batching
        >>> product = treadle.make_jaxpr(lambda x, y: (x * y, y))(1.0, 1.0)
        >>> axis, places = batching.AxisData("i", 3), [batching.zero_if_mapped] * 2
        >>> batched, axes = batching.batch_jaxpr_axes(product, axis, [0, None], places)
        >>> [str(aval) for aval in batched.out_avals], axes
        (['~float32[3]', '~float32[]'], [0, None])
    """
    program, constants = parts("batch_jaxpr_axes", closed_jaxpr)
    types = program.parameter_types[len(constants) :]
    if len(in_axes) != len(types) or len(out_axes_dest) != len(program.results):
        raise ArgumentError(
            f"batch_jaxpr_axes: {len(in_axes)} axes of arguments and {len(out_axes_dest)} of results for a jaxpr of "
            f"{len(types)} arguments and {len(program.results)} results"
        )
    axis = Axis(axis_data.size, axis_data.name)
    placed: list[int | None] = []
    batched_types = []
    for type, dim in zip(types, in_axes, strict=True):
        assert isinstance(type, ArrayType)
        if dim is not None:
            if not 0 <= dim <= type.ndim:
                raise ArgumentError(f"batch_jaxpr_axes: {type} has no place {dim} for the batch")
            type = type.with_shape((*type.shape[:dim], axis.size, *type.shape[dim:]))
        batched_types.append(type)

    def function(*operands: Operand) -> list[Operand]:
        dims: list[Dim] = [*([None] * len(constants)), *in_axes]
        results, found = batch_flat(
            lambda *xs: interpret(program, *xs), axis, [*constants, *operands], dims
        )
        made = []
        for number, (result, dim, wanted) in enumerate(
            zip(results, found, out_axes_dest, strict=True)
        ):
            place = (None if dim is None else 0) if isinstance(wanted, ZeroIfMapped) else wanted
            if place is None and dim is not None:
                raise ArgumentError(
                    f"batch_jaxpr_axes: result {number} has a batch, and out_axes_dest says that it has none",
                    fix="give its place, or `zero_if_mapped`",
                )
            made.append(result if place is None else with_dim(result, dim, place, axis))
            placed.append(place)
        return made

    staged = stage(function, *batched_types)
    return closed(staged.program, staged.captured), placed
