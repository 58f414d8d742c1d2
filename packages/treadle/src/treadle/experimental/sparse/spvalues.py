"""Rules of libraries' own for sparse arrays, and what they get: `SparsifyValue`s, which name arrays in a `SparsifyEnv`.

A rule says what an operation does with sparse operands: from an environment, values and parameters to values. Operands
are sparse or dense; at least one is sparse. A value has no arrays: it names them by number, so that several can share
one, such as the indices of an array and of another with the same ones.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, final

from treadle.core import ShapedArray
from treadle.experimental.sparse.base import JAXSparse
from treadle.experimental.sparse.bcoo import BCOO
from treadle.experimental.sparse.bcsr import BCSR
from treadle.extension import Primitive as LibraryPrimitive
from treadle.jaxprs import InstructionView, params_of, view_of
from treadle_ir import ArgumentError, Array, Primitive
from treadle_ir.calling import as_array
from treadle_ir.errors import boundaries, flags, functions, refused
from treadle_ir.tree import tree_map
from treadle_numpy.lax.views import PrimitiveView

__all__ = [
    "SparsifyEnv",
    "SparsifyValue",
    "arrays_to_spvalues",
    "sparse_rules_bcoo",
    "spvalues_to_arrays",
    "spvalues_to_avals",
]

Tree: TypeAlias = Any  # Any: trees of arrays, sparse arrays and values
Rule: TypeAlias = Callable[..., Sequence["SparsifyValue"]]
Operation: TypeAlias = LibraryPrimitive | PrimitiveView | InstructionView


class SparsifyValue(NamedTuple):
    """An array, sparse or dense, by the numbers of its arrays in an environment."""

    shape: tuple[int, ...]
    data_ref: int | None
    indices_ref: int | None = None
    indptr_ref: int | None = None
    indices_sorted: bool | None = False
    unique_indices: bool | None = False

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def is_sparse(self) -> bool:
        """Return whether it has indices."""
        return self.indices_ref is not None

    def is_dense(self) -> bool:
        """Return whether it has none."""
        return self.indices_ref is None

    def is_bcoo(self) -> bool:
        """Return whether it is by coordinates, as a `BCOO`."""
        return self.is_sparse() and self.indptr_ref is None

    def is_bcsr(self) -> bool:
        """Return whether it is by compressed rows, as a `BCSR`."""
        return self.is_sparse() and self.indptr_ref is not None


@final
class SparsifyEnv:
    """The arrays that values name.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> from treadle.experimental.sparse.transform import SparsifyEnv, arrays_to_spvalues
        >>> env = SparsifyEnv()
        >>> m = arrays_to_spvalues(env, sparse.BCOO.fromdense(tnp.diag(tnp.array([3.0, 4.0]))))
        >>> m.data_ref, m.indices_ref
        (0, 1)
        >>> print(env.data(m))
        [3. 4.]
    """

    def __init__(self, bufs: Sequence[Array] = ()) -> None:
        self._buffers = [as_array(each) for each in bufs]

    def _put(self, array: object) -> int:
        self._buffers.append(as_array(array))
        return len(self._buffers) - 1

    def _get(self, what: str, number: int | None) -> Array:
        if number is None:
            raise ArgumentError(
                f"SparsifyEnv: the value has no {what}",
                fix="ask `is_bcoo()`, `is_bcsr()` or `is_dense()` first",
            )
        return self._buffers[number]

    def data(self, spvalue: SparsifyValue) -> Array:
        """Return the stored elements of a value; a dense one's array."""
        return self._get("elements", spvalue.data_ref)

    def indices(self, spvalue: SparsifyValue) -> Array:
        """Return the indices of a sparse value."""
        return self._get("indices", spvalue.indices_ref)

    def indptr(self, spvalue: SparsifyValue) -> Array:
        """Return where the rows of a value by compressed rows begin."""
        return self._get("indptr", spvalue.indptr_ref)

    def dense(self, data: object) -> SparsifyValue:
        """Return a new dense value."""
        number = self._put(data)
        return SparsifyValue(self._buffers[number].shape, number)

    def sparse(
        self,
        shape: Sequence[int],
        data: object = None,
        indices: object = None,
        indptr: object = None,
        *,
        data_ref: int | None = None,
        indices_ref: int | None = None,
        indptr_ref: int | None = None,
        indices_sorted: bool = False,
        unique_indices: bool = False,
    ) -> SparsifyValue:
        """Return a new sparse value, of arrays or of the numbers of those that are here already.

        Raises:
            ArgumentError: elements or indices are lacking, or are given in both ways.
        """
        flags("SparsifyEnv.sparse", indices_sorted=indices_sorted, unique_indices=unique_indices)
        numbers = []
        for name, array, number in (
            ("data", data, data_ref),
            ("indices", indices, indices_ref),
            ("indptr", indptr, indptr_ref),
        ):
            if array is not None and number is not None:
                raise ArgumentError(
                    f"SparsifyEnv.sparse: {name} and {name}_ref are both given", fix="give one"
                )
            if array is None and number is None and name != "indptr":
                raise ArgumentError(
                    f"SparsifyEnv.sparse: there is neither {name} nor {name}_ref",
                    fix=f"give the array, `{name}=...`",
                )
            numbers.append(number if array is None else self._put(array))
        of_data, of_indices, of_indptr = numbers
        return SparsifyValue(
            tuple(shape), of_data, of_indices, of_indptr, indices_sorted, unique_indices
        )


def arrays_to_spvalues(spenv: SparsifyEnv, args: Tree) -> Tree:
    """Return a tree of values instead of arrays and sparse arrays, whose parts are put into an environment.

    Raises:
        ArgumentError: an array is sparse, but neither a `BCOO` nor a `BCSR`.
    """

    _check("arrays_to_spvalues", spenv)

    def value(x: Any) -> SparsifyValue:
        if isinstance(x, BCOO):
            return spenv.sparse(
                x.shape,
                x.data,
                x.indices,
                indices_sorted=x.indices_sorted,
                unique_indices=x.unique_indices,
            )
        if isinstance(x, BCSR):
            return spenv.sparse(
                x.shape,
                x.data,
                x.indices,
                x.indptr,
                indices_sorted=x.indices_sorted,
                unique_indices=x.unique_indices,
            )
        if isinstance(x, JAXSparse):
            raise refused("arrays_to_spvalues", "an array", "dense, a BCOO or a BCSR", x)
        return spenv.dense(x)

    return tree_map(value, args, is_leaf=lambda x: isinstance(x, JAXSparse))


def spvalues_to_arrays(spenv: SparsifyEnv, spvalues: Tree) -> Tree:
    """Return a tree of arrays and sparse arrays instead of values."""

    _check("spvalues_to_arrays", spenv)

    def array(value: SparsifyValue) -> Any:
        if not isinstance(value, SparsifyValue):
            raise refused("spvalues_to_arrays", "a leaf", "a SparsifyValue", value)
        known: dict[str, Any] = {
            "shape": value.shape,
            "indices_sorted": bool(value.indices_sorted),
            "unique_indices": bool(value.unique_indices),
        }
        if value.is_bcoo():
            return BCOO((spenv.data(value), spenv.indices(value)), **known)
        if value.is_bcsr():
            parts = spenv.data(value), spenv.indices(value), spenv.indptr(value)
            return BCSR(parts, **known)
        return spenv.data(value)

    return tree_map(array, spvalues, is_leaf=_is_value)


def spvalues_to_avals(spenv: SparsifyEnv, spvalues: Tree) -> Tree:
    """Return a tree of abstract arrays instead of values: what is known of the arrays that they stand for."""
    arrays = spvalues_to_arrays(spenv, spvalues)
    return tree_map(
        lambda x: ShapedArray(x.shape, x.dtype), arrays, is_leaf=lambda x: isinstance(x, JAXSparse)
    )


def _check(function: str, spenv: object) -> None:
    if not isinstance(spenv, SparsifyEnv):
        raise refused(function, "spenv", "a SparsifyEnv", spenv)


def _is_value(x: object) -> bool:
    return isinstance(x, SparsifyValue)


@final
class SparseRules(UserDict[Operation, Rule]):
    """Rules for arrays by coordinates: `rule(spenv, *spvalues, **params)`, which returns a list of values.

    The key is an operation of a library, or one of treadle's by JAX's name, whose own rule it takes the place of.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> from treadle.experimental.sparse.transform import sparse_rules_bcoo
        >>> from treadle.extend.core import Primitive
        >>> half_p = Primitive("half")
        >>> half = half_p.def_impl(lambda x: x / 2)
        >>> types = half_p.def_abstract_eval(lambda x: x)
        >>> def half_sparse(env, x):
        ...     return [env.sparse(x.shape, env.data(x) / 2, indices_ref=x.indices_ref)]
        >>> sparse_rules_bcoo[half_p] = half_sparse
        >>> sparse.sparsify(half_p.bind)(sparse.BCOO.fromdense(tnp.eye(3)))
        BCOO(float32[3, 3], nse=3)
    """

    def __setitem__(self, key: Operation, item: Rule) -> None:
        """Give an operation its rule.

        Raises:
            ArgumentError: it is not an operation, or the rule is not a function.
        """
        if not isinstance(key, Operation):
            raise refused("sparse_rules_bcoo", "the key", "a Primitive, such as `lax.sin_p`", key)
        functions("sparse_rules_bcoo", rule=item)
        super().__setitem__(key, item)


sparse_rules_bcoo: Final = SparseRules()


def by_own_rule(primitive: Primitive, operands: Sequence[Any]) -> list[Any] | None:
    """Return the results of an operation by a rule of a library's own; None where there is none."""
    if not sparse_rules_bcoo:
        return None
    operation = view_of(primitive)
    rule = sparse_rules_bcoo.get(operation)
    if rule is None:
        return None
    env = SparsifyEnv()
    results = rule(env, *arrays_to_spvalues(env, list(operands)), **params_of(primitive))
    if not isinstance(results, list | tuple) or not all(map(_is_value, results)):
        raise refused(
            f"sparsify: the rule of {operation}", "the result", "a list of SparsifyValues", results
        )
    return [spvalues_to_arrays(env, each) for each in results]


boundaries(__name__)
