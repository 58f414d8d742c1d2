"""`buffer_callback`: Python functions that write their results into the memory where they are wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

from treadle_ir import ArrayType, bind, type_of
from treadle_ir.calling import as_array, flatten_arrays
from treadle_ir.errors import flags, functions
from treadle_ir.primitives.effectful import HostFunction, VmapMethod
from treadle_ir.primitives.foreign import AxisOrder, BufferCallback
from treadle_ir.process import frozen
from treadle_ir.tree import PyTreeDef, tree_flatten
from treadle_runtime.host.foreign import checked_aliases, declared_result
from treadle_runtime.host.validated import check_vmap_method


@final
@frozen
class _OnTrees:
    """A user's function of a context, results and arguments in trees, as one of buffers."""

    function: Callable[..., object]
    arguments: PyTreeDef
    results: PyTreeDef

    @property
    def __name__(self) -> str:
        name: str = getattr(self.function, "__name__", type(self.function).__name__)
        return name

    def __call__(self, context: Any, *buffers: Any) -> None:
        count = self.arguments.num_leaves
        args = self.arguments.unflatten(buffers[:count])
        self.function(context, self.results.unflatten(buffers[count:]), *args)


def buffer_callback(
    callback: Callable[..., None],
    result_shape_dtypes: object,
    *,
    has_side_effect: bool = False,
    vmap_method: VmapMethod | None = None,
    input_output_aliases: Mapping[int, int] | None = None,
    command_buffer_compatible: bool = False,
) -> Callable[..., Any]:
    """Return a function of arrays that calls `callback(context, out, *args)`, which writes its results into `out`.

    `out` is a tree like `result_shape_dtypes`, and `args` are the arguments; all leaves are buffers. `numpy.asarray`
    makes views of them on the CPU, and other libraries do by DLPack; nothing is copied. The buffers of `out` can be
    written to. Buffers must not be used once the callback has returned. The function has no derivative of its own: see
    custom_jvp.

    Args:
        callback: the Python function, which returns nothing.
        result_shape_dtypes: a tree of things with `shape` and `dtype`.
        has_side_effect: the callback does more than write its results, so it is called also if they are not used.
        vmap_method: how vmap runs it, as for `pure_callback`.
        input_output_aliases: which arguments' memory becomes which results', counted over the leaves.
        command_buffer_compatible: on GPUs, call it once and replay the work that it has started.

    Raises:
        ArgumentError: an option is not of its kind, or results are not declared.

    Example:
        >>> import numpy as np
        >>> import treadle
        >>> from treadle.experimental.buffer_callback import buffer_callback
        >>> def add_one(context, out, x):
        ...     np.add(x, 1, out=np.asarray(out))
        >>> x = treadle.numpy.arange(3)
        >>> print(treadle.jit(buffer_callback(add_one, x))(x))
        [1 2 3]
    """
    functions("buffer_callback", callback=callback)
    check_vmap_method("buffer_callback", vmap_method)
    flags(
        "buffer_callback",
        has_side_effect=has_side_effect,
        command_buffer_compatible=command_buffer_compatible,
    )
    leaves, structure = tree_flatten(result_shape_dtypes)
    types = tuple([declared_result("buffer_callback", each) for each in leaves])

    def called(*args: Any) -> Any:  # Any: trees of arrays
        given, arguments = flatten_arrays(args, "buffer_callback: argument ")
        operands = [as_array(each) for each in given]
        aliases = checked_aliases(
            "buffer_callback", input_output_aliases, len(operands), len(types)
        )
        call = BufferCallback(
            HostFunction(_OnTrees(callback, arguments, structure), types),
            types,
            _in_c_order([type_of(each) for each in operands]),
            _in_c_order(types),
            bool(has_side_effect),
            vmap_method,
            aliases,
            bool(command_buffer_compatible),
        )
        return structure.unflatten([as_array(each) for each in bind(call, *operands)])

    return called


def _in_c_order(types: Sequence[ArrayType]) -> tuple[AxisOrder, ...]:
    return tuple([tuple(range(type.ndim)) for type in types])
