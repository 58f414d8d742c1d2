"""Functions under a name that compilers may know."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numpy as np

from treadle_ir import ArgumentError, bind
from treadle_ir.calling import TreeFunction, array_results
from treadle_ir.errors import functions, integer, shown, wraps
from treadle_ir.primitives.composite import Composite, Setting
from treadle_ir.tracing import interned, stage_tree
from treadle_ir.tree import tree_unflatten
from treadle_numpy.lax.control.staging import flatten_operands
from treadle_numpy.operands.coerce import operand_type
from treadle_numpy.operands.trees import Tree

__all__ = ["composite"]

P = ParamSpec("P")
R = TypeVar("R")


def composite(decomposition: Callable[P, R], name: str, version: int = 0) -> Callable[P, R]:
    """Return a function as one operation with a name, which a compiler may have its own implementation of.

    Compilers that do not know the name run the function, which `decomposition` says in other operations; so do
    derivatives and `vmap`, which make other functions of it.

    Args:
        decomposition: a function of trees of arrays. Keyword arguments of it are settings: booleans, integers, floats
            or strings, which are handed to the compiler by name.
        name: the operation's name, with a namespace: `my_project.my_op`.
        version: its version, not negative.

    Raises:
        ArgumentError: by the call: an argument is not a tree of arrays, a setting is something else, or the name has no
            namespace.

    Example:
        >>> import numpy as np
        >>> from treadle_numpy import lax, numpy as tnp
        >>> tangent = lax.composite(lambda x: tnp.sin(x) / tnp.cos(x), "my_project.tangent")
        >>> print(tangent(np.float32(0.0)))
        0.0
    """
    functions("composite", decomposition=decomposition)
    if not isinstance(name, str):
        raise ArgumentError(f"composite: the name is {shown(name)}, but must be a string")
    number = integer("composite", "version", version)

    @wraps(decomposition)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        settings = tuple([(key, _setting(key, value)) for key, value in sorted(kwargs.items())])
        leaves, structure = flatten_operands("composite", "argument ", args)

        def arguments(operands: Tree) -> tuple[Tree, dict[str, Tree]]:
            return tree_unflatten(structure, operands), dict(kwargs)

        function = TreeFunction(decomposition, arguments, array_results("composite: result "))
        staged, out = stage_tree(function, *[operand_type(leaf).unsharded for leaf in leaves])
        primitive = Composite(interned(decomposition, staged.program), name, number, settings)
        result: R = tree_unflatten(out, bind(primitive, *staged.captured, *leaves))
        return result

    return called


def _setting(name: str, value: object) -> Setting:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**63:
        raise ArgumentError(
            f"composite: the setting {name} is {value}, which has more than 64 bits"
        )
    if not isinstance(value, (bool, int, float, str)) or not name.isidentifier():
        raise ArgumentError(
            f"composite: the setting {name} is {shown(value)}, but must be a boolean, an integer, a float or a string",
            fix="pass arrays as positional arguments; close over other values",
        )
    return value
