"""Portable programs: export a jitted function, serialise it, run it in another process, on another platform.

exported = export.export(treadle.jit(f), platforms=["cpu", "cuda"])(x)
data = exported.serialize(vjp_order=1)
export.deserialize(data).call(x)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors import lazy_names as _lazy_names

if TYPE_CHECKING:
    from treadle.export.artefact import (
        deserialize as deserialize,
        maximum_supported_calling_convention_version as maximum_supported_calling_convention_version,
        minimum_supported_calling_convention_version as minimum_supported_calling_convention_version,
    )
    from treadle.export.checks import (
        DisabledSafetyCheck as DisabledSafetyCheck,
        default_export_platform as default_export_platform,
    )
    from treadle.export.exported import Exported as Exported
    from treadle.export.exporting import export as export
    from treadle.export.symbolic import (
        symbolic_args_specs as symbolic_args_specs,
        symbolic_shape as symbolic_shape,
    )
    from treadle.export.trees import (
        register_namedtuple_serialization as register_namedtuple_serialization,
        register_pytree_node_serialization as register_pytree_node_serialization,
    )
    from treadle_ir.core import (
        is_symbolic_dim as is_symbolic_dim,
        symbolic_dim_bounds as symbolic_dim_bounds,
    )
    from treadle_ir.symbolic import SymbolicScope as SymbolicScope

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle.export.artefact": (
                "deserialize maximum_supported_calling_convention_version "
                "minimum_supported_calling_convention_version"
            ),
            "treadle.export.checks": "DisabledSafetyCheck default_export_platform",
            "treadle.export.exported": "Exported",
            "treadle.export.exporting": "export",
            "treadle.export.symbolic": "symbolic_args_specs symbolic_shape",
            "treadle.export.trees": (
                "register_namedtuple_serialization register_pytree_node_serialization"
            ),
            "treadle_ir.core": "is_symbolic_dim symbolic_dim_bounds",
            "treadle_ir.symbolic": "SymbolicScope",
        },
    )
