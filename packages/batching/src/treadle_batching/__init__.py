"""treadle-batching: vectorisation of functions and programs over an axis."""

from __future__ import annotations

from treadle_batching._version import __version__ as __version__
from treadle_batching.axis import Axis as Axis, Dim as Dim
from treadle_batching.batch import (
    BatchTrace as BatchTrace,
    BatchTracer as BatchTracer,
    batch_flat as batch_flat,
    map_rows as map_rows,
)
from treadle_batching.custom_vmap import (
    custom_vmap as custom_vmap,
    sequential_vmap as sequential_vmap,
)
from treadle_batching.moving import with_dim as with_dim
from treadle_batching.registry import (
    BatchRule as BatchRule,
    batch_rule as batch_rule,
    batch_rules as batch_rules,
)
from treadle_batching.vmap import vmap as vmap
from treadle_batching.vmappable import (
    is_vmappable as is_vmappable,
    register_vmappable as register_vmappable,
    unregister_vmappable as unregister_vmappable,
)
from treadle_ir.errors import source as _source

_source.internal(__path__[0])
