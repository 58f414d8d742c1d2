"""Calls that the law makes, and what it sees of their results: types, places and bits, or the error.

`python -m conformance.contexts.calls NAME` makes all calls in one context, in a process in which there is no other,
and prints what it sees.
"""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any, Final, TypeAlias

import numpy as np

import treadle
import treadle.numpy as tnp
from conformance.brief import kept
from conformance.compositions import applies, transformed
from conformance.contexts.sensitive import FUNCTIONS
from conformance.contexts.settings import CONTEXTS
from conformance.programs_pool import POOL

Call: TypeAlias = Any  # a function without arguments that are not bound
_DEEPER: Final = (("jit", "grad"), ("grad", "jit"), ("vmap", "jit"), ("jit", "vmap"))


def calls() -> dict[str, Call]:
    """All calls, by name; the functions of each are made here, once."""
    made: dict[str, Call] = {}
    for name, (function, arguments) in FUNCTIONS.items():
        compiled = treadle.jit(lambda *xs, function=function: function(*xs))
        made[f"{name}, eager"] = lambda f=function, xs=arguments: f(*map(tnp.asarray, xs))
        made[f"{name}, jit"] = lambda f=compiled, xs=arguments: f(*xs)
    for number, pooled in kept("contexts/calls.py::calls", [*enumerate(POOL.values())]):
        made[pooled.name] = lambda p=pooled: p.program(*treadle.tree.map(tnp.asarray, p.arguments))
        for composition in (("jit",), _DEEPER[number % len(_DEEPER)]):
            if applies(pooled, composition):
                function, arguments = pooled.program, pooled.arguments
                for each in reversed(composition):
                    function = transformed(each, function, 1)
                if "vmap" in composition:
                    arguments = treadle.tree.map(lambda x: np.stack([x, x / 2]), arguments)
                name = f"{'.'.join(composition)} of {pooled.name}"
                made[name] = lambda f=function, xs=arguments: f(*xs)
    return made


def seen(call: Call) -> str:
    """Return the outcome of `call` as one line."""
    try:
        leaves, structure = treadle.tree.flatten(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return f"{structure} {' '.join([_told(leaf) for leaf in leaves])}"


def _told(leaf: Any) -> str:
    elements = np.asarray(leaf)
    digest = hashlib.sha256(elements.tobytes()).hexdigest()[:12]
    text = f"{elements.dtype}{elements.shape} {digest}"
    if isinstance(leaf, treadle.Array):
        text += f"{' weak' * leaf.weak_type} on {leaf.device.id}"  # type: ignore[attr-defined]
    return text


if __name__ == "__main__":
    with CONTEXTS[sys.argv[1]]():
        json.dump({name: seen(call) for name, call in calls().items()}, sys.stdout)
