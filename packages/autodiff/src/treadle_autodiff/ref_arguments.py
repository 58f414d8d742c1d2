"""References among the arguments and residuals of functions with derivative rules of their own.

A reference is not an operand: it has no cotangent, and what is written to it is seen at once. So it travels in the
structure of the tree, as a node without leaves, and the user's functions find the reference itself in its place.
"""

from __future__ import annotations

from typing import final

from treadle_autodiff.user_function import Tree
from treadle_ir.process import frozen
from treadle_ir.refs import Ref
from treadle_ir.tree import leaves_in_any_order, register_static, tree_map


@final
@register_static
@frozen
class _Lent:
    """A reference as a node without leaves. Equal to another of the same reference."""

    ref: Ref


def lent(tree: Tree) -> Tree:
    """Return the tree with a node instead of each reference; the tree itself if there is none.

    Example:
        >>> import numpy as np
        >>> from treadle_ir.refs import new_ref
        >>> from treadle_ir.tree import tree_leaves
        >>> tree_leaves(lent({"x": np.float32(1.0), "total": new_ref(np.float32(0.0))}))
        [np.float32(1.0)]
    """
    for leaf in leaves_in_any_order(tree):
        if isinstance(leaf, Ref):
            return tree_map(lambda x: _Lent(x) if isinstance(x, Ref) else x, tree)
    return tree


def returned(tree: Tree) -> Tree:
    """Return the tree that `lent` was given."""
    return tree_map(
        lambda x: x.ref if isinstance(x, _Lent) else x, tree, is_leaf=lambda x: isinstance(x, _Lent)
    )
