"""scan: a value carried over the leading axis of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, final, overload

from treadle_ir import ArgumentError, Array, ArrayType, Operand, bind
from treadle_ir.errors import flags, functions, wraps
from treadle_ir.primitives.control import Scan
from treadle_ir.process import frozen
from treadle_ir.refs import (
    Cell,
    discharged,
    holding,
    is_reference,
    lending,
    new_cell,
    references_once,
    store,
)
from treadle_ir.tracing import over_mesh_of
from treadle_ir.tree import (
    PyTreeDef,
    flatten_leaves_and_structure,
    tree_unflatten,
    treedef_tuple,
)
from treadle_numpy.lax.control.carries import settled
from treadle_numpy.lax.control.plain import plain_scan, plainly
from treadle_numpy.lax.control.staging import Body, flatten_operands, paths_of, stage_body
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.shapes import as_index
from treadle_numpy.operands.trees import Container, Tree

__all__ = ["scan"]

Carry = TypeVar("Carry")
Element = TypeVar("Element")
Output = TypeVar("Output")


def _carry_and_y(result: Tree) -> tuple[Tree, ...]:
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        what = "an array" if isinstance(result, Array) else f"a {type(result).__name__}"
        if isinstance(result, (tuple, list)):
            what += f" of {len(result)}"
        raise ArgumentError(
            f"scan: the body must return a pair (carry, y), but it returns {what}",
            fix="return `carry, None` where there is nothing to stack",
        )
    return tuple(result)


@overload
def scan(
    f: Callable[[Array, Array], tuple[ArrayLike, Output]],
    init: ArrayLike,
    xs: Operand,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
    _split_transpose: bool = False,
) -> tuple[Array, Output]: ...
@overload
def scan(
    f: Callable[[Array, Tree], tuple[ArrayLike, Output]],
    init: ArrayLike,
    xs: Container | None = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
    _split_transpose: bool = False,
) -> tuple[Array, Output]: ...
@overload
def scan(
    f: Callable[[Array, Element], tuple[ArrayLike, Output]],
    init: ArrayLike,
    xs: Element,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
    _split_transpose: bool = False,
) -> tuple[Array, Output]: ...
@overload
def scan(
    f: Callable[[Tree, Tree], tuple[Carry, Output]],
    init: Container,
    xs: Tree = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
    _split_transpose: bool = False,
) -> tuple[Carry, Output]: ...
@overload
def scan(
    f: Callable[[Carry, Array], tuple[Carry, Output]],
    init: Carry,
    xs: Operand,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
    _split_transpose: bool = False,
) -> tuple[Carry, Output]: ...
@overload
def scan(
    f: Callable[[Carry, Tree], tuple[Carry, Output]],
    init: Carry,
    xs: Container | None = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
    _split_transpose: bool = False,
) -> tuple[Carry, Output]: ...
@overload
def scan(
    f: Callable[[Carry, Element], tuple[Carry, Output]],
    init: Carry,
    xs: Element,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
    _split_transpose: bool = False,
) -> tuple[Carry, Output]: ...
def scan(
    f: Callable[[Tree, Tree], tuple[Tree, Tree]],
    init: Tree,
    xs: Tree = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
    _split_transpose: bool = False,
) -> tuple[Tree, Tree]:
    """Loop over the leading axis of arrays with a carry: `carry, y = f(carry, x)` for each `x`; stack the ys.

    Args:
        f: takes the carry and one element of each array in `xs`, returns the next carry and a `y`.
        init: the first carry, a pytree. The carry keeps its structure, shapes and element types.
        xs: a pytree of arrays with one leading size; None needs `length`.
        length: the number of iterations; by default the leading size of `xs`.
        reverse: go from the last element to the first; ys are stacked in the order of the xs either way.
        unroll: how many iterations the body of the compiled loop holds; True for all. 0 and False are 1.

    Returns:
        The last carry, and the ys with a leading axis.

    Shapes:
        xs: [length, ...] for each leaf; `f` receives the leaves without the leading axis
        ys: [length, ...] for each leaf of `y`
        carry: the structure, shapes and dtypes of `init`

    Raises:
        ArgumentError: `xs` have no leading axis, or leading sizes differ; StructureError, ShapeError, DTypeError:
            `f` returns a carry that does not match its argument.

    Example:
        >>> import numpy as np
        >>> total, sums = scan(lambda c, x: (c + x, c + x), np.float32(0), np.arange(4, dtype=np.float32))
        >>> print(total, sums)
        6.0 [0. 1. 3. 6.]
    """
    flags("scan", reverse=reverse)
    functions("scan", f=f)
    if not callable(f):
        raise ArgumentError(
            f"scan: the first argument must be a function, but it is {type(f).__name__}"
        )
    leaves, structure = flatten_operands("scan", "init", init)
    try:
        elements, xs_structure = flatten_operands("scan", "xs", xs)
    except ArgumentError:
        parts = References.among("scan", xs)
        if parts is None:
            raise
        return parts.scan(
            lambda inner, values: scan(inner, init, values, length, reverse, unroll), f
        )
    count = length_of("scan", elements, xs_structure, length)
    return scan_flat(
        "scan", f, leaves, structure, elements, (xs_structure,), count, reverse, unroll, f
    )


@final
@frozen(eq=False)
class References:
    """Arrays to scan over, some of which are in references: these are written element by element.

    In each iteration an element of such an array is in a reference of its own. What these hold in the end is stacked,
    and written to the references after the loop.
    """

    name: str
    leaves: Sequence[Tree]
    structure: PyTreeDef

    @classmethod
    def among(cls, name: str, xs: Tree) -> References | None:
        """Flatten the arrays to scan over; return None where none is in a reference."""
        leaves, structure = flatten_leaves_and_structure(xs)
        return cls(name, leaves, structure) if any(map(is_reference, leaves)) else None

    def scan(
        self,
        scan: Callable[[Callable[..., Tree], Tree], tuple[Tree, Tree]],
        function: Callable[..., Tree],
    ) -> tuple[Tree, Tree]:
        """Scan `function` over the arrays in the references; write their elements back after the loop.

        `scan` scans another function over arrays, which are passed as a list.
        """
        places = [i for i, leaf in enumerate(self.leaves) if is_reference(leaf)]
        given = [self.leaves[i] for i in places]
        paths = paths_of(self.structure)
        cells = references_once(self.name, given, lambda: [f"xs{paths[i]}" for i in places])

        @wraps(function)
        def body(carry: Tree, elements: list[Tree]) -> tuple[Tree, Tree]:
            own = [new_cell(elements[i]) for i in places]
            for i, cell in zip(places, own, strict=True):
                elements[i] = cell
            carry, y = _carry_and_y(function(carry, tree_unflatten(self.structure, elements)))
            return carry, (y, [cell.load() for cell in own])

        values = [x.load() if is_reference(x) else x for x in self.leaves]
        with lending(cells):
            carry, (ys, after) = scan(body, values)
        store(given, after)
        return carry, ys


def length_of(
    name: str, elements: Sequence[Operand], structure: PyTreeDef, length: int | None
) -> int:
    """Return the number of iterations: the leading size of all xs, or the given length."""
    shapes = [x.shape for x in elements]
    for path, shape in zip(paths_of(structure), shapes, strict=True):
        if not shape:
            raise ArgumentError(
                f"{name}: xs{path} is a scalar, which has no leading axis to scan over",
                fix="pass what is the same in each iteration by closing over it",
            )
    if length is not None:
        length = as_index(name, "`length`", length)
    sizes = {shape[0] for shape in shapes} | ({length} if length is not None else set())
    if not sizes:
        raise ArgumentError(
            f"{name}: without arrays in `xs` the number of iterations is not known",
            fix="pass `length`",
        )
    if len(sizes) > 1:
        paths = paths_of(structure)
        each = [f"xs{path} has {shape[0]}" for path, shape in zip(paths, shapes, strict=True)]
        if length is not None:
            each.insert(0, f"length is {length}")
        raise ArgumentError(
            f"{name}: leading sizes must be equal, but {', '.join(each[:20])}",
            fix="give all arrays in `xs` the same leading size, which is the length",
        )
    count = sizes.pop()
    if count < 0:
        raise ArgumentError(f"{name}: length must not be negative, got {count}")
    return count


def scan_flat(
    name: str,
    function: Callable[..., Tree],
    carry: list[Operand],
    structure: PyTreeDef,
    elements: list[Operand],
    element_structures: Sequence[PyTreeDef],
    length: int,
    reverse: bool,
    unroll: int | bool | None,
    written: object,
) -> tuple[Tree, Tree]:
    """Apply `scan` to flattened carries and elements: return the last carry, and the stacked ys."""
    in_a_row = _unroll(name, unroll, length)
    if plainly():
        done = plain_scan(
            lambda *trees: _carry_and_y(function(*trees)),
            *(carry, structure, elements, element_structures, length, reverse),
        )
        if done is not None:
            return done

    def run(refs: tuple[Cell, ...]) -> tuple[Tree, Tree]:
        function_of, leaves, both = carrying(refs, function, carry, structure)

        def stage_with(types: Sequence[ArrayType]) -> Body:
            return stage_body(
                f"the body of {name}",
                function_of,
                (both, *element_structures),
                [*types],
                _carry_and_y,
                written,
            )

        leaves, body = settled(name, leaves, both, "the body", stage_with, elements)
        loop = Scan(body.program, length, len(body.captured), len(leaves), bool(reverse), in_a_row)
        results = bind(loop, *body.captured, *leaves, *elements)
        after, ys = results[: len(leaves)], results[len(leaves) :]
        return carried(refs, tree_unflatten(both, after)), tree_unflatten(body.structures[1], ys)

    with over_mesh_of([*carry, *elements]):
        return discharged(run, forgets=True)


def carrying(
    refs: tuple[Cell, ...],
    function: Callable[..., Tree],
    carry: list[Operand],
    structure: PyTreeDef,
) -> tuple[Callable[..., Tree], list[Operand], PyTreeDef]:
    """Return the body of a scan with refs among its carries, the first carries, and their structure."""
    if not refs:
        return function, carry, structure
    values, of_values = flatten_operands("refs", "", [ref.load() for ref in refs])

    def with_refs(pair: tuple[Tree, list[Tree]], *elements: Tree) -> tuple[Tree, Tree]:
        with holding(refs, pair[1]) as held:
            after, y = _carry_and_y(function(pair[0], *elements))
            return (after, held()), y

    return with_refs, [*carry, *values], treedef_tuple((structure, of_values))


def carried(refs: tuple[Cell, ...], after: Tree) -> Tree:
    """Return the carry without what refs hold after the loop, which is written to them."""
    if not refs:
        return after
    carry, values = after
    store(refs, values)
    return carry


def _unroll(name: str, unroll: int | bool | None, length: int) -> int:
    if unroll is None or unroll is False:
        return 1
    if unroll is True:
        return max(length, 1)
    count = as_index(name, "`unroll`", unroll)
    if count < 0:
        raise ArgumentError(
            f"{name}: `unroll` must be a bool or a non-negative integer, got {count}",
            fix="leave `unroll` out, or pass how many iterations the body of the compiled loop holds",
        )
    return max(count, 1)  # 0 is accepted and unrolls nothing
