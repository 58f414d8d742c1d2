import numpy as np
import pytest

from treadle_ir import ArrayType, ops, stage
from treadle_ir.errors import ConcretizationError
from treadle_ir.tracing import stage_tree
from treadle_ir.tracing.arguments import Arguments, positional_names, take_apart
from treadle_ir.tracing.provenance import naming_arguments

SCALAR = ArrayType((), np.dtype("f4"))


def depends(function, count):
    with pytest.raises(ConcretizationError) as raised:
        stage(function, *[SCALAR] * count)
    return raised.value.arguments


def test_an_error_names_the_arguments_that_the_value_was_computed_from():
    assert depends(lambda x, y, z: [float(ops.add(ops.sine(z), x))], 3) == (0, 2)
    assert depends(lambda x, y: [float(y)], 2) == (1,)


def test_also_those_that_a_function_staged_inside_captures():
    def outer(x, y):
        stage(lambda z: [float(ops.add(z, ops.sine(y)))], SCALAR)
        return [x]

    assert depends(outer, 2) == (1,)


def test_what_is_computed_from_no_argument_names_none():
    assert depends(lambda x: [float(stage(lambda z: [float(z)], SCALAR))], 1) == ()


def noted(function, *args, **kwargs):
    arguments = take_apart(args, kwargs)
    with (
        pytest.raises(ConcretizationError) as raised,
        naming_arguments("jit", "f", function, arguments),
    ):
        stage_tree(
            lambda *leaves: (function(*arguments.rebuilt(leaves)[0]), None),
            *[SCALAR] * len(arguments.leaves),
        )
    return raised.value.__notes__[-1]


def test_the_note_says_which_function_and_which_of_its_arguments():
    def f(x, params):
        return [float(ops.add(params["w"], params["b"]))]

    note = noted(f, 1.0, {"w": 2.0, "b": 3.0, "c": 4.0})
    assert note.startswith("  while: tracing f, at test_provenance.py:")
    assert note.endswith("for jit; the value depends on argument params['b'], argument params['w']")


def test_the_note_names_few_of_many_and_numbers_what_has_no_name():
    def f(*x):
        total = x[0]
        for each in x[1:]:
            total = ops.add(total, each)
        return [float(total)]

    assert noted(f, *[1.0] * 5).endswith("depends on argument 0, argument 1, argument 2, ...")


def test_names_of_parameters_as_far_as_a_function_says_them():
    assert positional_names(lambda x, /, y, *rest, z=0: x) == ["x", "y"]
    assert positional_names(print) == []
    assert isinstance(take_apart((1.0,), {}), Arguments)
    assert take_apart((1.0, {"a": 2.0}), {"k": 3.0}).paths(["x"]) == [
        "argument x",
        "argument 1['a']",
        "argument k",
    ]
