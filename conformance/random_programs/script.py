"""Prints a case as a script that runs by itself: on treadle, or on JAX with the imports renamed."""

from __future__ import annotations

import re
from typing import Final

from conformance.random_programs.program import Case
from conformance.random_programs.run import HELPERS, NAMES, PLAIN

_WAYS: Final = {
    "eager": "",
    "jit": "treadle.jit(program)(*arguments)",
    "vmap": "[y[1] for y in treadle.vmap(program)(*[tnp.stack([x, x]) for x in arguments])]",
}


def script(case: Case, way: str = "jit") -> str:
    """Return a script that prints the results of the eager program, and of another way to run it."""
    parts = [
        NAMES,
        HELPERS,
        _settings(case),
        case.text(),
        'print("eager:", *program(*arguments), sep="\\n")',
    ]
    if way == "plain loops":
        parts += [PLAIN, 'print("plain loops:", *program(*arguments), sep="\\n")']
    elif way == "disable_jit":
        parts += ["with treadle.disable_jit():", '    print(*program(*arguments), sep="\\n")']
    elif way == "reference":
        parts += [
            "from treadle_ir import ReferenceEvaluator, evaluating, interpret, stage, type_of",
            "staged = stage(lambda *xs: list(program(*xs)), *map(type_of, arguments))",
            "with evaluating(ReferenceEvaluator()):",
            '    print("reference:", *interpret(staged.program, *staged.captured, *arguments), sep="\\n")',
        ]
    elif _WAYS.get(way):
        parts.append(f'print("{way}:", *{_WAYS[way]}, sep="\\n")')
    return "\n".join([*parts, ""])


def _settings(case: Case) -> str:
    return f'treadle.config.update("{{}}_enable_x64".format(treadle.__name__), {case.x64})\n'


def for_jax(source: str) -> str:
    """The source with JAX's modules in the places of treadle's."""
    source = re.sub(r"^import treadle$", "import jax as treadle", source, flags=re.MULTILINE)
    source = re.sub(r"^import treadle\.(\S+) as ", r"import jax.\1 as ", source, flags=re.MULTILINE)
    source = re.sub(r"^import treadle\.", "import jax.", source, flags=re.MULTILINE)
    return re.sub(r"^from treadle import", "from jax import", source, flags=re.MULTILINE)
