"""References among the primals of `vjp`: the cotangent of what a reference holds is held by another.

A reference has two values, before the function and after it. The reference for its cotangent holds the cotangent of
the value after the function when the derivative is called, and the cotangent of the value before it afterwards. For a
function that only reads the reference the second is the first with the gradient added to it.
"""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn, final

from treadle_autodiff.checked_tangents import same_structure
from treadle_autodiff.user_function import Tree
from treadle_autodiff.vjp_function import VJP, GradRef, accumulated
from treadle_ir import ArgumentError
from treadle_ir.errors import boundary
from treadle_ir.refs import is_reference, references_once
from treadle_ir.tree import (
    Partial,
    PyTreeDef,
    keystr,
    leaf_paths,
    register_pytree_node,
    tangent_structure,
    tree_flatten,
    tree_unflatten,
)


@boundary
@final
class ReferenceVJP:
    """What `vjp` returns for a function of references: `with_refs` gives the function of cotangents.

    Attributes:
        in_tree: the structure of the arguments, a tuple.
        out_tree: the structure of the results.
    """

    __slots__ = ("__weakref__", "_pure", "in_tree", "out_tree", "places")
    __name__: ClassVar[str] = "f_vjp"

    def __init__(
        self, pure: VJP[Any], in_tree: PyTreeDef, out_tree: PyTreeDef, places: tuple[bool, ...]
    ) -> None:
        self._pure = pure
        self.in_tree = in_tree
        self.out_tree = out_tree
        self.places = places  # for each leaf of the arguments, whether it is a reference

    def __call__(self, *out_ct: Tree) -> NoReturn:
        """Raise an error: there is nowhere to write the cotangent of what a reference holds.

        Raises:
            ArgumentError: always.
        """
        self._refuse(self.places.index(True))

    def with_refs(self, *refs: Tree) -> Partial[tuple[Tree, ...]]:
        """The function of cotangents, which reads and writes cotangents of what references hold in other references.

        `refs` are trees like the arguments, with a reference where an argument is one, and elsewhere a `Ref`, to which
        the cotangent is added, or another leaf, where it is returned.

        Raises:
            ArgumentError: an argument is a reference, but the leaf for it is none.
            StructureError: these are not like the arguments.

        Example:
            >>> import numpy as np
            >>> from treadle_ir import ops
            >>> from treadle_ir.refs import new_ref
            >>> from treadle_autodiff import vjp
            >>> ref, total = new_ref(np.float32(2.0)), new_ref(np.float32(0.0))
            >>> value, f_vjp = vjp(lambda r, x: ops.multiply(r[...], x), ref, np.float32(5.0))
            >>> f_vjp.with_refs(total, True)(np.float32(1.0))
            (GradRef(), array(2., dtype=float32))
            >>> print(total[...])
            5.0
        """
        leaves, structure = tree_flatten(refs)
        same_structure("the references of with_refs", structure, "the arguments", self.in_tree)
        for number, (is_ref, leaf) in enumerate(zip(self.places, leaves, strict=True)):
            if is_ref and not is_reference(leaf):
                self._refuse(number)
        return Partial(_pulled, self, refs)

    def _refuse(self, number: int) -> NoReturn:
        example = tree_unflatten(self.in_tree, range(self.in_tree.num_leaves))
        path = f"args{keystr(leaf_paths(example)[number])}"
        raise ArgumentError(
            f"vjp: {path} is a reference, so its cotangent has to be written to a reference, and there is none",
            fix="call f_vjp.with_refs(new_ref(zeros_like(ref[...])))(ct), with one leaf for each argument, "
            "which is True where the cotangent is to be returned",
        )

    def __repr__(self) -> str:
        return f"VJP(in_tree={self.in_tree}, out_tree={self.out_tree})"


register_pytree_node(
    ReferenceVJP,
    lambda f: ((f._pure,), (f.in_tree, f.out_tree, f.places)),
    lambda known, children: ReferenceVJP(children[0], *known),
)


def _pulled(f_vjp: ReferenceVJP, refs: tuple[Tree, ...], out_ct: Tree) -> tuple[Tree, ...]:
    """Pull a cotangent back, as the function that `ReferenceVJP.with_refs` returns."""
    targets, _ = tree_flatten(refs)
    given = [x for x, is_ref in zip(targets, f_vjp.places, strict=True) if is_ref]
    references_once("with_refs", given, lambda: [f"reference {i}" for i in range(len(given))])
    (cotangents,) = f_vjp._pure((out_ct, [x.load() for x in given]))
    found = []
    for target, is_ref, ct in zip(targets, f_vjp.places, cotangents, strict=True):
        if is_ref:
            target[...] = ct
        found.append(GradRef() if is_ref else accumulated(target, ct))
    arguments: tuple[Tree, ...] = tree_unflatten(tangent_structure(f_vjp.in_tree), found)
    return arguments
