"""What every public function and class says of itself: its name, its module, its documentation and its signature.

The public names are in `__all__` of `treadle` and of every module below it. `help`, Sphinx, tracebacks, logs and
pickles read what is checked here.
"""

from __future__ import annotations

import importlib
import inspect
import pickle
import pkgutil
import types
import warnings
from typing import Any, Final

import numpy as np
import pytest

import treadle

# Functions that show the name of what they are an alias of: as JAX's do, or as modules that are JAX's functions' homes.
_ALIASES: Final = {
    "treadle.pjit": "jit",
    "treadle.debug.callback": "debug_callback",
    "treadle.debug.log": "debug_log",
    "treadle.debug.print": "debug_print",
    "treadle.experimental.ode.map": "safe_map",
    "treadle.experimental.ode.lengths.map": "safe_map",
    "treadle.experimental.sparse.jacobian": "jacrev",
    "treadle.experimental.sparse.ad.jacobian": "jacrev",
    "treadle.experimental.sparse.derivatives.jacobian": "jacrev",
    "treadle.nn.hard_swish": "hard_silu",
    "treadle.nn.swish": "silu",
    "treadle.nn.initializers.kaiming_normal": "he_normal",
    "treadle.nn.initializers.kaiming_uniform": "he_uniform",
    "treadle.nn.initializers.xavier_normal": "glorot_normal",
    "treadle.nn.initializers.xavier_uniform": "glorot_uniform",
    "treadle.ref.addupdate": "ref_addupdate",
    "treadle.ref.get": "ref_get",
    "treadle.ref.set": "ref_set",
    "treadle.ref.swap": "ref_swap",
}
# Classes of jaxlib's have what jaxlib gives them.
_OF_JAXLIB: Final = ("jaxlib",)


def _modules() -> list[types.ModuleType]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        below = pkgutil.walk_packages(treadle.__path__, "treadle.")
        return [treadle, *[importlib.import_module(each.name) for each in below]]


def _public() -> list[tuple[str, Any]]:
    """Each public name that can be called, with its value; annotations such as `tuple[int, ...]` are none."""
    found = []
    for module in _modules():
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if isinstance(value, types.GenericAlias) or type(value).__module__ == "typing":
                continue
            if "CallableGenericAlias" in type(value).__name__ or not callable(value):
                continue
            if str(getattr(value, "__module__", "")).startswith(_OF_JAXLIB):
                continue
            found.append((f"{module.__name__}.{name}", value))
    return found


def _problems(place: str, value: Any) -> list[str]:
    """Return the statements of a public function or class about itself that do not hold."""
    own = place.rpartition(".")[2]
    problems = []
    name = getattr(value, "__name__", None)
    if not isinstance(value, type) and name != _ALIASES.get(place, own):
        problems.append(f"its name is {name!r}")
    # the class of jitted functions is called by its qualified name in JAX's messages, which libraries match
    if getattr(value, "__qualname__", None) != name and place != "treadle.stages.Wrapped":
        problems.append(f"its qualified name is {getattr(value, '__qualname__', None)!r}")
    module = getattr(value, "__module__", None)
    if not isinstance(module, str) or any(part.startswith("_") for part in module.split(".")):
        problems.append(f"its module is {module!r}")
    elif getattr(importlib.import_module(module), str(name), None) is not value:
        problems.append(f"{name!r} of its module {module!r} is something else")
    if not (getattr(value, "__doc__", None) or isinstance(value, type)):
        problems.append("it has no documentation")
    if not (isinstance(value, type) and issubclass(value, Exception)):  # Python's own have none
        try:
            inspect.signature(value)
        except (TypeError, ValueError) as error:
            problems.append(f"it has no signature: {error}")
    try:
        if pickle.loads(pickle.dumps(value)) is not value:
            problems.append("its pickle is another object")
    except Exception as error:
        problems.append(f"it has no pickle: {error}")
    return problems


def test_every_public_function_says_who_it_is() -> None:
    public = _public()
    assert len(public) > 1500
    wrong = {place: found for place, value in public if (found := _problems(place, value))}
    assert not wrong, "\n".join([f"{place}: {'; '.join(each)}" for place, each in wrong.items()])


def test_the_aliases_are_aliases() -> None:
    for place, name in _ALIASES.items():
        module, _, own = place.rpartition(".")
        assert getattr(importlib.import_module(module), own).__name__ == name != own


@pytest.mark.parametrize("name", ["jacfwd", "jacrev", "jacobian", "hessian"])
def test_matrices_of_derivatives_show_their_arguments(name: str) -> None:
    function = getattr(treadle, name)
    assert inspect.isfunction(function)
    assert [*inspect.signature(function).parameters][:4] == [
        "fun",
        "argnums",
        "has_aux",
        "holomorphic",
    ]
    documentation = function.__doc__ or ""
    assert "Jacobian" in documentation or "second derivatives" in documentation


def test_an_alias_computes_what_its_function_computes() -> None:
    tnp = treadle.numpy
    x = np.array([-0.5, 0.25, 0.75], np.float32)
    for alias, name in (
        ("absolute", "abs"),
        ("acos", "arccos"),
        ("amax", "max"),
        ("mod", "remainder"),
    ):
        args = (x, x) if alias == "mod" else (x,)
        one, other = getattr(tnp, alias)(*args), getattr(tnp, name)(*args)
        np.testing.assert_array_equal(one, other)
    assert treadle.tree.map(lambda x: -x, {"a": 1}) == {"a": -1}
