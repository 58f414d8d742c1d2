"""Kernels that are called without their rule give what the rule gives, to the last bit."""

from __future__ import annotations

import numpy as np

from treadle_ir.inference import inferred
from treadle_ir.reference import bare_kernel
from treadle_ir.reference.registry import eval_rules
from treadle_ir.testing.examples import all_examples
from treadle_ir.types import ArrayType


def test_the_same_as_the_rule() -> None:
    compared = set()
    for example in all_examples():
        primitive = example.primitive
        results, _ = inferred(primitive, example.types)
        if len(results) != 1 or not isinstance(results[0], ArrayType):
            continue
        kernel = bare_kernel(primitive, example.types, results[0])
        if kernel is None:
            continue
        operands = [np.asarray(x) for x in example.operands()]
        with np.errstate(all="ignore"):
            found = np.asarray(kernel(*operands))
            (expected,) = eval_rules[primitive](primitive, *operands)
        assert (found.shape, found.dtype) == (results[0].shape, results[0].dtype), primitive
        expected = np.asarray(expected)
        np.testing.assert_array_equal(found, expected, err_msg=str(primitive))
        if found.dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
        compared.add(type(primitive))
    assert len(compared) > 50
