"""The matrices of derivatives, pushed or pulled all at once by vectorisation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import treadle_autodiff
from treadle_batching import map_rows
from treadle_ir.errors import alias


def jacfwd(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of `fun` by forward mode.

    One tangent is pushed for each element of the arguments, all at once: for functions with few inputs.

    Args:
        fun: the function. Its Jacobian is a tree of its results, whose leaves are trees of the argument with arrays of
            shape `[*result, *argument]`.
        argnums: which argument, or which arguments, to differentiate by; the trees are tuples for a sequence.
        has_aux: whether `fun` returns a pair, the second element of which is returned as it is.
        holomorphic: whether `fun` is a holomorphic function of complex numbers.

    Example:
        >>> import treadle.numpy as tnp
        >>> print(jacfwd(lambda x: x**2)(tnp.array([1.0, 2.0])))
        [[2. 0.]
         [0. 4.]]
    """
    return treadle_autodiff.jacfwd(fun, argnums, has_aux, holomorphic, mapper=map_rows)


def jacrev(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of `fun` by reverse mode.

    One cotangent is pulled for each element of the results, all at once: for functions with few outputs.

    Args:
        fun: the function. Its Jacobian has the shape that `jacfwd` describes.
        argnums: which argument, or which arguments, to differentiate by; the trees are tuples for a sequence.
        has_aux: whether `fun` returns a pair, the second element of which is returned as it is.
        holomorphic: whether `fun` is a holomorphic function of complex numbers.
        allow_int: whether integers may be differentiated by; the derivatives are of type `float0`.

    Example:
        >>> import treadle.numpy as tnp
        >>> print(jacrev(lambda x: x**2)(tnp.array([1.0, 2.0])))
        [[2. 0.]
         [0. 4.]]
    """
    return treadle_autodiff.jacrev(fun, argnums, has_aux, holomorphic, allow_int, mapper=map_rows)


jacobian = alias(jacrev, "jacobian")


def hessian(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[..., Any]:
    """Return a function that computes the matrix of second derivatives of `fun`: forward mode over reverse mode.

    Args:
        fun: the function, of real numbers unless `holomorphic`.
        argnums: which argument, or which arguments, to differentiate by; the trees are tuples for a sequence.
        has_aux: whether `fun` returns a pair, the second element of which is returned as it is.
        holomorphic: whether `fun` is a holomorphic function of complex numbers.

    Example:
        >>> import treadle.numpy as tnp
        >>> print(hessian(lambda x: tnp.sum(x**3))(tnp.array([1.0, 2.0])))
        [[ 6.  0.]
         [ 0. 12.]]
    """
    return treadle_autodiff.hessian(fun, argnums, has_aux, holomorphic, mapper=map_rows)
