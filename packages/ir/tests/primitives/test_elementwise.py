"""Elementwise operations are made of rows: what is made is what a class and a function written out would be."""

from __future__ import annotations

import ast
import inspect
import pickle
import typing
from pathlib import Path

import numpy as np
import pytest

from treadle_ir import Array, ArrayType, Operand, find_primitive, ops, parse_program, stage
from treadle_ir.core.primitive import Attributeless
from treadle_ir.primitives import elementwise as e
from treadle_ir.primitives.elementwise import Op, Unary
from treadle_ir.primitives.elementwise.operations import declare

ROWS = pytest.mark.parametrize(
    ("primitive", "row"), e.OPERATIONS.items(), ids=[row.name for row in e.OPERATIONS.values()]
)
# Where programs that were pickled earlier look for the classes.
HOMES = {
    "arithmetic": "Abs Add Cbrt Divide Maximum Minimum Multiply Negate NextAfter Power Remainder Rsqrt Sign Sqrt "
    "Square Subtract",
    "bits": "And CountLeadingZeros GreatestCommonDivisor Not Or Popcnt ShiftLeft ShiftRightArithmetic "
    "ShiftRightLogical Xor",
    "complex_numbers": "Complex Conjugate Imag Real",
    "exponentials": "Digamma Erf ErfInv Erfc Exponential Exponential2 ExponentialMinusOne Lgamma Log LogPlusOne "
    "Logistic",
    "rounding": "Ceil Floor IsFinite RoundNearestAfz RoundNearestEven",
    "special": "BesselI0e BesselI1e CosineIntegral Dawson ErfcInv Erfcx Expi Expn FresnelCosine FresnelSine Hyp1f1 "
    "Hyp2f1 Igamma IgammaGradA Igammac OwensT Polygamma RandomGammaGrad RegularizedIncompleteBeta SineIntegral Spence "
    "Zeta",
    "trigonometry": "Acos Acosh Asin Asinh Atan Atan2 Atanh Cosh Cosine Sine Sinh Tan Tanh",
}


@ROWS
def test_a_row_makes_a_class_like_one_that_is_written_out(primitive, row):
    assert primitive.__doc__ == row.doc
    assert primitive.__bases__ == (Attributeless, row.family)
    assert (primitive.name, primitive.kinds) == (row.name, row.kinds)
    assert primitive.__final__
    assert not hasattr(primitive(), "__dict__")
    assert primitive() is primitive()
    assert repr(primitive()) == f"{primitive.__qualname__}()"
    assert getattr(e, primitive.__name__) is primitive
    assert find_primitive(row.name) is primitive


@ROWS
def test_a_row_makes_a_function_like_one_that_is_written_out(primitive, row):
    function = getattr(ops, row.function_name)
    assert function.__doc__ == row.doc
    assert function.__module__ == primitive.__module__
    assert function.__name__ == function.__qualname__ == function.__code__.co_name
    assert pickle.loads(pickle.dumps(function)) is function
    assert tuple(inspect.signature(function).parameters) == row.parameters
    hints = typing.get_type_hints(function)
    assert hints == {**dict.fromkeys(row.parameters, Operand), "return": Array}
    dtype = {"b": np.bool_, "i": np.int32, "f": np.float32, "c": np.complex64}[row.kinds[0]]
    types = [ArrayType((2,), np.dtype(dtype))] * len(row.parameters)
    named = stage(
        lambda *xs: [function(**dict(zip(row.parameters, xs, strict=True)))], *types
    ).program
    (equation,) = named.equations
    assert equation.primitive is primitive()
    assert list(equation.operands) == list(named.parameters)
    assert str(parse_program(str(named))) == str(named)


def test_classes_are_where_earlier_pickles_look_for_them():
    found = {
        f"treadle_ir.primitives.elementwise.{module} {name}"
        for module, names in HOMES.items()
        for name in names.split()
    }
    assert {f"{cls.__module__} {cls.__qualname__}" for cls in e.OPERATIONS} >= found
    for each in found:
        module, _, name = each.partition(" ")
        earlier = (
            f"c{module}\n{name}\n)R.".encode()
        )  # class, no arguments, call: as `pickle` writes it
        assert pickle.loads(earlier) is getattr(e, name)()


def test_a_pattern_matches_the_class():
    match e.Cbrt():
        case e.Sqrt():
            found = "sqrt"
        case e.Cbrt():
            found = "cbrt"
    assert found == "cbrt"


def test_the_stub_shows_what_the_package_has():
    """Type checkers see classes with their bases, and functions with their parameters."""
    stub = ast.parse((Path(e.__file__).with_suffix(".pyi")).read_text())
    classes = {
        node.name: [ast.unparse(base) for base in node.bases]
        for node in stub.body
        if isinstance(node, ast.ClassDef)
    }
    assert classes == {
        cls.__name__: [base.__name__ for base in cls.__bases__] for cls in e.OPERATIONS
    }
    functions = {
        node.name: tuple(each.arg for each in node.args.args)
        for node in stub.body
        if isinstance(node, ast.FunctionDef)
    }
    assert functions == {row.function_name: row.parameters for row in e.OPERATIONS.values()}
    imported = {
        alias.asname
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    assert all(hasattr(e, name) for name in imported)
    assert {*e.__all__} - {*functions} == {"integer_power", "formula_derivative"} <= imported


def test_a_name_is_declared_once():
    with pytest.raises(ValueError, match="a primitive named `cbrt` is registered already"):
        declare(e.families.__name__, Op("cbrt", Unary, "f", "Another one."))
