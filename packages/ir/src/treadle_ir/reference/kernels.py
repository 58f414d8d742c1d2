"""All kernels: importing this module registers them."""

from __future__ import annotations

from treadle_ir.reference import (
    call as call,
    collective as collective,
    compare as compare,
    composite as composite,
    contract as contract,
    control as control,
    convert as convert,
    creation as creation,
    cumulative as cumulative,
    custom_vmap as custom_vmap,
    effectful as effectful,
    elementwise as elementwise,
    foreign as foreign,
    fourier as fourier,
    implicit as implicit,
    indexing as indexing,
    linear_algebra as linear_algebra,
    linear_call as linear_call,
    memory as memory,
    metadata as metadata,
    random as random,
    reduce as reduce,
    shape as shape,
    shard_map as shard_map,
    sharding as sharding,
    sort as sort,
    window as window,
)
from treadle_ir.reference.special import rules as rules
