"""grad and value_and_grad: reverse mode of functions that return one number."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Concatenate, Literal, overload

from treadle_autodiff.gradients import A, Gradient, GradientAndAux, P, R, ValueAndGradient, X
from treadle_autodiff.linear_maps import pullback
from treadle_autodiff.linearize import linearize_tree
from treadle_autodiff.tangents import presented
from treadle_autodiff.user_function import (
    Argnums,
    Tree,
    check_callable,
    no_reduced_axes,
    note_derivative,
    released,
)
from treadle_ir import ArgumentError, Array, DTypeError, Operands, ShapeError, type_of
from treadle_ir.calling import (
    TreeFunction,
    as_array,
    operand_or_none,
    refuse_others,
    results_and_aux,
)
from treadle_ir.core import dtypes
from treadle_ir.errors import wraps
from treadle_ir.tracing import positions
from treadle_ir.tree import (
    PyTreeDef,
    fixed_places,
    flatten_leaves_and_structure,
    forms,
    tangent_structure,
    tree_unflatten,
)


@overload
def value_and_grad(
    fun: Callable[Concatenate[A, P], R],
    argnums: Literal[0] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    reduce_axes: Sequence[Hashable] = (),
) -> ValueAndGradient[A, P, R]: ...
@overload
def value_and_grad(
    fun: Callable[P, R],
    argnums: Argnums,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    reduce_axes: Sequence[Hashable] = (),
) -> Callable[P, tuple[R, Tree]]: ...
def value_and_grad(
    fun: Callable[..., Tree],
    argnums: Argnums = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    reduce_axes: Sequence[Hashable] = (),
) -> Callable[..., tuple[Tree, Tree]]:
    """Return a function that computes the value of `fun` and its gradient, by reverse mode.

    All positional arguments are tracers inside of `fun`, with elements where they have any. Arguments that are not
    differentiated behave as the user's values, and Python integers among them are passed unchanged.

    Args:
        fun: returns a scalar (an array of rank 0), with `has_aux` a pair of it and anything.
        argnums: which positional argument to differentiate with respect to; several give a tuple of gradients.
        has_aux: the function returns `(value, aux)`; the result is `((value, aux), gradient)`.
        holomorphic: the function is complex-differentiable; arguments and result are complex.
        allow_int: integers may be differentiated; their gradients are float0.
        reduce_axes: must be empty.

    Returns:
        A function of the same arguments that returns `(value, gradient)`, with `has_aux` `((value, aux), gradient)`.
        The gradient has the structure, shapes and dtypes of the differentiated argument; for a sequence `argnums` it
        is a tuple with one gradient per argument. Gradients of integers have dtype float0.

    Raises:
        TypeError: when called, if the result is not a real scalar (a complex one, where holomorphic), or an argument is
            an integer.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_autodiff import value_and_grad
        >>> value_and_grad(ops.square)(np.float32(3.0))
        (array(9., dtype=float32), array(6., dtype=float32))
    """
    check_callable(fun, "grad")
    no_reduced_axes("grad", reduce_axes)

    @wraps(fun)
    def value_and_gradient(*args: Tree, **kwargs: Tree) -> tuple[Tree, Tree]:
        wanted = positions(argnums, len(args), "grad: argnums", "differentiated")
        arguments = [flatten_leaves_and_structure(arg) for arg in args]
        given: list[object] = []
        nonzero: list[bool] = []
        for position, (leaves, structure) in enumerate(arguments):
            if position in wanted:
                refuse_others(args[position], leaves, f"grad: argument {position}")
                nonzero += differentiated(leaves, structure, position, holomorphic, allow_int)
                given += leaves
            else:
                traced = [leaf for leaf in leaves if is_traced(leaf)]
                nonzero += [False] * len(traced)
                given += traced
        primals = list(map(as_array, given))

        def rebuilt(operands: Sequence[Tree]) -> tuple[list[Tree], dict[str, Tree]]:
            return _with_leaves(arguments, wanted, operands), kwargs

        function = TreeFunction(
            fun, rebuilt, results_and_aux("grad", lambda y: _scalar(y, holomorphic), has_aux)
        )
        linearized, (_, aux) = linearize_tree(function, primals, nonzero, given)
        (value,) = linearized.results
        one = type_of(value).dtype.type(1)
        outgoing = pullback(linearized, [one], primals, nonzero)
        gradients = _with_leaves(
            [(leaves, tangent_structure(structure)) for leaves, structure in arguments],
            wanted,
            [presented(ct, type_of(x)) for ct, x in zip(outgoing, primals, strict=True)],
        )
        if isinstance(argnums, (tuple, list)):
            gradient: Tree = tuple([gradients[position] for position in wanted])
        else:
            gradient = gradients[wanted[0]]
        return ((value, *released(aux)) if has_aux else value), gradient

    note_derivative(value_and_gradient, "value_and_grad", fun, argnums, has_aux)
    return value_and_gradient


@overload
def grad(
    fun: Callable[Concatenate[A, P], tuple[Any, X]],
    argnums: Literal[0] = 0,
    *,
    has_aux: Literal[True],
    holomorphic: bool = False,
    allow_int: bool = False,
    reduce_axes: Sequence[Hashable] = (),
) -> GradientAndAux[A, P, X]: ...
@overload
def grad(
    fun: Callable[Concatenate[A, P], Any],  # Any: a scalar, as an array or as a number
    argnums: Literal[0] = 0,
    has_aux: Literal[False] = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    reduce_axes: Sequence[Hashable] = (),
) -> Gradient[A, P]: ...
@overload
def grad(
    fun: Callable[P, Tree],
    argnums: Argnums,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    reduce_axes: Sequence[Hashable] = (),
) -> Callable[P, Tree]: ...
@overload
def grad(
    fun: Callable[P, Tree],
    argnums: Literal[0] = 0,
    *,
    has_aux: bool,
    holomorphic: bool = False,
    allow_int: bool = False,
    reduce_axes: Sequence[Hashable] = (),
) -> Callable[P, Tree]: ...
def grad(
    fun: Callable[..., Tree],
    argnums: Argnums = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    reduce_axes: Sequence[Hashable] = (),
) -> Callable[..., Tree]:
    """Return a function that computes the gradient of `fun`, by reverse mode.

    Args:
        fun: a function that returns a scalar, an array of shape `()`; with `has_aux` a pair of it and auxiliary data.
        argnums: the position of the argument to differentiate with respect to, or a sequence of positions.
        has_aux: whether `fun` returns `(value, aux)`.
        holomorphic: whether `fun` is complex-differentiable; arguments and result are complex then.
        allow_int: whether arguments may be integers; their gradients have dtype float0.
        reduce_axes: must be empty.

    Returns:
        A function of the same arguments that returns the gradient, with `has_aux` `(gradient, aux)`. The gradient has
        the structure, shapes and dtypes of the differentiated argument; for a sequence `argnums` it is a tuple with
        one gradient per argument.

    Raises:
        TypeError: when called, if the result is not a real scalar (a complex one with `holomorphic`), or an argument
            is an integer without `allow_int`.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_autodiff import grad
        >>> grad(ops.tanh)(np.float32(0.0))
        array(1., dtype=float32)
    """
    both = value_and_grad(fun, argnums, has_aux, holomorphic, allow_int, reduce_axes)

    @wraps(fun)
    def gradient(*args: Tree, **kwargs: Tree) -> Tree:
        value, derivative = both(*args, **kwargs)
        return (derivative, value[1]) if has_aux else derivative

    note_derivative(gradient, "grad", fun, argnums, has_aux)
    return gradient


def _with_leaves(
    arguments: Sequence[tuple[list[Tree], PyTreeDef]],
    wanted: Sequence[int],
    operands: Sequence[Tree],
) -> list[Tree]:
    """Return the arguments with the traced leaves replaced."""
    given = iter(operands)
    return [
        tree_unflatten(
            structure,
            [next(given) if position in wanted or is_traced(leaf) else leaf for leaf in leaves],
        )
        for position, (leaves, structure) in enumerate(arguments)
    ]


def differentiated(
    leaves: Sequence[object],
    structure: PyTreeDef,
    position: int,
    holomorphic: bool,
    allow_int: bool,
) -> list[bool]:
    """Return which leaves of an argument are differentiated; refuse others, except parts of opaque values."""
    found = forms(structure)
    if not found:
        return [check_input(x, position, holomorphic, allow_int) for x in leaves]
    parts = {first + i for first, count, _ in found for i in range(count)}
    fixed = fixed_places(structure)
    return [
        i not in fixed and dtypes.is_inexact(type_of(x).dtype)
        if i in parts
        else check_input(x, position, holomorphic, allow_int)
        for i, x in enumerate(leaves)
    ]


def is_traced(leaf: object) -> bool:
    """Return whether a leaf of an argument that is not differentiated becomes a tracer: arrays and numbers do.

    Python integers are passed unchanged: seeds, sizes and numbers of steps, which functions know by `isinstance`.
    """
    return not isinstance(leaf, int) and _is_number(leaf)


def _is_number(leaf: object) -> bool:
    """Return whether a leaf is an array or a number; Python booleans are neither."""
    return not isinstance(leaf, bool) and (
        isinstance(leaf, Array) or operand_or_none(leaf) is not None
    )


def check_input(
    leaf: object, position: int, holomorphic: bool, allow_int: bool, name: str = "grad"
) -> bool:
    """Return whether the leaf is differentiated; refuse it if it cannot be.

    Complex leaves can be differentiated in reverse, where the output is real: with z = x + iy the derivative is
    df/dx - i df/dy. Forward, one column for each leaf's element cannot hold both.

    Raises:
        DTypeError: its element type has no derivatives, or not of the requested kind.
    """
    dtype = type_of(leaf).dtype
    found = dtypes.user_name(dtype)
    if dtypes.is_key(dtype) and not allow_int:
        raise DTypeError(
            f"{name} requires real- or complex-valued inputs (input dtype that is a sub-dtype of np.inexact), "
            f"but got {found}: random keys are not differentiable",
            fix=f"choose other arguments with argnums; argument {position} is or holds a random key",
        )
    if holomorphic:
        if not dtypes.is_complex(dtype):
            raise DTypeError(
                f"{name} with holomorphic=True requires inputs with complex dtype, but got {found}.",
                fix="convert the argument to complex64 or complex128, or drop holomorphic=True",
            )
        return True
    if dtypes.is_floating(dtype):
        return True
    if dtypes.is_complex(dtype):
        if name == "jacfwd":
            raise DTypeError(
                "jacfwd requires real-valued inputs (input dtype that is a sub-dtype of np.floating), "
                f"but got {found}.",
                fix="for a holomorphic function pass holomorphic=True; use jacrev where the output is real; "
                "else differentiate real and imaginary parts",
            )
        return True
    if not allow_int:
        raise DTypeError(
            f"{name} requires real- or complex-valued inputs (input dtype that is a sub-dtype of np.inexact), "
            f"but got {found}.",
            fix=f"make argument {position} floating (write 3.0 for 3)"
            + ("" if name == "jacfwd" else ", or pass allow_int=True"),
        )
    return False


def _scalar(output: Tree, holomorphic: bool) -> tuple[Operands, None]:
    """Return the scalar that is differentiated, as the only result; refuse other results."""
    leaves, _ = flatten_leaves_and_structure(output)
    if len(leaves) != 1 or not _is_number(leaves[0]) or isinstance(output, (tuple, list, dict)):
        raise ArgumentError(
            f"Gradient only defined for scalar-output functions. Output was: {output!r:.200}.",
            fix="return one number; with more outputs return (value, aux) and pass has_aux=True",
        )
    (value,) = leaves
    type = type_of(value)
    if type.shape != ():
        raise ShapeError(
            f"Gradient only defined for scalar-output functions. Output had shape: {type.shape}.",
            fix="reduce the output to one number (`.sum()`, `.mean()`), or use jacrev, jacfwd or vjp",
        )
    if holomorphic:
        if not dtypes.is_complex(type.dtype):
            raise DTypeError(
                f"grad with holomorphic=True requires outputs with complex dtype, but got "
                f"{dtypes.user_name(type.dtype)}."
            )
    elif not dtypes.is_floating(type.dtype):
        raise DTypeError(
            "grad requires real-valued outputs (output dtype that is a sub-dtype of np.floating), "
            f"but got {dtypes.user_name(type.dtype)}.",
            fix="return a floating number; of a complex one its real part, or pass holomorphic=True",
        )
    return [as_array(value)], None
