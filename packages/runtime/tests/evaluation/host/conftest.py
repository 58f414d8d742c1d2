"""Special functions of a few elements, by the kernel of the runtime."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArrayType
from treadle_ir.core import inferred
from treadle_ir.primitives import elementwise
from treadle_runtime.evaluation.host import numpy_kernel

CLASSES = {getattr(each, "name", ""): each for each in vars(elementwise).values()}


@pytest.fixture
def quickly() -> Callable[..., np.ndarray[Any, Any]]:
    """A function by its name on NumPy arrays, by the kernel that stands in for the rule."""

    def compute(name: str, *operands: Any) -> np.ndarray[Any, Any]:
        primitive, arrays = CLASSES[name](), [np.asarray(x) for x in operands]
        types = tuple([ArrayType(x.shape, x.dtype) for x in arrays])
        (result,), _ = inferred(primitive, types)
        assert isinstance(result, ArrayType)
        kernel = numpy_kernel(primitive, types, result)
        assert kernel is not None, "the rule would have to compute it"
        with np.errstate(all="ignore"):
            found = np.asarray(kernel(*arrays))
        assert (found.shape, found.dtype) == (result.shape, result.dtype)
        return found

    return compute
