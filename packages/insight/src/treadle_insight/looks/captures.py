"""Arrays that a function captured from around it, which are constants of its program."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import Parameter, signature
from types import FunctionType
from typing import Final

from treadle_insight.finding import Cost, Finding, bytes_text
from treadle_insight.kinds import Kind
from treadle_insight.place import Place
from treadle_insight.subject import NAMELESS, Subject
from treadle_ir import Equation, Program, Value
from treadle_ir.errors import is_internal

KINDS: Final = (
    Kind(
        "capture.large",
        "A function refers to a large array that is not an argument: it stays in memory as long as the program, and "
        "a changed array means another trace.",
        topic="",
        wrong="""\
import treadle
import treadle.numpy as tnp

weights = tnp.ones((1500, 1500))

def predict(x):
    return x @ weights

report = treadle.explain(predict)(tnp.ones(1500))
""",
        right="""\
import treadle
import treadle.numpy as tnp

weights = tnp.ones((1500, 1500))

def predict(weights, x):
    return x @ weights

report = treadle.explain(predict)(weights, tnp.ones(1500))
""",
    ),
)
LARGE: Final = 1_000_000  # bytes


def look(subject: Subject) -> Iterator[Finding]:
    """Yield a finding for each large captured array.

    Args:
        subject: the program, whose first parameters are the captured arrays.
    """
    program = subject.program
    for number, parameter in enumerate(program.parameters[: len(subject.captured)]):
        size = parameter.type.nbytes
        if size < LARGE:
            continue
        name = subject.names[number]
        user = first_use(program, parameter)
        place = None if user is None else Place.of(user.source)
        shown = f"`{name}` {parameter.type}" if name != NAMELESS else f"{name} {parameter.type}"
        where = "" if place is None else f", used at {place}"
        yield Finding(
            "capture.large",
            f"{subject.name} captured {shown}, {bytes_text(size)}{where}.",
            () if place is None else (place,),
            (
                "It stays in memory as long as the compiled function, which sees no other value of the variable.",
            ),
            "Pass it as an argument.",
            _code(subject, name),
            Cost(bytes=size),
        )


def _code(subject: Subject, name: str) -> str:
    """Return the first line of the function with the array as its first parameter, and a call of it."""
    function = subject.function
    variable = name.rpartition(".")[2]
    if not variable.isidentifier() or not isinstance(function, FunctionType):
        return ""
    if is_internal(function.__code__.co_filename):  # as the function that `grad` returns
        return ""
    parameters = signature(function).parameters.values()
    if variable in [each.name for each in parameters]:
        return ""
    bare = [each.replace(annotation=Parameter.empty) for each in parameters]
    listed = ", ".join([variable, *map(str, bare)])
    call = ", ".join([name, *[_passed(each) for each in bare if each.default is Parameter.empty]])
    if function.__name__ == "<lambda>":
        return f"lambda {listed}: ...  # called with ({call})"
    return f"def {function.__name__}({listed}):\n    ...\n{function.__name__}({call})"


def _passed(parameter: Parameter) -> str:
    """Return how a parameter is passed on by a call with variables of its name."""
    if parameter.kind is Parameter.KEYWORD_ONLY:
        return f"{parameter.name}={parameter.name}"
    return str(parameter)  # `*args`, `**kwargs`, or the name


def first_use(program: Program, parameter: Value) -> Equation | None:
    """Return the first operation that takes a parameter, also in programs inside of the program; None if none does.

    Args:
        program: a program.
        parameter: one of its parameters.
    """
    while True:
        user = next((each for each in program.equations if parameter in each.operands), None)
        flows = None if user is None else user.primitive.flows()
        if user is None or flows is None:
            return user
        position = user.operands.index(parameter)
        inside = next(
            (
                (region, region.parameters[entry.index(position)])
                for region, entry in zip(flows.regions, flows.entry, strict=True)
                if position in entry
            ),
            None,
        )
        if inside is None:
            return user
        program, parameter = inside
