"""Questions about element types."""

from __future__ import annotations

from treadle_ir import DTypeError as TypePromotionError  # noqa: F401 - JAX's name of it
from treadle_numpy.dtypes import (
    bfloat16 as bfloat16,
    canonicalize_dtype as canonicalize_dtype,
    extended as extended,
    float0 as float0,
    issubdtype as issubdtype,
    itemsize_bits as itemsize_bits,
    prng_key as prng_key,
    result_type as result_type,
    scalar_type_of as scalar_type_of,
)
