# ruff: noqa: E501
# Messages are as long as they are.
"""Mistakes that people make, each with the error they get: its class, its first line, and how to fix it.

`# here` marks the line of the user that the error has to show. Objects' addresses are written `0x...`.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np

import treadle as typed_treadle
from treadle import errors

# A type checker would not let these mistakes through.
treadle: Any = typed_treadle
tnp: Any = typed_treadle.numpy
lax: Any = typed_treadle.lax
random: Any = typed_treadle.random
tree_util: Any = typed_treadle.tree_util


@final
@dataclass(frozen=True)
class Mistake:
    """What a mistake raises."""

    make: Callable[[], Any]
    error: type[BaseException]
    first_line: str
    fix: str


MISTAKES: Final[list[Mistake]] = []
X: Any = tnp.arange(6.0).reshape(2, 3)
ONE: Any = treadle.make_mesh(
    (1,), ("x",)
)  # a mesh of one device; unequal parts: conformance/sharding


def mistake(
    error: type[BaseException], first_line: str, fix: str
) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Put a mistake into the catalogue."""

    def add(make: Callable[[], Any]) -> Callable[[], Any]:
        MISTAKES.append(Mistake(make, error, first_line, fix))
        return make

    return add


class Model:
    """A class whose method is jitted without saying what `self` is."""

    w = 1.0

    @typed_treadle.jit
    def apply(self, x: Any) -> Any:
        """Scale."""
        return x * self.w


def _kept(transform: Any, *args: Any) -> Any:
    """A tracer that outlives its function."""
    kept: list[Any] = []

    def f(x: Any) -> Any:
        kept.append(x * 2)
        return x * 3

    transform(f)(*args)
    return kept[0]


@mistake(
    errors.ShapeError,
    "add got incompatible shapes for broadcasting: (3,), (4,)",
    "sizes of an axis, counted from the last one, must be equal or 1: reshape, or add axes with `x[:, None]`",
)
def add_of_other_shapes() -> None:
    tnp.ones(3) + tnp.ones(4)  # here


@mistake(
    errors.ShapeError,
    "matmul: contracting dimensions must have the same size, got shapes (2, 3) and (2, 3)",
    "transpose or reshape one of them: the last axis of the first meets the second-to-last of the second",
)
def matmul_of_other_shapes() -> None:
    tnp.ones((2, 3)) @ tnp.ones((2, 3))  # here


@mistake(
    errors.ShapeError,
    "matmul: input operand 1 must have ndim at least 1, but it has ndim 0",
    "use `*` to multiply by a scalar",
)
def matmul_with_a_number() -> None:
    tnp.ones(3) @ 2.0  # here


@mistake(
    errors.ShapeError,
    "dot: contracting dimensions must have the same size, got shapes (3,) and (4,)",
    "transpose or reshape one of them: the last axis of the first meets the second-to-last of the second",
)
def dot_of_other_lengths() -> None:
    tnp.dot(tnp.ones(3), tnp.ones(4))  # here


@mistake(
    errors.ShapeError,
    "cannot reshape array of shape (2, 3) (size 6) into shape (4, 2) (size 8)",
    "the sizes must multiply to the number of elements; one of them may be -1 to be worked out",
)
def reshape_to_another_size() -> None:
    X.reshape(4, 2)  # here


@mistake(
    errors.ShapeError,
    "cannot reshape array of shape (2, 3) into shape (-1, -1): only one size may be -1",
    "write the other sizes out",
)
def reshape_with_two_unknown() -> None:
    X.reshape(-1, -1)  # here


@mistake(
    errors.ShapeError,
    "concatenate: operand 1 has shape (2, 4) and operand 0 has (2, 3), which may differ in axis 0 only",
    "reshape or pad them, or concatenate along another axis",
)
def concatenate_other_widths() -> None:
    tnp.concatenate([tnp.ones((2, 3)), tnp.ones((2, 4))])  # here


@mistake(
    errors.ArgumentError,
    "Need at least one array to concatenate.",
    "pass a list with an array in it; the empty array is `zeros(0)`",
)
def concatenate_nothing() -> None:
    tnp.concatenate([])  # here


@mistake(
    errors.ShapeError,
    "Zero-dimensional arrays cannot be concatenated.",
    "use stack for numbers; arrays go in one list: `concatenate([a, b])`",
)
def concatenate_without_a_list() -> None:
    tnp.concatenate(tnp.ones(3), tnp.ones(3))  # here


@mistake(
    errors.ShapeError,
    "All input arrays must have the same shape. Got (2,), (3,).",
    "pad or broadcast them to one shape, or use concatenate",
)
def stack_other_shapes() -> None:
    tnp.stack([tnp.ones(2), tnp.ones(3)])  # here


@mistake(
    errors.ArgumentError,
    "array split does not result in an equal division: 2 parts of an axis of size 5",
    "use array_split, or give the split points",
)
def split_that_does_not_divide() -> None:
    tnp.split(tnp.arange(5), 2)  # here


@mistake(
    errors.ShapeError, "sum: axis 2 is out of bounds for array of dimension 2", "axes are -2 to 1"
)
def axis_out_of_range() -> None:
    tnp.sum(X, axis=2)  # here


@mistake(
    errors.ArgumentError,
    "sum: axes (0, 0) name one axis twice",
    "name each axis once; negative ones count from the last",
)
def axis_named_twice() -> None:
    tnp.sum(X, axis=(0, 0))  # here


@mistake(
    errors.ShapeError,
    "squeeze: axes (0,) of shape (2, 3) are not all of size 1",
    "take one element with `x[0]`, reduce over the axis, or leave `axis` out",
)
def squeeze_of_a_longer_axis() -> None:
    tnp.squeeze(X, 0)  # here


@mistake(
    errors.ShapeError,
    "einsum: axis 'j' has sizes 3 and 2 in 'ij,jk'",
    "axes with one letter have one size: transpose an operand, or use another letter",
)
def einsum_sizes() -> None:
    tnp.einsum("ij,jk", X, X)  # here


@mistake(
    errors.ArgumentError,
    "einsum: 1 subscripts 'ij->i' for 2 operands",
    "write one group of letters per operand, with commas between: 'ij,jk->ik'",
)
def einsum_operands() -> None:
    tnp.einsum("ij->i", X, X)  # here


@mistake(
    errors.ShapeError,
    "Incompatible shapes for broadcasting: (2, 3) and requested shape (2, 4)",
    "sizes of an axis, counted from the last one, must be equal or 1",
)
def broadcast_to_another_size() -> None:
    tnp.broadcast_to(X, (2, 4))  # here


@mistake(
    errors.ShapeError,
    "where got incompatible shapes for broadcasting: (3,), (3,), (2,)",
    "sizes of an axis, counted from the last one, must be equal or 1: reshape, or add axes with `x[:, None]`",
)
def where_of_other_shapes() -> None:
    tnp.where(tnp.ones(3) > 0, tnp.ones(3), tnp.ones(2))  # here


@mistake(
    errors.ShapeError,
    "zeros: the shape (-1,) has a negative size",
    "sizes are 0 or more; only reshape takes -1, for the size that follows from the others",
)
def negative_size() -> None:
    tnp.zeros(-1)  # here


@mistake(
    errors.ArgumentError,
    "zeros: a shape is an integer or a sequence of integers, got 2.5 of <class 'float'>",
    "shapes are integers known before the program runs: convert with int(...)",
)
def fractional_size() -> None:
    tnp.zeros(2.5)  # here


@mistake(
    errors.ArgumentError,
    "Too many indices: array is 2-dimensional, but 3 were indexed",
    "index at most 2 axes; `None` adds one, `...` stands for those between",
)
def too_many_indices() -> None:
    X[0, 0, 0]  # here


@mistake(
    errors.ArgumentError,
    "Indexer must have integer or boolean type, got indexer 1.5 of type float",
    "index with integers, slices, None, ..., or arrays of integers or booleans",
)
def fractional_index() -> None:
    X[1.5]  # here


@mistake(
    errors.ArgumentError,
    "Using a non-tuple sequence for multidimensional indexing is not allowed; use `arr[array(seq)]` instead of `arr[seq]`.",
    "a list of positions: `x[tnp.array([0, 2])]`; one position for each axis: `x[0, 2]`",
)
def list_as_index() -> None:
    X[[0, 1]]  # here


@mistake(
    errors.ArgumentError,
    "arrays do not support string indexing; got idx='a'",
    "use a dict of arrays for named parts",
)
def name_as_index() -> None:
    X["a"]  # here


@mistake(
    errors.ArgumentError,
    "boolean index did not match shape of indexed array: the mask has size 3 along an axis of size 2",
    "make the mask from the array that it indexes; `x[mask, :]` takes one bool per row",
)
def mask_of_another_shape() -> None:
    X[tnp.array([True, False, True])]  # here


@mistake(
    errors.ArgumentError,
    "zeros: 'float33' is not an element type",
    "pass a name ('float32') or a type of treadle.numpy",
)
def unknown_element_type() -> None:
    tnp.zeros(3, "float33")  # here


@mistake(
    errors.DTypeError,
    "and: operands are f32, but it takes boolean, signed integer, unsigned integer",
    "convert the operand first (`.astype(...)`)",
)
def bits_of_floats() -> None:
    tnp.ones(3) & tnp.ones(3)  # here


@mistake(
    errors.DTypeError,
    "Integers cannot be raised to negative powers, got i32[3] ** -1",
    "use a float: `x ** -1.0` or `1 / x`",
)
def integer_to_a_negative_power() -> None:
    tnp.arange(3) ** -1  # here


@mistake(
    errors.ArgumentError,
    "array requires ndarray or scalar arguments, got <class 'str'> at position 0",
    "pass an array, a NumPy array or a number; read the array out of the object first",
)
def array_of_strings() -> None:
    tnp.array(["a", "b"])  # here


@mistake(
    errors.DTypeError,
    "element type <U1 is not supported",
    "arrays hold numbers only: convert with .astype(float), or leave out what is text, as columns of a table (`df.select_dtypes('number')`)",
)
def strings_of_an_npz() -> None:
    tnp.asarray(np.array(["a", "b"]))  # here


@mistake(
    errors.ShapeError,
    "array: nested sequences have unequal lengths, so they make no array",
    "pad them to one length, or keep a list of arrays",
)
def ragged_lists() -> None:
    tnp.array([[1, 2], [3]])  # here


@mistake(
    errors.ArgumentError,
    "array requires ndarray or scalar arguments, got <class 'dict'> at position 0",
    "pass an array, a NumPy array or a number; read the array out of the object first",
)
def array_of_a_dict() -> None:
    tnp.array({"a": 1})  # here


@mistake(
    errors.ArgumentError,
    "sin requires ndarray or scalar arguments, got <class 'NoneType'> at position 0",
    "pass an array or a number; None often comes from a function that forgot to return",
)
def none_as_array() -> None:
    tnp.sin(None)  # here


@mistake(
    errors.ArgumentError,
    "sin requires ndarray or scalar arguments, got <class 'list'> at position 0",
    "make it an array first: `treadle.numpy.array(...)`; sequences are not converted by themselves",
)
def list_as_array() -> None:
    tnp.sin([1.0, 2.0])  # here


@mistake(
    errors.RangeError,
    "Python integer 1099511627776 out of bounds for int32",
    'write it as a float, give a wider dtype, or turn 64-bit types on: treadle.config.update("treadle_enable_x64", True)',
)
def integer_that_does_not_fit() -> None:
    tnp.array(2**40)  # here


@mistake(
    errors.ArgumentError,
    "zero-size array to reduction operation max which has no identity",
    "pass `initial`, or check the size before",
)
def max_of_nothing() -> None:
    tnp.max(tnp.zeros(0))  # here


@mistake(
    errors.ArgumentError, "attempt to get argmax of an empty sequence", "check the size before"
)
def argmax_of_nothing() -> None:
    tnp.argmax(tnp.zeros(0))  # here


@mistake(
    errors.TreadleError,
    "can only convert an array of size 1 to a Python scalar, got f32[2,3]",
    "name the element (`x.item(0)`), reduce first (`x.sum()`), or use `x.tolist()`",
)
def item_of_many() -> None:
    X.item()  # here


@mistake(
    errors.TreadleError,
    "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",
    "reduce the comparison with .any() or .all(), or choose by element with `where`",
)
def if_on_many() -> None:
    if X > 0:  # here
        pass


@mistake(
    errors.ArgumentError, "len() of an array without axes", "a scalar has no length; `x.size` is 1"
)
def len_of_a_scalar() -> None:
    len(tnp.array(1.0))  # here


@mistake(
    errors.ArgumentError,
    "iteration over an array without axes",
    "`for` goes over the first axis; use the scalar itself",
)
def loop_over_a_scalar() -> None:
    list(tnp.array(1.0))  # here


@mistake(
    errors.ArgumentError,
    "float(): only arrays without axes can be converted to Python scalars, got f32[2,3]",
    "take one element (`x[0]`), reduce (`x.sum()`), or use `x.tolist()`",
)
def float_of_many() -> None:
    float(X)  # here


@mistake(
    errors.ArgumentError,
    "only integer scalar arrays can be converted to a scalar index, got f32[]*",
    "convert with int(x) first; to take elements of an array by an array use treadle arrays on both sides",
)
def float_as_list_index() -> None:
    [1, 2, 3][tnp.array(1.0)]  # here


@mistake(
    errors.ArgumentError,
    "treadle arrays are immutable and do not support item assignment",
    "instead of x[i] = y, write x = x.at[i].set(y)",
)
def item_assignment() -> None:
    X[0] = 1.0  # here


@mistake(
    errors.ArgumentError,
    "treadle arrays are immutable and do not support item assignment",
    "instead of x[i] = y, write x = x.at[i].set(y)",
)
def item_increment() -> None:
    X[0] += 1.0  # here


@mistake(
    errors.ArgumentError,
    "x.at[i] = y changes nothing: arrays are immutable",
    "write x = x.at[i].set(y)",
)
def assignment_to_at() -> None:
    X.at[0] = 1.0  # here


@mistake(
    errors.ShapeError,
    "x.at[...]: values of shape (2,) do not broadcast to the shape (3,) of the elements at the index",
    "give a scalar or an array that broadcasts to `x[index]`",
)
def at_with_another_shape() -> None:
    X.at[0].set(tnp.ones(2))  # here


@mistake(
    errors.ArgumentError,
    "sum: the argument `out` is not supported",
    "arrays never change: use the result of the function",
)
def out_argument() -> None:
    tnp.sum(X, out=X)  # here


@mistake(
    errors.TracerBoolConversionError,
    "the truth value (`if`, `while`, `and`, `not`, `bool()`) was asked of a traced array of type bool[], which has no elements yet",
    "use `where(condition, a, b)` or `lax.cond`, or mark the argument static (`static_argnums`)",
)
def if_on_a_tracer() -> None:
    treadle.jit(lambda x: 1.0 if x > 0 else 0.0)(1.0)  # here


@mistake(
    errors.TracerBoolConversionError,
    "the truth value (`if`, `while`, `and`, `not`, `bool()`) was asked of a traced array of type bool[], which has no elements yet",
    "use `where(condition, a, b)` or `lax.cond`, or mark the argument static (`static_argnums`)",
)
def while_on_a_tracer() -> None:
    def f(x: Any) -> Any:
        while x < 10:  # here
            x = x * 2
        return x

    treadle.jit(f)(1.0)


@mistake(
    errors.TracerBoolConversionError,
    "the truth value (`if`, `while`, `and`, `not`, `bool()`) was asked of a traced array of type bool[], which has no elements yet",
    "use `where(condition, a, b)` or `lax.cond`, or mark the argument static (`static_argnums`)",
)
def and_of_tracers() -> None:
    treadle.jit(lambda x: (x > 0) and (x < 1))(1.0)  # here


@mistake(
    errors.TracerBoolConversionError,
    "the truth value (`if`, `while`, `and`, `not`, `bool()`) was asked of a traced array of type bool[], which has no elements yet",
    "use `where(condition, a, b)` or `lax.cond`, or mark the argument static (`static_argnums`)",
)
def assert_on_a_tracer() -> None:
    def f(x: Any) -> Any:
        assert x > 0  # here
        return x

    treadle.jit(f)(1.0)


@mistake(
    errors.ConcretizationError,
    "int() was asked of a traced array of type f32[]*, which has no elements yet",
    "keep it an array (`x.astype(...)`), or mark the argument static (`static_argnums`)",
)
def int_of_a_tracer() -> None:
    treadle.jit(lambda x: int(x))(1.0)  # here


@mistake(
    errors.ConcretizationError,
    "float() was asked of a traced array of type f32[]*, which has no elements yet",
    "keep it an array (`x.astype(...)`), or mark the argument static (`static_argnums`)",
)
def float_of_a_tracer() -> None:
    treadle.jit(lambda x: float(x))(1.0)  # here


@mistake(
    errors.TracerIntegerConversionError,
    "a Python integer was asked of a traced array of type i32[]*, which has no elements yet",
    "use array functions (`x[i]`, `lax.fori_loop`, `take`), or mark the argument static (`static_argnums`)",
)
def range_of_a_tracer() -> None:
    treadle.jit(lambda n: sum(range(n)))(3)  # here


@mistake(
    errors.TracerIntegerConversionError,
    "a Python integer was asked of a traced array of type i32[]*, which has no elements yet",
    "use array functions (`x[i]`, `lax.fori_loop`, `take`), or mark the argument static (`static_argnums`)",
)
def list_at_a_tracer() -> None:
    treadle.jit(lambda n: [1, 2, 3][n])(1)  # here


@mistake(
    errors.ConcretizationError,
    "item() was asked of a traced array of type f32[]*, which has no elements yet",
    "keep it an array (`x.astype(...)`), or mark the argument static (`static_argnums`)",
)
def item_of_a_tracer() -> None:
    treadle.jit(lambda x: x.item())(1.0)  # here


@mistake(
    errors.TracerArrayConversionError,
    "a NumPy function was called on a traced array of type f32[]*, which has no elements for NumPy",
    "use the function of the same name in treadle.numpy; for host code use treadle.pure_callback",
)
def numpy_function_on_a_tracer() -> None:
    treadle.jit(lambda x: np.sin(x))(1.0)  # here


@mistake(
    errors.TracerArrayConversionError,
    "a NumPy function was called on a traced array of type f32[], which has no elements for NumPy",
    "use the function of the same name in treadle.numpy; for host code use treadle.pure_callback",
)
def numpy_array_of_a_tracer() -> None:
    treadle.vmap(lambda x: np.asarray(x))(tnp.ones(2))  # here


@mistake(
    errors.NonConcreteBooleanIndexError,
    "Array boolean indices must be concrete; got bool[2,3], whose elements are not known while tracing",
    "use `where(mask, x, 0)`, or `nonzero(mask, size=...)` for a fixed number of elements",
)
def mask_of_a_tracer() -> None:
    treadle.jit(lambda x: x[x > 0])(X)  # here


@mistake(
    errors.ConcretizationError,
    "nonzero was called on a traced array of type bool[2,3]: the size of its result depends on the elements",
    "say how many there are at most with `size=`, or use the three-argument `where`",
)
def nonzero_of_a_tracer() -> None:
    treadle.jit(lambda x: tnp.nonzero(x))(X)  # here


@mistake(
    errors.ConcretizationError,
    "unique was called on a traced array of type f32[2,3]: the size of its result depends on the elements",
    "say how many there are at most with `size=`, or use the three-argument `where`",
)
def unique_of_a_tracer() -> None:
    treadle.jit(lambda x: tnp.unique(x))(X)  # here


@mistake(
    errors.TracerIntegerConversionError,
    "zeros: a size must be an integer that is known while tracing, got a traced array of type i32[]*",
    "use array functions (`x[i]`, `lax.fori_loop`, `take`), or mark the argument static (`static_argnums`)",
)
def size_from_a_tracer() -> None:
    treadle.jit(lambda n: tnp.zeros(n))(3)  # here


@mistake(
    errors.TracerIntegerConversionError,
    "arange: start, stop and step must be an integer that is known while tracing, got a traced array of type i32[]*",
    "use array functions (`x[i]`, `lax.fori_loop`, `take`), or mark the argument static (`static_argnums`)",
)
def arange_of_a_tracer() -> None:
    treadle.jit(lambda n: tnp.arange(n))(3)  # here


@mistake(
    errors.TracerIntegerConversionError,
    "reshape: a size must be an integer that is known while tracing, got a traced array of type i32[]*",
    "use array functions (`x[i]`, `lax.fori_loop`, `take`), or mark the argument static (`static_argnums`)",
)
def reshape_by_a_tracer() -> None:
    treadle.jit(lambda x, n: x.reshape(n, 2))(X, 3)  # here


@mistake(
    errors.ArgumentError,
    "Slice entries must be static integers. Got slice(None, Traced<ShapedArray(int32[])>, None)",
    "use lax.dynamic_slice with a fixed size, or a mask with `where`",
)
def slice_by_a_tracer() -> None:
    treadle.jit(lambda x, n: x[:n])(X, 1)  # here


@mistake(
    errors.TracerIntegerConversionError,
    "sum: an axis must be an integer that is known while tracing, got a traced array of type i32[]*",
    "use array functions (`x[i]`, `lax.fori_loop`, `take`), or mark the argument static (`static_argnums`)",
)
def axis_from_a_tracer() -> None:
    treadle.jit(lambda x, axis: tnp.sum(x, axis))(X, 0)  # here


@mistake(
    errors.ConcretizationError,
    "the number format '.2f' was asked of a traced array of type f32[]*, which has no elements yet",
    "print values at run time with `treadle.debug.print`, or write `{x}` to print the type",
)
def number_format_of_a_tracer() -> None:
    treadle.jit(lambda x: f"{x:.2f}")(1.0)  # here


@mistake(
    errors.ArgumentError,
    "a traced array cannot be pickled: it lives only while its function is traced",
    "return it from the function and pickle the result",
)
def pickle_of_a_tracer() -> None:
    treadle.jit(lambda x: pickle.dumps(x))(1.0)  # here


@mistake(
    errors.ArgumentError,
    "treadle arrays are immutable and do not support item assignment",
    "instead of x[i] = y, write x = x.at[i].set(y)",
)
def assignment_to_a_tracer() -> None:
    def f(x: Any) -> Any:
        x[0] = 1.0  # here
        return x

    treadle.jit(f)(tnp.ones(2))


@mistake(
    errors.EscapedTracerError,
    "a traced array of type f32[]* was used after the function it belongs to (`_kept.<locals>.f`, staged, as under jit, or as the body of a loop, a branch or a checkpoint) had been traced",
    "return the value from the function instead of storing it in a global, an attribute or a list",
)
def leaked_from_jit() -> None:
    kept = _kept(treadle.jit, 1.0)
    kept + 1  # here


@mistake(
    errors.EscapedTracerError,
    "a traced array of type f32[]* was used after the function it belongs to (`_kept.<locals>.f`, differentiated, as under grad or vjp) had been traced",
    "return the value from the function instead of storing it in a global, an attribute or a list",
)
def leaked_from_grad() -> None:
    kept = _kept(treadle.grad, 1.0)
    kept + 1  # here


@mistake(
    errors.EscapedTracerError,
    "a traced array of type f32[] was used after the function it belongs to (`_kept.<locals>.f`, vectorised, as under vmap) had been traced",
    "return the value from the function instead of storing it in a global, an attribute or a list",
)
def leaked_from_vmap() -> None:
    kept = _kept(treadle.vmap, tnp.ones(2))
    tnp.sin(kept)  # here


@mistake(
    errors.EscapedTracerError,
    "a traced array of type f32[]* was used after the function it belongs to (`_kept.<locals>.f`, staged, as under jit, or as the body of a loop, a branch or a checkpoint) had been traced",
    "return the value from the function instead of storing it in a global, an attribute or a list",
)
def leaked_and_read() -> None:
    kept = _kept(treadle.jit, 1.0)
    float(kept)  # here


@mistake(
    errors.EscapedTracerError,
    "a traced array of type f32[]* was used after the function it belongs to (`_kept.<locals>.f`, staged, as under jit, or as the body of a loop, a branch or a checkpoint) had been traced",
    "return the value from the function instead of storing it in a global, an attribute or a list",
)
def leaked_into_another_jit() -> None:
    kept = _kept(treadle.jit, 1.0)
    treadle.jit(lambda x: x + kept)(1.0)  # here


@mistake(
    errors.TreadleError,
    "Non-hashable static arguments are not supported. An error occurred during a call to '<lambda>' while trying to hash an object of type <class 'list'>, [1]. The error was:",
    "pass arrays as ordinary arguments, lists as tuples, and give classes __hash__ and __eq__",
)
def list_as_static() -> None:
    treadle.jit(lambda n, x: x, static_argnums=0)([1], 1.0)  # here


@mistake(
    errors.TreadleError,
    "Non-hashable static arguments are not supported. An error occurred during a call to '<lambda>' while trying to hash an object of type <class 'treadle_runtime.DeviceArray'>, Array([1., 1.], dtype=float32). The error was:",
    "pass arrays as ordinary arguments, lists as tuples, and give classes __hash__ and __eq__",
)
def array_as_static() -> None:
    treadle.jit(lambda n, x: x, static_argnums=0)(tnp.ones(2), 1.0)  # here


@mistake(
    errors.TreadleError,
    "jitted function <lambda> has static_argnums=(1,), but only accepts 1 positional arguments",
    "count from 0; keyword-only arguments are named in static_argnames",
)
def static_number_out_of_range() -> None:
    treadle.jit(lambda x: x, static_argnums=1)  # here


@mistake(
    errors.TreadleError,
    "jitted function <lambda> has invalid argnames ['y'] in static_argnames: the function does not take these arguments",
    "its arguments are x",
)
def static_name_unknown() -> None:
    treadle.jit(lambda x: x, static_argnames="y")  # here


@mistake(
    errors.ArgumentError,
    "<object object at 0x...> of type <class 'object'> is not a valid treadle type",
    "pass arrays, NumPy arrays or numbers; to hand over an object, mark it static or register it as a pytree",
)
def object_as_argument() -> None:
    treadle.jit(lambda m, x: x)(object(), 1.0)  # here


@mistake(
    errors.ArgumentError,
    "'relu' of type <class 'str'> is not a valid treadle type",
    "pass arrays, NumPy arrays or numbers; a string that says what to do is a static argument",
)
def string_as_argument() -> None:
    treadle.jit(lambda x, s: x)(1.0, "relu")  # here


@mistake(
    errors.ArgumentError,
    "Expected a callable value, got Array(1., dtype=float32, weak_type=True) of type <class 'treadle_runtime.DeviceArray'>",
    "pass a function to jit",
)
def jit_of_a_value() -> None:
    treadle.jit(tnp.array(1.0))  # here


@mistake(
    errors.ArgumentError,
    "<conformance.mistakes.catalogue.Model object at 0x...> of type <class 'conformance.mistakes.catalogue.Model'> is not a valid treadle type",
    "pass arrays, NumPy arrays or numbers; to hand over an object, mark it static or register it as a pytree",
)
def jit_on_a_method() -> None:
    Model().apply(1.0)  # here


@mistake(
    errors.ArgumentError,
    "'a' of type <class 'str'> is not a valid treadle type",
    "pass arrays, NumPy arrays or numbers; to hand over an object, mark it static or register it as a pytree",
)
def jit_that_returns_a_string() -> None:
    treadle.jit(lambda x: "a")(1.0)  # here


@mistake(
    errors.TreadleError,
    "static_argnums (0,) and donate_argnums (0,) cannot intersect",
    "a static argument has no buffer to donate: leave it out of donate_argnums",
)
def donated_and_static() -> None:
    treadle.jit(lambda x: x, static_argnums=0, donate_argnums=0)  # here


@mistake(
    errors.TreadleError,
    "compiler option `xla_nosuch` is not known to jaxlib ... on cpu",
    "remove it; the options of XLA differ between releases of jaxlib",
)
def unknown_compiler_option() -> None:
    treadle.jit(lambda x: x, compiler_options={"xla_nosuch": 1})(1.0)  # here


@mistake(
    errors.StructureError,
    "cond branch outputs must have the same pytree structure, but the outputs of true_fun and false_fun differ at the top level: tuple of 2 and a leaf",
    "return the same containers from all branches; fill what a branch lacks with zeros",
)
def branches_of_other_structure() -> None:
    lax.cond(True, lambda x: (x, x), lambda x: x, 1.0)  # here


@mistake(
    errors.DTypeError,
    "cond branches must have equal output types but the types of true_fun and false_fun differ at the only leaf: f32[] and i32[]",
    "convert one of them with .astype(...)",
)
def branches_of_other_types() -> None:
    lax.cond(True, lambda x: x, lambda x: 1, tnp.array(1.0))  # here


@mistake(
    errors.ShapeError,
    "cond branches must have equal output types but the types of true_fun and false_fun differ at the only leaf: f32[] and f32[2]",
    "broadcast, reshape or pad to one shape: compiled programs have fixed shapes",
)
def branches_of_other_shapes() -> None:
    lax.cond(True, lambda x: x, lambda x: tnp.ones(2), tnp.array(1.0))  # here


@mistake(
    errors.ArgumentError,
    "cond: pred must be a scalar, but it is bool[2]",
    "reduce it with `all` or `any`, or use `where`, which chooses element by element",
)
def condition_of_many() -> None:
    lax.cond(tnp.ones(2) > 0, lambda x: x, lambda x: x, 1.0)  # here


@mistake(
    errors.ArgumentError,
    "cond: true_fun and false_fun must be functions, got float and float",
    "write cond(pred, lambda: a, lambda: b), or use `where` to choose between arrays",
)
def branches_that_are_values() -> None:
    lax.cond(True, 1.0, 2.0)  # here


@mistake(
    errors.StructureError,
    "scan: the body must return the carry in the structure it came in, but in and out differ at the top level: a leaf and tuple of 2",
    "return the same containers as the initial value of scan has",
)
def carry_of_other_structure() -> None:
    lax.scan(lambda c, x: ((c, c), x), 0.0, tnp.arange(3.0))  # here


@mistake(
    errors.ShapeError,
    "scan: the body must return the carry with the types it came in with, but in and out differ at the only leaf: f32[] and f32[2]",
    "broadcast, reshape or pad to one shape: compiled programs have fixed shapes",
)
def carry_of_another_shape() -> None:
    lax.scan(lambda c, x: (c + tnp.ones(2), x), tnp.array(0.0), tnp.arange(3.0))  # here


@mistake(
    errors.ArgumentError,
    "scan: the body must return a pair (carry, y), but it returns an array",
    "return `carry, None` where there is nothing to stack",
)
def body_without_a_pair() -> None:
    lax.scan(lambda c, x: c + x, 0.0, tnp.arange(3.0))  # here


@mistake(
    errors.ArgumentError,
    "scan: leading sizes must be equal, but xs[0] has 3, xs[1] has 4",
    "give all arrays in `xs` the same leading size, which is the length",
)
def scan_over_other_lengths() -> None:
    lax.scan(lambda c, x: (c, x), 0.0, (tnp.arange(3.0), tnp.arange(4.0)))  # here


@mistake(
    errors.ArgumentError,
    "scan: without arrays in `xs` the number of iterations is not known",
    "pass `length`",
)
def scan_without_length() -> None:
    lax.scan(lambda c, x: (c, x), 0.0, None)  # here


@mistake(
    errors.ArgumentError,
    "while_loop: cond_fun must return a boolean scalar, but it returns bool[2]",
    "compare with `<`, `!=`, ...; reduce an array with `all` or `any`",
)
def while_condition_of_many() -> None:
    lax.while_loop(lambda c: c < 3, lambda c: c + 1.0, tnp.zeros(2))  # here


@mistake(
    errors.ArgumentError,
    "fori_loop: upper must be an integer scalar, but it is f32[]*",
    "pass an int, or an array with .astype(int); floats for both bounds count, too",
)
def fori_with_a_fraction() -> None:
    lax.fori_loop(0, 3.5, lambda i, c: c, 0.0)  # here


@mistake(
    errors.TreadleError,
    "tree_map: tree 0 and tree 1 differ at the top level: dict with keys ['a', 'b'] and dict with keys ['a']",
    "give trees of the first one's structure, or end that earlier with is_leaf",
)
def trees_that_differ() -> None:
    tree_util.tree_map(lambda a, b: a + b, {"a": 1, "b": 2}, {"a": 1})  # here


@mistake(
    errors.ShapeError,
    "Gradient only defined for scalar-output functions. Output had shape: (2,).",
    "reduce the output to one number (`.sum()`, `.mean()`), or use jacrev, jacfwd or vjp",
)
def grad_of_a_vector() -> None:
    treadle.grad(lambda x: x * 2)(tnp.ones(2))  # here


@mistake(
    errors.DTypeError,
    "grad requires real- or complex-valued inputs (input dtype that is a sub-dtype of np.inexact), but got int32.",
    "make argument 0 floating (write 3.0 for 3), or pass allow_int=True",
)
def grad_at_an_integer() -> None:
    treadle.grad(lambda x: x * 2.0)(3)  # here


@mistake(
    errors.DTypeError,
    "grad requires real-valued outputs (output dtype that is a sub-dtype of np.floating), but got int32.",
    "return a floating number; of a complex one its real part, or pass holomorphic=True",
)
def grad_of_an_integer() -> None:
    treadle.grad(lambda x: x.astype(int))(3.0)  # here


@mistake(
    errors.ArgumentError,
    "grad: the first argument must be a function, but it is Array",
    "write grad(f)(x), not grad(f(x))",
)
def grad_of_a_value() -> None:
    treadle.grad(tnp.array(1.0))  # here


@mistake(
    errors.ArgumentError,
    "grad: argnums is 1, but the function was called with 1 positional argument",
    "count positional arguments from 0; keyword arguments are not differentiated",
)
def grad_argnums_out_of_range() -> None:
    treadle.grad(lambda x: x, argnums=1)(1.0)  # here


@mistake(
    errors.ArgumentError,
    "Gradient only defined for scalar-output functions. Output was: (Traced<ShapedArray(float32[])>, Traced<ShapedArray(float32[])>).",
    "return one number; with more outputs return (value, aux) and pass has_aux=True",
)
def grad_of_a_pair() -> None:
    treadle.grad(lambda x: (x, x))(1.0)  # here


@mistake(
    errors.ArgumentError,
    "Gradient only defined for scalar-output functions. Output was: None.",
    "return one number; with more outputs return (value, aux) and pass has_aux=True",
)
def grad_of_nothing() -> None:
    treadle.grad(lambda x: None)(1.0)  # here


@mistake(
    errors.ArgumentError,
    "grad: argument 0 is 'a' of type <class 'str'>, which is not an array or a number",
    "mark it static, close over it, or register its class as a pytree",
)
def grad_at_a_string() -> None:
    treadle.grad(lambda x: x)("a")  # here


@mistake(
    errors.DTypeError,
    "jacfwd requires real-valued inputs (input dtype that is a sub-dtype of np.floating), but got complex64.",
    "for a holomorphic function pass holomorphic=True; use jacrev where the output is real; else differentiate real "
    "and imaginary parts",
)
def jacfwd_at_a_complex_number() -> None:
    treadle.jacfwd(lambda x: x)(1j)  # here


@mistake(
    errors.TreadleError,
    "reverse-mode differentiation (grad, vjp, jacrev) cannot differentiate a while loop, or a fori_loop whose bounds are traced: how many intermediate values to keep is not known when the program is made",
    "use lax.scan, or lax.fori_loop with Python integers as bounds; or give lax.while_loop `max_steps`; forward mode (jvp, jacfwd) can differentiate any loop",
)
def grad_through_while() -> None:
    treadle.grad(lambda x: lax.while_loop(lambda c: c < 10, lambda c: c * 2, x))(1.0)  # here


@mistake(
    errors.ShapeError,
    "jvp: tangent 0 is f32[2], but the primal is f32[3]; they must have one shape and element type",
    "convert or broadcast it to f32[3]",
)
def tangent_of_another_shape() -> None:
    treadle.jvp(tnp.sin, (tnp.ones(3),), (tnp.ones(2),))  # here


@mistake(
    errors.ArgumentError,
    "jvp: primals and tangents must be tuples or lists of arguments, but they are float and float",
    "write jvp(f, (x,), (dx,))",
)
def tangents_without_tuple() -> None:
    treadle.jvp(tnp.sin, 1.0, 1.0)  # here


@mistake(
    errors.ShapeError,
    "vjp: cotangent 0 is f32[2], but the primal is f32[3]; they must have one shape and element type",
    "convert or broadcast it to f32[3]",
)
def cotangent_of_another_shape() -> None:
    _, pull = treadle.vjp(tnp.sin, tnp.ones(3))
    pull(tnp.ones(2))  # here


@mistake(
    errors.ArgumentError,
    "custom_vjp: no derivative rules were set for `<lambda>`",
    "call <lambda>.defvjp(fwd, bwd) before calling the function",
)
def custom_vjp_without_rule() -> None:
    treadle.custom_vjp(lambda x: x)(1.0)  # here


def _backward_only() -> Any:
    function = treadle.custom_vjp(lambda x: x)
    function.defvjp(lambda x: (x, None), lambda residuals, ct: (ct,))
    return function


@mistake(
    errors.DerivativeError,
    "custom_vjp: the function has a backward rule only, so forward mode (jvp, jacfwd, linearize) cannot differentiate it",
    "use reverse mode (grad, vjp, jacrev), or give the function its derivative with custom_jvp, which serves both modes",
)
def forward_mode_of_custom_vjp() -> None:
    treadle.jvp(_backward_only(), (1.0,), (1.0,))  # here


@mistake(
    errors.DerivativeError,
    "custom_vjp: the function has a backward rule only, so forward mode (jvp, jacfwd, linearize) cannot differentiate it",
    "use reverse mode (grad, vjp, jacrev), or give the function its derivative with custom_jvp, which serves both modes",
)
def jacfwd_of_custom_vjp() -> None:
    treadle.jacfwd(_backward_only())(1.0)  # here


@mistake(
    errors.TreadleError,
    "pure_callback: host callbacks have no derivative of their own",
    "wrap the function that makes the callback in custom_jvp or custom_vjp, or call stop_gradient on the callback's arguments",
)
def grad_of_a_callback() -> None:
    treadle.grad(lambda x: treadle.pure_callback(np.sin, x, x))(1.0)  # here


@mistake(
    errors.ShapeError,
    "vmap in_axes must be an int, None, or a tuple of entries corresponding to the positional arguments passed to the function, but got len(in_axes)=1, len(args)=2",
    "give one entry per positional argument: an axis, or None for an argument that all batch elements share",
)
def in_axes_for_other_arguments() -> None:
    treadle.vmap(lambda x, y: x + y, in_axes=(0,))(tnp.ones(2), tnp.ones(2))  # here


@mistake(
    errors.ShapeError,
    "vmap got inconsistent sizes for array axes to be mapped: argument x has 2 (axis 0 of f32[2]); argument y has 3 (axis 0 of f32[3])",
    "mapped axes must have one size; pass in_axes=None for arguments that all batch elements share",
)
def rows_of_other_numbers() -> None:
    treadle.vmap(lambda x, y: x + y)(tnp.ones(2), tnp.ones(3))  # here


@mistake(
    errors.ShapeError,
    "vmap was requested to map argument x along axis 1, which implies that its rank should be at least 2, but is only 1 (its type is f32[2])",
    "pass in_axes=None for arguments that all batch elements share",
)
def in_axis_that_does_not_exist() -> None:
    treadle.vmap(lambda x: x, in_axes=1)(tnp.ones(2))  # here


@mistake(
    errors.ShapeError,
    "vmap out_axes is 1, but the result with its batch elements has 1 axes",
    "choose an axis from -1 to 0",
)
def out_axis_that_does_not_exist() -> None:
    treadle.vmap(lambda x: x, out_axes=1)(tnp.ones(2))  # here


@mistake(
    errors.ShapeError,
    "vmap was requested to map argument x along axis 0, which implies that its rank should be at least 1, but is only 0 (its type is f32[]*)",
    "pass in_axes=None for arguments that all batch elements share",
)
def rows_of_a_number() -> None:
    treadle.vmap(lambda x: x)(1.0)  # here


@mistake(
    errors.ShapeError,
    "vmap of `<lambda>`: no argument is mapped, so the number of batch elements is not known",
    "give at least one argument an axis in in_axes, or pass axis_size",
)
def nothing_mapped() -> None:
    treadle.vmap(lambda x: x, in_axes=None)(tnp.ones(2))  # here


@mistake(
    errors.ShapeError,
    "at vmap out_axes, got axis spec None but output was batched on axis 0: it differs between batch elements",
    "give the result an axis in out_axes",
)
def rows_that_differ_returned_once() -> None:
    treadle.vmap(lambda x: x, out_axes=None)(tnp.ones(2))  # here


@mistake(
    errors.ArgumentError,
    "unbound axis name: 'rows' (no named axis is in scope)",
    "map the function with vmap(..., axis_name='rows'), or with shard_map over a mesh that has the axis",
)
def axis_name_out_of_scope() -> None:
    lax.psum(1.0, "rows")  # here


@mistake(
    errors.PlacementError,
    "compiling computation that requires 7 logical devices, but only 1 XLA devices are available",
    "use vmap, or start with TREADLE_NUM_CPU_DEVICES=<n> for more virtual CPU devices",
)
def more_rows_than_devices() -> None:
    treadle.pmap(lambda x: x)(tnp.ones(7))  # here


@mistake(
    errors.DonatedError,
    "Array has been deleted with shape=float32[3].",
    "use the result of the call that it was donated to, or do not donate it",
)
def donated_used_again() -> None:
    x = tnp.ones(3)
    treadle.jit(lambda x: x + 1, donate_argnums=0)(x)
    x + 1  # here


@mistake(
    errors.DonatedError,
    "an array of type f32[3] is donated to <lambda> and is another argument of the same call",
    "copy it first, or do not donate it",
)
def donated_and_passed() -> None:
    x = tnp.ones(3)
    treadle.jit(lambda x, y: (x + y, y), donate_argnums=0)(x, x)  # here


@mistake(
    errors.DonatedError,
    "Array has been deleted with shape=float32[3].",
    "use the result of the call that it was donated to, or do not donate it",
)
def deleted_used() -> None:
    x = tnp.ones(3)
    x.delete()
    np.asarray(x)  # here


@mistake(
    errors.TreadleError,
    "Unknown backend: platform `nosuch` is not known",
    "use `cpu`, `cuda`, `gpu` or `tpu`",
)
def unknown_platform() -> None:
    treadle.devices("nosuch")  # here


@mistake(
    errors.ArgumentError,
    "'a' of type <class 'str'> is not a valid treadle type",
    "pass arrays, NumPy arrays or numbers; a string that says what to do is a static argument",
)
def device_put_of_a_string() -> None:
    treadle.device_put("a")  # here


@mistake(
    errors.ShapeError,
    "callback <lambda>: result 0 has shape [2], but [3] was declared",
    "return an array of the declared shape; nothing is broadcast here",
)
def callback_with_another_shape() -> None:
    treadle.pure_callback(lambda x: np.ones(2, np.float32), tnp.ones(3), 1.0)  # here


@mistake(
    errors.ArgumentError,
    "debug.print: '{x}' asks for x, which is not given",
    'pass values by position or by name, and do not use f"..."',
)
def print_of_a_missing_field() -> None:
    treadle.debug.print("{x}", y=1.0)  # here


@mistake(
    errors.ArgumentError,
    "normal: the first argument must be a random key, got (3,) of <class 'tuple'>",
    "make one with `random.key(0)`",
)
def random_without_key() -> None:
    random.normal((3,))  # here


@mistake(
    errors.ArgumentError, "key: the seed must be an integer, got f32[]*", "pass a Python integer"
)
def seed_that_is_not_an_integer() -> None:
    random.key(1.5)  # here


@mistake(
    errors.ArgumentError,
    "uniform: the first argument must be a random key, got 0 of <class 'int'>",
    "make one with `random.key(0)`",
)
def seed_as_key() -> None:
    random.uniform(0, (2,))  # here


@mistake(
    errors.ShardingError,
    "P('rows',): the mesh has no axis 'rows'; its axes are ('x',)",
    "name one of the axes of the mesh",
)
def axis_that_the_mesh_lacks() -> None:
    treadle.sharding.NamedSharding(ONE, treadle.P("rows"))  # here


@mistake(
    errors.ShardingError,
    "P('x', 'x'): the mesh axis 'x' stands there twice, but it can divide one axis of an array only",
    "leave one of the two out",
)
def mesh_axis_for_two_axes_of_an_array() -> None:
    treadle.sharding.NamedSharding(ONE, treadle.P("x", "x"))  # here


@mistake(
    errors.ShardingError,
    "P(None, 'x') has 2 entries, but the array has only 1 axes",
    "give at most one entry for each axis of the array",
)
def specification_longer_than_the_rank() -> None:
    sharding = treadle.sharding.NamedSharding(ONE, treadle.P(None, "x"))
    treadle.device_put(np.ones(4), sharding)  # here


@mistake(
    errors.PlacementError,
    "device_put: the device has P('x',), but no mesh is in force that it could be over",
    "write it within `with treadle.set_mesh(mesh):`, or give NamedSharding(mesh, spec)",
)
def specification_without_a_mesh() -> None:
    treadle.device_put(np.ones(4), treadle.P("x"))  # here


@mistake(
    errors.PlacementError,
    "make_mesh: a mesh of shape (64, 32) takes 2048 devices, but there are 1",
    "make it smaller; for virtual CPU devices start with TREADLE_NUM_CPU_DEVICES=<n>",
)
def mesh_of_too_many_devices() -> None:
    treadle.make_mesh((64, 32), ("x", "y"))  # here


@mistake(
    errors.ArgumentError,
    "make_mesh: there are 2 axes, of sizes (1, 1), but 1 names, ('x',)",
    "give one name for each axis",
)
def mesh_axis_without_a_name() -> None:
    treadle.make_mesh((1, 1), ("x",))  # here


@mistake(
    errors.ArgumentError,
    "Mesh: 0 of <class 'int'> is not a device",
    "pass an array of treadle.devices(), or use make_mesh",
)
def mesh_of_numbers() -> None:
    treadle.sharding.Mesh([0], ("x",))  # here


@mistake(
    errors.ArgumentError,
    "create_device_mesh: there are 1 devices, but a mesh of shape (3, 5) takes 15",
    "make the product of mesh_shape the number of devices, or pass as many devices",
)
def grid_of_another_size() -> None:
    treadle.experimental.mesh_utils.create_device_mesh((3, 5))  # here
