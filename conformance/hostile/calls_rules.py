"""Valid calls of functions with rules of their own, and of references."""

from __future__ import annotations

from typing import Any, Final

import treadle.ref
from treadle import ad_checkpoint, custom_batching, custom_derivatives, tree

NAMESPACES: Final[dict[str, Any]] = {
    "ad_checkpoint": ad_checkpoint,
    "custom_batching": custom_batching,
    "custom_derivatives": custom_derivatives,
    "ref": treadle.ref,
}
# Functions of whatever tree: what they are given is hostile, they are not.
NAMES: Final[dict[str, Any]] = {
    "doubled": lambda x: tree.map(lambda e: e + e, x),
    "halved": lambda f, y: tree.map(lambda e: e / 2, y),
    "second": lambda f, x: x,
    "itself": lambda x: x,
    "new_ref": treadle.new_ref,
    "primal": custom_derivatives.CustomVJPPrimal(1.0, True),
}
TABLE: Final = """
lax: custom_linear_solve (doubled, v, halved, halved)
lax: custom_root (doubled, 1.0, second, halved)
lax: composite (doubled, "my.doubled")
lax: platform_dependent (x, default=itself)
treadle: closure_convert (doubled, x)
treadle: fwd_and_bwd (doubled, 0)
treadle: new_ref empty_ref (x)
treadle: freeze free_ref (new_ref(x))
ref: new_ref empty_ref AbstractRef (x)
ref: freeze free_ref get (new_ref(x))
ref: set swap addupdate (new_ref(x), 0, v)
custom_derivatives: custom_jvp custom_vjp custom_gradient (doubled)
custom_derivatives: closure_convert (doubled, x)
custom_derivatives: linear_call (second, second, x, v)
custom_derivatives: zero_from_primal SymbolicZero (x)
custom_derivatives: CustomVJPPrimal (x, True)
custom_derivatives: custom_vjp_primal_tree_values (primal)
custom_batching: custom_vmap sequential_vmap (doubled)
ad_checkpoint: checkpoint (doubled)
ad_checkpoint: checkpoint_name checkpoint_name_fwd (x, "kept")
ad_checkpoint: print_saved_residuals (doubled, x)
ad_checkpoint: Offloadable ("device", "pinned_host")
"""
LEFT_OUT: Final[dict[str, str]] = dict.fromkeys(
    ["treadle.Ref", "ref.Ref", "ad_checkpoint.checkpoint_policies"],
    "not called by users: it has no constructor of its own",
)
