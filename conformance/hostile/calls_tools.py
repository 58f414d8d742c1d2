"""Valid calls of functions that exchange arrays, check derivatives or inspect functions, in addition to `calls.py`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

import numpy as np

import treadle.dlpack
import treadle.export
import treadle.test_util
from treadle import api_util, tree
from treadle.extend.linear_util import wrap_init

NAMESPACES: Final[dict[str, Any]] = {
    module.__name__.removeprefix("treadle."): SimpleNamespace(
        **{name: getattr(module, name) for name in module.__all__}
    )
    for module in (treadle.dlpack, treadle.export, treadle.test_util, api_util)
}

NAMES: Final[dict[str, Any]] = {
    "theirs": np.arange(3, dtype=np.float32),
    "arguments": (1.5,),
    "forward": lambda xs, dxs: (xs[0] * 3, dxs[0] * 3),
    "reverse": lambda x: (x * 3, lambda ct: (ct * 3,)),
    "thrice": lambda x: x * 3,
    "jitted": treadle.jit(lambda x: x * 3),
    "artefact": treadle.export.export(treadle.jit(lambda x: x * 3))(1.0).serialize(),
    "wrapped": wrap_init(lambda x, y: x + y),
    "positional": tree.structure((1.0, 2.0)),
    "called": tree.structure(((1.0, 2.0), {})),
}

LEFT_OUT: Final[dict[str, str]] = {
    "export.Exported": "not called by users: it has no constructor of its own",
    "export.DisabledSafetyCheck": "not called by users: its static methods make it",
    "export.default_export_platform": "it takes no argument",
    "export.register_namedtuple_serialization": "what it registers stays for ever",
    "export.register_pytree_node_serialization": "what it registers stays for ever",
}

TABLE: Final = """
tnp: from_dlpack (theirs)
dlpack: from_dlpack (theirs)
dlpack: is_supported_dtype (np.float32)
test_util: check_grads (sine, arguments, 1)
test_util: check_jvp (thrice, forward, arguments)
test_util: check_vjp (thrice, reverse, arguments)
api_util: shaped_abstractify (x)
api_util: rebase_donate_argnums ((3,), (0,))
api_util: safe_map (sine, [x])
api_util: argnums_partial (wrapped, 0, (1.0, 2.0))
api_util: debug_info ("jit", sine, (1.0,), {})
api_util: flatten_fun (wrapped, called)
api_util: flatten_fun_nokwargs (wrapped, positional)
export: export (jitted)
export: deserialize (artefact)
export: symbolic_shape ("b, _", like=(2, 3))
export: symbolic_args_specs ((1.5,), "...")
export: SymbolicScope (["b >= 2"])
export: is_symbolic_dim (3)
export: symbolic_dim_bounds (3)
api_util: donation_vector ((0,), (), called)
api_util: flatten_axes ("in_axes", structure, 0)
method: byteswap clone (x)
method: choose (i, [v, w, v])
method: __buffer__ (x, 0)
"""
