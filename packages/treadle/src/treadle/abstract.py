"""Looking without running: make_jaxpr, eval_shape, typeof, xla_computation."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple, final, overload

import numpy as np

from treadle.core import ShapedArray, known_of
from treadle.jaxprs import ClosedJaxpr, Jaxpr
from treadle_compiler import lower_program, unoptimized_hlo
from treadle_ir import Array, ArrayType, Program, Sharding, Staged, Type, stage, type_of
from treadle_ir.calling import TreeFunction, array_results, type_like
from treadle_ir.core import MeshAxes, canonical_dtype, explicit_part, layout_of, unsharded
from treadle_ir.errors import functions, refused, sequence, wraps
from treadle_ir.primitives.sharding import ShardingConstraint
from treadle_ir.refs import (
    AbstractRef,
    Cell,
    Ref,
    as_body,
    discharged,
    is_reference,
    references_once,
)
from treadle_ir.settings import current_context, named_axis
from treadle_ir.sharding import result_shardings, sharding_of
from treadle_ir.tracing import (
    MESH,
    Arguments,
    Tracer,
    explicit_mesh,
    interpret_unchecked as interpret,
    naming_arguments,
    over_mesh,
    over_mesh_of,
    stage_tree,
    take_apart,
)
from treadle_ir.tree import (
    PyTreeDef,
    opened_by,
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_unflatten,
)
from treadle_runtime import (
    NamedSharding,
    ShapeDtypeStruct as ShapeDtypeStruct,
    explicit_sharding,
    places_of,
    pure_function,
    refuse_described_ref,
    shardings_of_results,
    shardings_over,
    static_numbers,
    structs_of,
)

Tree = Any  # a pytree: any Python object


def abstract_type(leaf: Any) -> ArrayType:
    """Return the type of an array, a number, or what describes one."""
    if isinstance(leaf, (ShapeDtypeStruct, ShapedArray)):
        return ArrayType(leaf.shape, canonical_dtype(leaf.dtype), leaf.weak_type)
    if isinstance(leaf, (np.ndarray, np.generic)):
        return ArrayType(leaf.shape, canonical_dtype(leaf.dtype))
    return type_of(leaf)


def staged(
    fun: Callable[..., Tree],
    args: tuple[Tree, ...],
    kwargs: dict[str, Tree],
    static: Sequence[int] = (),
) -> tuple[Staged, PyTreeDef]:
    """Return a function of pytrees as a program, and the structure of its results; its arguments may be abstract."""
    return _staged(fun, take_apart(args, kwargs, _fixed(static, args)))


def _staged(fun: Callable[..., Tree], arguments: Arguments) -> tuple[Staged, PyTreeDef]:
    """Stage `fun` for flattened `arguments`; return the program and the structure of its results."""
    function = TreeFunction(as_body(fun), arguments.rebuilt, array_results())
    for leaf in arguments.leaves:
        refuse_described_ref(leaf)
    with over_mesh_of(arguments.leaves):
        name = getattr(fun, "__name__", "the function")
        with naming_arguments("eval_shape or make_jaxpr", name, fun, arguments):
            return stage_tree(function, *_types_here(arguments.leaves))


def _fixed(static: Sequence[int], args: tuple[Tree, ...]) -> set[int]:
    """Return the positions of static arguments, counted from the first one; what is left out has its default."""
    count = len(args)
    return {i % count for i in static if -count <= i < count}


def _types_here(leaves: Sequence[Any]) -> Sequence[Type]:
    """Return the types of arguments, some only described, with their shardings over explicit axes."""
    types = [
        leaf.type if isinstance(leaf, Array) else type_like("eval_shape", leaf) for leaf in leaves
    ]
    mesh = explicit_mesh()
    if mesh is None:
        return unsharded(types)
    found: list[ArrayType] = []
    for leaf, type in zip(leaves, types, strict=True):
        given = leaf.sharding if isinstance(leaf, (ShapeDtypeStruct, ShapedArray)) else None
        if isinstance(given, NamedSharding):
            layout = layout_of(given.spec, len(leaf.shape))
            found.append(type.with_sharding(explicit_part(layout, mesh)))
        else:
            found.append(type.with_sharding(sharding_of(leaf, mesh)))
    return found


def make_jaxpr(
    fun: Callable[..., Tree],
    static_argnums: int | Sequence[int] | None = (),
    axis_env: Sequence[tuple[Hashable, int]] | None = None,
    return_shape: bool = False,
) -> Callable[..., Any]:
    """Return a function that traces `fun` on its arguments, without running it, and returns the program.

    Programs have no references. Where the function is given one, the parameter is what it holds; what the references
    hold that it closes over are the last parameters. What all of them hold in the end are the last results of the
    program, and nothing is written to the references.

    Args:
        fun: the function.
        static_argnums: positions of arguments that are not traced; those that a call leaves out have their defaults.
        axis_env: names and sizes of mapped axes that `fun` may name, as if it were called inside of them.
        return_shape: the result is `(program, shapes)`, the shapes in the structure of `fun`'s results.

    Raises:
        ArgumentError: an argument is not of its kind, or `fun` has no such positional argument.

    Example:
        >>> import treadle
        >>> import treadle.numpy as tnp
        >>> program = treadle.make_jaxpr(lambda x: tnp.sin(x) * 2)(1.0)
        >>> "sine" in str(program)
        True
    """
    functions("make_jaxpr", fun=fun)
    static = static_numbers("make_jaxpr", fun, static_argnums)
    axes = [
        _named("make_jaxpr", each)
        for each in (() if axis_env is None else sequence("make_jaxpr", "axis_env", axis_env))
    ]

    @wraps(fun)
    def traced(*args: Tree, **kwargs: Tree) -> Any:
        arguments = take_apart(args, kwargs, _fixed(static, args))
        with ExitStack() as stack:
            for name, size in axes:
                stack.enter_context(named_axis(name, size))
            call = discharged(lambda closed: _staged_with(fun, "make_jaxpr", arguments, closed))
        made = call.staged
        shardings = _result_shardings(made, call.leaves)
        pair = None if shardings is None else ([_shown_sharding(x) for x in call.leaves], shardings)
        function = ClosedJaxpr(Jaxpr.of(made.program, len(made.captured), pair), made.captured)
        if not return_shape:
            return function
        return function, call.results(structs_of(made.program.result_types, shardings))

    return traced


def _named(function: str, axis: object) -> tuple[Hashable, int]:
    """Return the name and the size of an axis."""
    match axis:
        case (Hashable() as name, int() as size) if size >= 0:
            return name, size
    raise refused(function, "each of axis_env", "a pair of a name and a size", axis)


def eval_shape(fun: Callable[..., Tree], *args: Tree, **kwargs: Tree) -> Tree:
    """Compute the shapes and dtypes of a function's results, without running it.

    Args:
        fun: the function; its results are trees of arrays.
        args: its arguments: arrays, `ShapeDtypeStruct`s, or anything else that has a `shape` and a `dtype`. A
            `ShapeDtypeStruct` with `is_ref` represents a reference. References among the arguments are not written.
        kwargs: its keyword arguments.

    Returns:
        A tree like the results, of `ShapeDtypeStruct`s; for a value of a user-defined type its type. Results that are
        `ShapeDtypeStruct`s are unchanged.

    Example:
        >>> import treadle.numpy as tnp
        >>> x = ShapeDtypeStruct((1000, 50), "float32")
        >>> eval_shape(lambda x: tnp.matmul(x.T, x), x)
        ShapeDtypeStruct(shape=(50, 50), dtype=float32)
    """
    functions("eval_shape", fun=fun)
    kept: dict[int, Any] = {}  # Any: also types of libraries' own

    @wraps(fun, updated=())
    def results(*args: Tree, **kwargs: Tree) -> Tree:
        leaves, structure = tree_flatten(fun(*args, **kwargs))
        for i, x in enumerate(leaves):
            form = opened_by(x)
            if isinstance(x, ShapeDtypeStruct):
                kept[i] = x
            elif form is not None and form.mutable:
                kept[i] = form.aval  # programs do not return such values
        return tree_unflatten(structure, [0 if i in kept else x for i, x in enumerate(leaves)])

    arguments = take_apart(args, kwargs)
    call = discharged(
        lambda closed: _staged_with(results, "eval_shape", arguments, closed), forgets=True
    )
    shardings = _result_shardings(call.staged, tree_leaves((args, kwargs)))
    found = structs_of(call.staged.program.result_types, shardings)
    return tree_map(_shown, call.results([kept.get(i, each) for i, each in enumerate(found)]))


class _Call(NamedTuple):
    """A function staged for a call; if it uses cells, the last results are what these hold in the end."""

    staged: Staged
    structure: PyTreeDef
    uses_cells: bool
    leaves: Sequence[Any]  # what the parameters stand for

    def results(self, leaves: Sequence[Any]) -> Tree:
        """Return the tree of the function's results, without what references hold in the end."""
        tree = tree_unflatten(self.structure, leaves)
        return tree[0] if self.uses_cells else tree


def _staged_with(
    fun: Callable[..., Tree], name: str, arguments: Arguments, closed: Sequence[Cell]
) -> _Call:
    """Return a function staged for arguments among which there may be references; it closes over the given cells."""
    places = _places_of_refs(arguments)
    if not places and not closed:
        return _Call(*_staged(fun, arguments), False, arguments.leaves)
    pure = pure_function(fun, name, arguments, places, closed)
    given = places_of(arguments)  # without what is only described
    references_once(
        name,
        [arguments.leaves[i] for i in given],
        lambda: [path for i, path in enumerate(arguments.paths()) if i in given],
    )

    def in_order(leaves: list[Any], closed: list[Any]) -> Tree:
        others = [leaf for i, leaf in enumerate(leaves) if i not in places]
        return pure(others, [*[leaves[i] for i in places], *closed])

    held = [
        leaf.load() if is_reference(leaf) else leaf.update(is_ref=False) if i in places else leaf
        for i, leaf in enumerate(arguments.leaves)
    ]
    call = take_apart((held, [cell.load() for cell in closed]), {})
    return _Call(*_staged(in_order, call), True, call.leaves)


def _places_of_refs(arguments: Arguments) -> tuple[int, ...]:
    """Return where references are among the leaves of a call, or what stands for them."""
    places = [
        i
        for i, leaf in enumerate(arguments.leaves)
        if is_reference(leaf) or (isinstance(leaf, ShapeDtypeStruct) and leaf.is_ref)
    ]
    return tuple(places)


def _result_shardings(made: Staged, leaves: Sequence[Any]) -> list[NamedSharding | None] | None:
    """Return the shardings of results over explicit axes of the mesh in force, or of an argument's mesh."""
    mesh = explicit_mesh()
    shown = None if mesh is None else result_shardings(made.program, mesh)
    return shardings_of_results(shown) or _over_own_mesh(made, leaves)


def _shown_sharding(leaf: Any) -> NamedSharding | None:
    """Return the sharding of an argument over explicit axes, as its type shows it; None where it shows none."""
    sharding = getattr(leaf, "sharding", None)
    mesh = getattr(sharding, "mesh", None)
    if not isinstance(sharding, NamedSharding) or not isinstance(mesh, MeshAxes):
        return explicit_sharding(leaf) if isinstance(leaf, Tracer) else None
    if not mesh.explicit_axes:
        return None
    shown = explicit_part(layout_of(sharding.spec, len(leaf.shape)), mesh.abstract_mesh)
    return shardings_over(mesh.abstract_mesh, [shown])[0]


def _over_own_mesh(made: Staged, leaves: Sequence[Any]) -> list[NamedSharding | None] | None:
    """Return the shardings of results over a mesh that is not in force but belongs to an argument or a `reshard`.

    None where there is no such mesh, or one is in force.
    """
    if current_context().get(MESH) is not None:
        return None
    own = [mesh for leaf in leaves if (mesh := _explicit_mesh_of(leaf)) is not None]
    mesh = next(iter(own), None) or _resharded_over(made.program)
    if mesh is None:
        return None
    axes = mesh.axes
    shown = result_shardings(made.program, axes)
    given = made.program.parameter_types
    # a program that was staged without shardings is staged again, with them
    if not any([type.sharding for type in (*given, *made.program.result_types)]):
        types = [
            type.with_sharding(Sharding(axes, ((),) * type.ndim))
            if isinstance(type, ArrayType)
            else type
            for type in given
        ]
        with over_mesh(mesh):
            again = stage(lambda *operands: interpret(made.program, *operands), *types)
        shown = result_shardings(again.program, axes)
    return shardings_over(mesh.abstract_mesh, shown) or None


def _explicit_mesh_of(leaf: object) -> MeshAxes | None:
    """Return the mesh whose explicit axes an argument shows."""
    asked = getattr(leaf, "__treadle_mesh__", None)
    return None if asked is None else asked()


def _resharded_over(program: Program) -> MeshAxes | None:
    """Return the first mesh with explicit axes over which a program shards an array."""
    for equation in program.equations:
        primitive = equation.primitive
        # By identity: `isinstance` of an abstract class takes a tenth of the time in which an operation is staged.
        if type(primitive) is ShardingConstraint and primitive.mesh.explicit_axes:
            return primitive.mesh
    return None


def _shown(leaf: Tree) -> Tree:
    """Return the description of a result: its type where that is a user-defined type."""
    form = opened_by(leaf)
    return leaf if form is None else form.aval


@overload
def typeof(x: Ref) -> AbstractRef: ...


@overload
def typeof(x: Tree) -> ShapedArray: ...


def typeof(x: Tree) -> ShapedArray | AbstractRef:
    """Return the type of an array: shape, element type, weakness, and sharding over explicit axes of a mesh.

    Within a shard_map the type also shows the axes over which the array varies. For a reference it is the type of the
    referenced array.

    Args:
        x: an array, a number, a reference, or a value of a user-defined type.

    Returns:
        A `ShapedArray`; for a reference an `AbstractRef`.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.sharding import PartitionSpec as P
        >>> with treadle.set_mesh(treadle.make_mesh((1,), ("rows",))):
        ...     x = treadle.reshard(tnp.ones((8, 4)), P("rows"))
        ...     treadle.typeof(x), treadle.typeof(x.sum(0))
        (ShapedArray(float32[8@rows,4]), ShapedArray(float32[4]))
        >>> def part(x, y):
        ...     print(treadle.typeof(x * y).vma, treadle.typeof(y).vma)
        ...     return x * y
        >>> mesh = treadle.make_mesh((1,), ("x",))
        >>> mapped = treadle.shard_map(part, mesh=mesh, in_specs=(P("x"), P()), out_specs=P("x"))
        >>> _ = mapped(tnp.ones(3), 2.0)
        frozenset({'x'}) frozenset()
    """
    if isinstance(x, Ref):
        return x.aval
    form = opened_by(x)
    if form is not None:
        return form.aval  # type: ignore[no-any-return]  # a type of a library's own
    return known_of(x, abstract_type(x))


@final
class XlaComputation:
    """A function's program in XLA's own terms."""

    def __init__(self, program: Program) -> None:
        self._module = lower_program(program)

    def as_hlo_text(self) -> str:
        """Return the HLO before XLA optimises it."""
        return unoptimized_hlo(self._module.text)

    def as_stablehlo_text(self) -> str:
        """Return the StableHLO that treadle wrote."""
        return self._module.text


def xla_computation(
    fun: Callable[..., Tree], static_argnums: int | Sequence[int] | None = ()
) -> Callable[..., XlaComputation]:
    """Return a function that traces `fun` and returns its program in XLA's terms, with `as_hlo_text()`.

    Example:
        >>> print(xla_computation(lambda x: 2 * x)(1.0).as_hlo_text().split(",")[0])
        HloModule main
    """
    functions("xla_computation", fun=fun)
    static = static_numbers("xla_computation", fun, static_argnums)

    @wraps(fun)
    def computed(*args: Tree, **kwargs: Tree) -> XlaComputation:
        made, _ = staged(fun, args, kwargs, static)
        return XlaComputation(made.program)

    return computed
