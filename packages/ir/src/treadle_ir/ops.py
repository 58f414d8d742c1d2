"""The functional spelling of the primitives: `ops.multiply(x, y)`, exact types, no promotion.

What treadle_numpy builds on, and what rules are written in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors.lazily import lazy_names as _lazy_names
from treadle_ir.primitives.call import (
    checkpoint_name as checkpoint_name,
    optimization_barrier as optimization_barrier,
    stop_gradient as stop_gradient,
)
from treadle_ir.primitives.compare import clamp as clamp, compare as compare, select as select
from treadle_ir.primitives.contract import (
    convolution as convolution,
    dot_general as dot_general,
)
from treadle_ir.primitives.convert import (
    bitcast_convert as bitcast_convert,
    convert as convert,
    copy as copy,
    reduce_precision as reduce_precision,
)
from treadle_ir.primitives.creation import dimension_size as dimension_size, iota as iota
from treadle_ir.primitives.elementwise import *  # noqa: F403 - the functions of its rows
from treadle_ir.primitives.indexing import (
    dynamic_slice as dynamic_slice,
    dynamic_update_slice as dynamic_update_slice,
    gather as gather,
    scatter as scatter,
    scatter_add as scatter_add,
    scatter_maximum as scatter_maximum,
    scatter_minimum as scatter_minimum,
    scatter_multiply as scatter_multiply,
)
from treadle_ir.primitives.reduce import (
    argmax as argmax,
    argmin as argmin,
    reduce_add as reduce_add,
    reduce_and as reduce_and,
    reduce_maximum as reduce_maximum,
    reduce_minimum as reduce_minimum,
    reduce_multiply as reduce_multiply,
    reduce_or as reduce_or,
    reduce_xor as reduce_xor,
)
from treadle_ir.primitives.shape import (
    broadcast_in_dim as broadcast_in_dim,
    concatenate as concatenate,
    pad as pad,
    reshape as reshape,
    reverse as reverse,
    slice as slice,
    transpose as transpose,
)

if TYPE_CHECKING:
    from treadle_ir.primitives.collective import (
        all_gather as all_gather,
        all_reduce as all_reduce,
        all_to_all as all_to_all,
        axis_index as axis_index,
        axis_size as axis_size,
        permute as permute,
        pvary as pvary,
        reduce_scatter as reduce_scatter,
    )
    from treadle_ir.primitives.composite import platform_index as platform_index
    from treadle_ir.primitives.cumulative import (
        cumulative_add as cumulative_add,
        cumulative_logsumexp as cumulative_logsumexp,
        cumulative_maximum as cumulative_maximum,
        cumulative_minimum as cumulative_minimum,
        cumulative_multiply as cumulative_multiply,
    )
    from treadle_ir.primitives.fourier import fft as fft
    from treadle_ir.primitives.linear_algebra import (
        cholesky as cholesky,
        eig as eig,
        eigh as eigh,
        eigvalsh as eigvalsh,
        hessenberg as hessenberg,
        householder_multiply as householder_multiply,
        householder_product as householder_product,
        lu as lu,
        lu_pivots_to_permutation as lu_pivots_to_permutation,
        qr as qr,
        qr_reflections as qr_reflections,
        schur as schur,
        svd as svd,
        triangular_solve as triangular_solve,
        tridiagonal as tridiagonal,
        tridiagonal_solve as tridiagonal_solve,
    )
    from treadle_ir.primitives.memory import (
        layout_constraint as layout_constraint,
        to_memory as to_memory,
    )
    from treadle_ir.primitives.random import (
        random_bits as random_bits,
        random_fold_in as random_fold_in,
        random_split as random_split,
        random_unwrap as random_unwrap,
        random_wrap as random_wrap,
        threefry2x32 as threefry2x32,
    )
    from treadle_ir.primitives.sharding import (
        inspect_sharding as inspect_sharding,
        sharding_constraint as sharding_constraint,
    )
    from treadle_ir.primitives.sort import (
        sort as sort,
        top_k as top_k,
    )
    from treadle_ir.primitives.window import (
        reduce_window_add as reduce_window_add,
        reduce_window_maximum as reduce_window_maximum,
        reduce_window_minimum as reduce_window_minimum,
        select_and_gather_add as select_and_gather_add,
        select_and_scatter_add as select_and_scatter_add,
    )

# Names in NumPy and other libraries of operations that have different names here, for messages.
_OTHER_NAMES = {
    "bitwise_and": "and_", "bitwise_not": "not_", "bitwise_or": "or_", "bitwise_xor": "xor",
    "conj": "conjugate", "convert_element_type": "convert", "cos": "cosine", "cumsum": "cumulative_add",
    "cumprod": "cumulative_multiply", "cummax": "cumulative_maximum", "cummin": "cumulative_minimum",
    "div": "divide", "exp": "exponential", "exp2": "exponential2", "expm1": "exponential_minus_one",
    "integer_pow": "integer_power", "log1p": "log_plus_one", "max": "reduce_maximum", "min": "reduce_minimum",
    "mul": "multiply", "neg": "negate", "nextafter": "next_after", "pow": "power", "prod": "reduce_multiply",
    "rem": "remainder", "rev": "reverse", "round": "round_nearest_even", "sin": "sine", "sub": "subtract",
    "sum": "reduce_add", "where": "select",
}  # fmt: skip

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_ir.primitives.collective": (
                "all_gather all_reduce all_to_all axis_index axis_size permute pvary reduce_scatter"
            ),
            "treadle_ir.primitives.composite": "platform_index",
            "treadle_ir.primitives.cumulative": (
                "cumulative_add cumulative_logsumexp cumulative_maximum cumulative_minimum "
                "cumulative_multiply"
            ),
            "treadle_ir.primitives.fourier": "fft",
            "treadle_ir.primitives.linear_algebra": (
                "cholesky eig eigh eigvalsh hessenberg householder_multiply householder_product lu "
                "lu_pivots_to_permutation qr qr_reflections schur svd triangular_solve tridiagonal "
                "tridiagonal_solve"
            ),
            "treadle_ir.primitives.memory": "layout_constraint to_memory",
            "treadle_ir.primitives.random": (
                "random_bits random_fold_in random_split random_unwrap random_wrap threefry2x32"
            ),
            "treadle_ir.primitives.sharding": "inspect_sharding sharding_constraint",
            "treadle_ir.primitives.sort": "sort top_k",
            "treadle_ir.primitives.window": (
                "reduce_window_add reduce_window_maximum reduce_window_minimum "
                "select_and_gather_add select_and_scatter_add"
            ),
        },
        own=True,
    )
