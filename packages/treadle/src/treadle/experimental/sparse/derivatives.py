"""Derivatives by sparse arrays: by their stored elements, with the indices where they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import treadle_autodiff
import treadle_numpy as tnp
from treadle import jacobians
from treadle.experimental.sparse.base import JAXSparse
from treadle.experimental.sparse.bcoo import BCOO
from treadle_ir import UnsupportedError
from treadle_ir.errors import boundaries, flags, functions, wraps
from treadle_ir.tracing import positions
from treadle_ir.tree import tree_map

__all__ = ["grad", "jacfwd", "jacobian", "jacrev", "value_and_grad"]

Tree: TypeAlias = Any  # a pytree: any Python object


def value_and_grad(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False, **kwargs: Any
) -> Callable[..., tuple[Any, Any]]:
    """As `treadle.value_and_grad`, where arguments may be sparse: their gradients are sparse, with the same indices.

    Elements that are not stored have no derivative.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> m = sparse.BCOO.fromdense(tnp.array([[0.0, 1.0], [2.0, 0.0]]))
        >>> value, slope = sparse.value_and_grad(lambda m, v: tnp.sum((m @ v) ** 2))(m, tnp.ones(2))
        >>> print(value, slope.data)
        5.0 [2. 4.]
    """
    return _of_elements(
        treadle_autodiff.value_and_grad, "value_and_grad", fun, argnums, has_aux, kwargs
    )


def grad(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False, **kwargs: Any
) -> Callable[..., Any]:
    """As `treadle.grad`, where arguments may be sparse; see `value_and_grad`.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.sparse import BCOO
        >>> x = BCOO.fromdense(tnp.array([0.0, 2.0, 3.0]))
        >>> print(grad(lambda x: (x @ tnp.arange(3.0)) ** 2)(x).todense())
        [ 0. 16. 32.]
    """
    return _of_elements(treadle_autodiff.grad, "grad", fun, argnums, has_aux, kwargs)


def jacfwd(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False, **kwargs: Any
) -> Callable[..., Any]:
    """As `treadle.jacfwd`, where arguments may be sparse: the axes of the result are batch axes of the matrix.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> m = sparse.BCOO.fromdense(tnp.array([[0.0, 1.0], [2.0, 0.0]]))
        >>> sparse.jacfwd(lambda m: m @ tnp.ones(2))(m)
        BCOO(float32[2, 2, 2], nse=2, n_batch=1)
    """
    return _of_elements(jacobians.jacfwd, "jacfwd", fun, argnums, has_aux, kwargs)


def jacrev(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False, **kwargs: Any
) -> Callable[..., Any]:
    """As `treadle.jacrev`, where arguments may be sparse; see `jacfwd`.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.sparse import BCOO
        >>> m = BCOO.fromdense(tnp.array([[0.0, 2.0], [3.0, 0.0]]))
        >>> print(jacrev(lambda m: m @ tnp.array([1.0, 10.0]))(m).data)
        [[10.  0.]
         [ 0.  1.]]
    """
    return _of_elements(jacobians.jacrev, "jacrev", fun, argnums, has_aux, kwargs)


jacobian = jacrev


def _of_elements(
    transform: Callable[..., Any],
    name: str,
    fun: Callable[..., Any],
    argnums: int | Sequence[int],
    has_aux: bool,
    kwargs: dict[str, Any],
) -> Callable[..., Any]:
    """Return a transformation by the stored elements of the sparse arrays among the chosen arguments."""
    functions(f"sparse.{name}", fun=fun)
    flags(f"sparse.{name}", has_aux=has_aux)

    @wraps(fun)
    def transformed(*args: Tree, **named: Tree) -> Any:
        chosen = positions(argnums, len(args), f"sparse.{name}: argnums", "differentiated")
        whole = list(args)
        for place in chosen:
            whole[place] = tree_map(_elements, args[place], is_leaf=is_sparse)

        def of_elements(*parts: Tree, **named: Tree) -> Any:
            rebuilt = list(parts)
            for place in chosen:
                rebuilt[place] = tree_map(
                    _with_elements, args[place], parts[place], is_leaf=is_sparse
                )
            return fun(*rebuilt, **named)

        found = transform(of_elements, argnums, has_aux=has_aux, **kwargs)(*whole, **named)
        slopes, rest = _apart(name, has_aux, found)
        if isinstance(argnums, int):
            made = _sparse_again(args[chosen[0]], slopes)
        else:
            pairs = zip(chosen, slopes, strict=True)
            made = tuple([_sparse_again(args[place], slope) for place, slope in pairs])
        return rest(made)

    return transformed


def _apart(name: str, has_aux: bool, found: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Return the derivatives among what a transformation returned, and how to put others in their place."""
    if name == "value_and_grad":
        return found[1], lambda made: (found[0], made)
    if has_aux:
        return found[0], lambda made: (made, found[1])
    return found, lambda made: made


def is_sparse(x: object) -> bool:
    """Return whether it is a sparse array."""
    return isinstance(x, JAXSparse)


def _elements(x: Any) -> Any:
    return x.data if isinstance(x, JAXSparse) else x


def _with_elements(x: Any, data: Any) -> Any:
    if not isinstance(x, JAXSparse):
        return data
    children, rest = x.tree_flatten()  # type: ignore[attr-defined]  # every format has it
    return type(x).tree_unflatten(rest, (data, *children[1:]))  # type: ignore[attr-defined]


def _sparse_again(argument: Tree, slopes: Tree) -> Tree:
    if not isinstance(argument, JAXSparse):
        return tree_map(_with_slopes, argument, slopes, is_leaf=is_sparse)
    return _with_slopes(argument, slopes)


def _with_slopes(x: Any, slope: Any) -> Any:
    """The derivatives as a sparse array with the indices of the argument, and the result's axes as batch axes."""
    if not isinstance(x, JAXSparse):
        return slope
    axes = slope.ndim - x.data.ndim
    if not axes:
        return _with_elements(x, slope)
    if not isinstance(x, BCOO):
        raise UnsupportedError(
            f"jacobians by a {type(x).__name__} are not supported", fix="use a BCOO: `x.to_bcoo()`"
        )
    indices = tnp.broadcast_to(x.indices, (*slope.shape[:axes], *x.indices.shape))
    return x.made(slope, indices, indices_sorted=x.indices_sorted, unique_indices=x.unique_indices)


boundaries(__name__)
