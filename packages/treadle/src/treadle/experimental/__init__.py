"""What JAX keeps under `experimental`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors import lazy_names as _lazy_names

if TYPE_CHECKING:
    from treadle.experimental import (
        buffer_callback as buffer_callback,
        checkify as checkify,
        compute_on as compute_on,
        custom_partitioning as custom_partitioning,
        hijax as hijax,
        jet as jet,
        key_reuse as key_reuse,
        layout as layout,
        mesh_utils as mesh_utils,
        multihost_utils as multihost_utils,
        ode as ode,
        random as random,
        rnn as rnn,
        roofline as roofline,
        scheduling_groups as scheduling_groups,
        serialize_executable as serialize_executable,
        shard_map as shard_map,
        snapshots as snapshots,
        sparse as sparse,
        topologies as topologies,
        xla_metadata as xla_metadata,
    )
    from treadle.experimental.hijax.mutable import cur_qdd as cur_qdd
    from treadle_runtime import io_callback as io_callback

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle.experimental.hijax.mutable": "cur_qdd",
            "treadle_runtime": "io_callback",
        },
        (
            "buffer_callback",
            "checkify",
            "compute_on",
            "custom_partitioning",
            "hijax",
            "jet",
            "key_reuse",
            "layout",
            "mesh_utils",
            "multihost_utils",
            "ode",
            "random",
            "rnn",
            "roofline",
            "scheduling_groups",
            "serialize_executable",
            "shard_map",
            "snapshots",
            "sparse",
            "topologies",
            "xla_metadata",
        ),
    )
