"""Questions about element types."""

from __future__ import annotations

from treadle_ir import DTypeError as TypePromotionError  # noqa: F401 - the name that JAX gives it
from treadle_ir.core.dtypes import (
    ExtendedDType as ExtendedDType,
    extended as extended,
    float0 as float0,
    prng_key as prng_key,
)
from treadle_ir.errors import boundaries
from treadle_numpy.numpy.dtypes import questions as _questions
from treadle_numpy.numpy.dtypes.limits import finfo as finfo, iinfo as iinfo
from treadle_numpy.numpy.dtypes.questions import (
    canonicalize_dtype as canonicalize_dtype,
    itemsize_bits as itemsize_bits,
    scalar_type_of as scalar_type_of,
)
from treadle_numpy.numpy.dtypes.types import bfloat16 as bfloat16

issubdtype = _questions.of_kind
result_type = _questions.result_type_and_weakness

boundaries(__name__)
