"""jvp, linearize, vjp and linear_transpose over pytrees, as users call them. vjp is linearize, then transpose."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal, TypeVar, overload

from treadle_autodiff.checked_tangents import (
    check_tangents,
    check_type,
    flatten_along,
    same_structure,
)
from treadle_autodiff.closed_references import StagedWithReferences, stage_with_references
from treadle_autodiff.dependence import DEPENDENCE
from treadle_autodiff.jvp import jvp_tree
from treadle_autodiff.linear_maps import forward, linearized_signature
from treadle_autodiff.linearize import linearize_tree
from treadle_autodiff.nonzero_inputs import flags_of_leaves, note_out_nzs
from treadle_autodiff.pulled_references import ReferenceVJP
from treadle_autodiff.pushed_references import GivenReferences, PushedForward, has_references
from treadle_autodiff.tangents import Tangent, Zero, presented, zeros
from treadle_autodiff.transpose import transpose
from treadle_autodiff.user_function import (
    Tree,
    no_reduced_axes,
    of_positional,
    released,
)
from treadle_autodiff.vjp_function import VJP, vjp_function
from treadle_ir import (
    ArgumentError,
    Array,
    ArrayType,
    Equation,
    Operands,
    Program,
    Type,
    UnsupportedError,
    Value,
    type_of,
)
from treadle_ir.calling import flatten_arrays, type_like
from treadle_ir.core import dtypes
from treadle_ir.errors import flags, functions
from treadle_ir.rewrite import dce
from treadle_ir.tracing import interpret_unchecked as interpret
from treadle_ir.tree import (
    Partial,
    PyTreeDef,
    fixed_places,
    flatten_leaves_and_structure,
    forms,
    opened_leaves,
    tangent_structure,
    tree_unflatten,
)

R = TypeVar("R")
X = TypeVar("X")  # auxiliary output


@overload
def jvp(
    fun: Callable[..., R],
    primals: Sequence[Tree],
    tangents: Sequence[Tree],
    has_aux: Literal[False] = False,
) -> tuple[R, R]: ...
@overload
def jvp(
    fun: Callable[..., tuple[R, X]],
    primals: Sequence[Tree],
    tangents: Sequence[Tree],
    has_aux: Literal[True],
) -> tuple[R, R, X]: ...
@overload
def jvp(
    fun: Callable[..., Tree], primals: Sequence[Tree], tangents: Sequence[Tree], has_aux: bool
) -> tuple[Tree, ...]: ...
def jvp(
    fun: Callable[..., Tree],
    primals: Sequence[Tree],
    tangents: Sequence[Tree],
    has_aux: bool = False,
) -> tuple[Tree, ...]:
    """Evaluate a function and its Jacobian-vector product, the derivative in one direction (forward mode).

    The tangent of a reference is another reference. What the function writes to a reference is written to it, and the
    tangent of that value to the reference of the tangent.

    Args:
        fun: the function; it takes and returns pytrees of arrays.
        primals: a tuple or list of arguments at which `fun` is differentiated.
        tangents: a tuple or list of tangents, with the structure and shapes of `primals`. The dtype of a tangent is
            the dtype of its primal, and float0 for integers.
        has_aux: whether `fun` returns `(results, aux)`; `aux` is not differentiated.

    Returns:
        `(results, result_tangents)`, with `has_aux` `(results, result_tangents, aux)`. Tangents have the structure,
        shapes and dtypes of the results (float0 for integers).

    Raises:
        ArgumentError: primals or tangents are not tuples of trees of arrays, or a reference has no reference as its
            tangent or is given twice.
        StructureError, ShapeError: primals and tangents do not match.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_autodiff import jvp
        >>> jvp(ops.sine, (np.float32(0.0),), (np.float32(2.0),))
        (array(0., dtype=float32), array(2., dtype=float32))
    """
    flags("jvp", has_aux=has_aux)
    functions("jvp", fun=fun)
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise ArgumentError(
            "jvp: primals and tangents must be tuples or lists of arguments, but they are "
            f"{type(primals).__name__} and {type(tangents).__name__}",
            fix="write jvp(f, (x,), (dx,))",
        )
    if has_references((primals, tangents)):
        return _jvp_of_references(fun, tuple(primals), tuple(tangents), has_aux)
    leaves, structure = flatten_arrays(tuple(primals), "primals")
    pushed = flatten_along("tangents", "tangents", tuple(tangents), "primals", structure)
    checked = check_tangents("jvp: tangent", [type_of(x) for x in leaves], pushed)
    function = of_positional("jvp", fun, structure, has_aux)
    given = opened_leaves(tuple(primals))
    results, result_tangents, (out, aux) = jvp_tree(function, leaves, checked, given)
    return (
        tree_unflatten(out, results),
        tree_unflatten(tangent_structure(out), _presented(result_tangents, results)),
        *released(aux),
    )


def _jvp_of_references(
    fun: Callable[..., Tree], primals: tuple[Tree, ...], tangents: tuple[Tree, ...], has_aux: bool
) -> tuple[Tree, ...]:
    given = GivenReferences(primals, "primals")
    given_tangents = GivenReferences(tangents, "tangents")
    given.check_tangents("jvp", given_tangents)
    pure = given.pure("jvp", fun, has_aux)
    pushed = jvp(pure, (given.values,), (given_tangents.values,), True)
    (output, held), (tangent, held_tangents), aux = pushed
    given.store(held)
    given_tangents.store(held_tangents)
    return output, tangent, *aux


def _presented(tangents: Sequence[Tangent], primals: Operands) -> list[Array]:
    return [presented(tangent, type_of(x)) for tangent, x in zip(tangents, primals, strict=True)]


@overload
def linearize(
    fun: Callable[..., R], *primals: Tree, has_aux: Literal[False] = False, in_nzs: Any = None
) -> tuple[R, Callable[..., R]]: ...
@overload
def linearize(
    fun: Callable[..., tuple[R, X]], *primals: Tree, has_aux: Literal[True], in_nzs: Any = None
) -> tuple[R, Callable[..., R], X]: ...
@overload
def linearize(
    fun: Callable[..., Tree], *primals: Tree, has_aux: bool, in_nzs: Any = None
) -> tuple[Tree, ...]: ...
def linearize(
    fun: Callable[..., Tree], *primals: Tree, has_aux: bool = False, in_nzs: Any = None
) -> tuple[Tree, ...]:
    """Evaluate a function, and return its derivative there as a linear function that can be applied many times.

    The tangent of a reference is another reference, which `f_jvp` reads and writes.

    Args:
        fun: the function.
        primals: where it is differentiated.
        has_aux: whether the function returns a pair, the second of which is not differentiated.
        in_nzs: a tree of booleans that is a prefix of the arguments: where one is False, there are no tangents, as if
            the argument were a constant. The derivative has an attribute `out_nzs` then, a tree of booleans: which
            results have tangents that may not be zero.

    Returns:
        `(results, f_jvp)`, with `has_aux` `(results, f_jvp, aux)`. `f_jvp(*tangents)` takes one tangent per argument,
        like the argument, and returns the tangents of the results, in their structure.

    Raises:
        ArgumentError: an argument is not a tree of arrays, or `in_nzs` no such prefix.
        StructureError, ShapeError: from `f_jvp`, when tangents do not match the primals.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_autodiff import linearize
        >>> y, f_jvp = linearize(ops.sine, np.float32(0.0))
        >>> f_jvp(np.float32(3.0))
        array(3., dtype=float32)
    """
    flags("linearize", has_aux=has_aux)
    functions("linearize", fun=fun)
    if has_references(primals):
        _refuse_with_references("linearize", in_nzs=in_nzs)
        given_refs = GivenReferences(primals, "primals")
        given_refs.check_once("linearize")
        pure = given_refs.pure("linearize", fun, has_aux)
        (output, held), f_jvp, auxiliary = linearize(pure, given_refs.values, has_aux=True)
        given_refs.store(held)
        pushed = PushedForward(given_refs.structure, given_refs.places)
        return output, Partial(pushed, f_jvp), *auxiliary
    leaves, structure = flatten_arrays(primals, "argument ")
    given = opened_leaves(primals)
    nonzero = differentiable(leaves, structure)
    if in_nzs is not None:
        asked = flags_of_leaves("linearize", "in_nzs", in_nzs, structure)
        nonzero = [has and wanted for has, wanted in zip(nonzero, asked, strict=True)]
    function = of_positional("linearize", fun, structure, has_aux)
    linearized, (out, aux) = linearize_tree(function, leaves, nonzero, given)

    derivative = linearized_signature("linearize", linearized, leaves, structure, nonzero, out)
    f_jvp = forward(derivative, linearized.captured)
    if in_nzs is not None:
        note_out_nzs(f_jvp, derivative.has_tangent, out)
    return tree_unflatten(out, linearized.results), f_jvp, *released(aux)


def differentiable(leaves: Operands, structure: PyTreeDef) -> list[bool]:
    """Return which leaves have tangents: leaves of floating and complex types, except parts of opaque values."""
    fixed = fixed_places(structure)
    return [
        i not in fixed and dtypes.is_inexact(type_of(leaf).dtype) for i, leaf in enumerate(leaves)
    ]


@overload
def vjp(
    fun: Callable[..., R],
    *primals: Tree,
    has_aux: Literal[False] = False,
    reduce_axes: Sequence[Hashable] = (),
    saveable_args: Any = True,
    in_nzs: Any = None,
) -> tuple[R, VJP[R]]: ...
@overload
def vjp(
    fun: Callable[..., tuple[R, X]],
    *primals: Tree,
    has_aux: Literal[True],
    reduce_axes: Sequence[Hashable] = (),
    saveable_args: Any = True,
    in_nzs: Any = None,
) -> tuple[R, VJP[R], X]: ...
@overload
def vjp(
    fun: Callable[..., Tree],
    *primals: Tree,
    has_aux: bool,
    reduce_axes: Sequence[Hashable] = (),
    saveable_args: Any = True,
    in_nzs: Any = None,
) -> tuple[Tree, ...]: ...
def vjp(
    fun: Callable[..., Tree],
    *primals: Tree,
    has_aux: bool = False,
    reduce_axes: Sequence[Hashable] = (),
    saveable_args: Any = True,
    in_nzs: Any = None,
) -> tuple[Tree, ...]:
    """Evaluate a function, and return its vector-Jacobian product as a function (reverse mode).

    The cotangent of a reference is written to another one: `f_vjp.with_refs(refs)(ct)`.

    Args:
        fun: the function.
        primals: where it is differentiated.
        has_aux: whether the function returns a pair, the second of which is not differentiated.
        reduce_axes: no longer anything but empty.
        saveable_args: a tree of booleans that is a prefix of the arguments: where one is False, an argument that the
            derivative needs as it was given is not kept. In `f_vjp.args_res` there is `NotSaveable()` then, where the
            argument is put back before `f_vjp` is called.
        in_nzs: a tree of booleans that is a prefix of the arguments: where one is False, there are no tangents, as if
            the argument were a constant. `f_vjp.out_nzs` is a tree of booleans: which results have tangents that may
            not be zero.

    Returns:
        `(results, f_vjp)`, with `has_aux` `(results, f_vjp, aux)`. `f_vjp(ct)` takes a cotangent with the structure,
        shapes and dtypes of the results, and returns a tuple with one cotangent per argument, like the argument
        (float0 zeros for integers). `f_vjp` is a pytree of its residuals: see `VJP`.

    Raises:
        ArgumentError: an argument is not a tree of arrays, or `saveable_args` or `in_nzs` no such prefix.
        StructureError, ShapeError: from `f_vjp`, when the cotangent does not match the results.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_autodiff import vjp
        >>> y, f_vjp = vjp(ops.multiply, np.float32(2.0), np.float32(5.0))
        >>> f_vjp(np.float32(1.0))
        (array(5., dtype=float32), array(2., dtype=float32))
    """
    flags("vjp", has_aux=has_aux)
    no_reduced_axes("vjp", reduce_axes)
    functions("vjp", fun=fun)
    if has_references(primals):
        saved = None if saveable_args is True else saveable_args
        _refuse_with_references("vjp", in_nzs=in_nzs, saveable_args=saved)
        given_refs = GivenReferences(primals, "primals")
        given_refs.check_once("vjp")
        pure = given_refs.pure("vjp", fun, has_aux)
        (output, held), pulled, auxiliary = vjp(pure, given_refs.values, has_aux=True)
        given_refs.store(held)
        out = pulled.out_tree.children()[0]
        return (
            output,
            ReferenceVJP(pulled, given_refs.structure, out, given_refs.places),
            *auxiliary,
        )
    leaves, structure = flatten_arrays(primals, "argument ")
    given = opened_leaves(primals)
    nonzero = differentiable(leaves, structure)
    if in_nzs is not None:
        asked = flags_of_leaves("vjp", "in_nzs", in_nzs, structure)
        nonzero = [has and wanted for has, wanted in zip(nonzero, asked, strict=True)]
    saveable = None
    if saveable_args is not True:
        saveable = flags_of_leaves("vjp", "saveable_args", saveable_args, structure)
    function = of_positional("vjp", fun, structure, has_aux)
    linearized, (out, aux) = linearize_tree(function, leaves, nonzero, given)

    derivative = linearized_signature("vjp", linearized, leaves, structure, nonzero, out)
    f_vjp = vjp_function(derivative, linearized.captured, leaves, given, saveable)
    return tree_unflatten(out, linearized.results), f_vjp, *released(aux)


def _refuse_with_references(name: str, **options: object) -> None:
    for option, value in options.items():
        if value is not None:
            raise UnsupportedError(
                f"{name}: `{option}` is not supported with references among the arguments",
                fix="let the function close over the references",
            )


def linear_transpose(
    fun: Callable[..., Tree], *primals: Tree, reduce_axes: Sequence[Hashable] = ()
) -> Callable[[Tree], tuple[Tree, ...]]:
    """Return the transpose of a linear function: from cotangents of its results to cotangents of its arguments.

    References that the function closes over are read and written here, once, and not when the transpose is called.

    Args:
        fun: a function that is linear in all its arguments.
        primals: arrays or `ShapeDtypeStruct`s, with the shapes and dtypes of the arguments; values are not used.
        reduce_axes: must be empty.

    Returns:
        A function that takes a cotangent, with the structure, shapes and dtypes of the results, and returns a tuple
        with one cotangent per argument.

    Raises:
        ArgumentError: a primal has no shape and element type, or is a reference, or what is written to a reference
            depends on the arguments.
        ShapeError: when called, if a cotangent has another shape or element type than its result.
        MissingRuleError: when called, if the function is not linear.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_autodiff import linear_transpose
        >>> triple = lambda x: ops.multiply(x, np.float32(3.0))
        >>> linear_transpose(triple, np.float32(0.0))(np.float32(2.0))
        (array(6., dtype=float32),)
    """
    functions("linear_transpose", fun=fun)
    no_reduced_axes("linear_transpose", reduce_axes)
    leaves, structure = flatten_leaves_and_structure(primals)
    if has_references(leaves):
        raise ArgumentError(
            "linear_transpose: an argument is a reference, which has no cotangent",
            fix="let the function close over the reference: linear_transpose(lambda x: f(ref, x), x)",
        )
    types = [type_like("linear_transpose", leaf) for leaf in leaves]
    found = stage_with_references(of_positional("linear_transpose", fun, structure, False), types)
    staged, (out, _) = found.staged, found.out
    if forms(structure) or forms(out):
        raise UnsupportedError(
            "linear_transpose: an argument or a result is of a type of a library's own",
            fix="use vjp, which knows what the tangents of such values are",
        )

    result_types = [result.type for result in staged.program.results[: found.result_count]]
    known = [*staged.captured, *found.held()]
    not_linear = [
        Zero(type.tangent()) for type in staged.program.result_types[found.result_count :]
    ]
    if found.cells:
        found.store(_written(found, known, types))

    def transposed(cotangents: Tree) -> tuple[Tree, ...]:
        given, given_structure = flatten_arrays(cotangents, "cotangent ")
        same_structure("the cotangents", given_structure, "the results", out)
        cotangents_in = [*_alike(given, result_types), *not_linear]
        outgoing = transpose(staged.program, known, cotangents_in)
        result: tuple[Tree, ...] = tree_unflatten(
            structure, [presented(ct, type) for ct, type in zip(outgoing, types, strict=True)]
        )
        return result

    return transposed


def _written(
    found: StagedWithReferences[Any], known: Operands, types: Sequence[ArrayType]
) -> Operands:
    """Return what the references hold in the end that a linear function closes over.

    Raises:
        ArgumentError: it depends on the arguments, of which there are no values.
    """
    program, ends = found.staged.program, found.staged.program.results[found.result_count :]
    depends = DEPENDENCE.values(program, [False] * len(known) + [True] * len(types))
    for end in ends:
        if isinstance(end, Value) and depends[end]:
            raise ArgumentError(
                f"linear_transpose: the function writes to a reference to {end.type} what depends on its "
                "arguments, which have no values here",
                fix="return it as a result",
            )

    def is_of_arguments(equation: Equation) -> bool:
        """Return whether an equation has effects of the arguments alone, which have no values."""
        given = [isinstance(x, Value) and depends[x] for x in equation.operands]
        return bool(equation.effects) and any(given) and all(depends[x] for x in equation.results)

    equations = tuple([each for each in program.equations if not is_of_arguments(each)])
    held = dce(Program(program.parameters, equations, ends))
    return interpret(held, *known, *[zeros(type) for type in types])


def _alike(cotangents: Operands, results: Sequence[Type]) -> list[Tangent]:
    """Return the cotangents for `linear_transpose`: integer results have integer cotangents here."""
    return [
        cotangent
        if not isinstance(result, ArrayType) or type_of(cotangent).strong() == result.strong()
        else check_type(f"linear_transpose: cotangent {i}", result, cotangent)
        for i, (cotangent, result) in enumerate(zip(cotangents, results, strict=True))
    ]
