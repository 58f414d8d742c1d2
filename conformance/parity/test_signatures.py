"""What JAX's functions and methods take by name, in an order, or not at all, ours do, too."""

from __future__ import annotations

import sys
from typing import Any, Final

from conformance.parity.conftest import interpreter
from conformance.parity.test_hijax import outcomes

OTHERWISE: Final[dict[str, str]] = {
    "numpy.clip": "JAX makes the array optional for the sake of its former names, which both refuse",
    "api_util.flatten_fun": "switches of JAX's own caches",
    "api_util.flatten_fun_nokwargs": "switches of JAX's own caches",
    **dict.fromkeys(
        [
            f"numpy.{name}"
            for name in (
                *(
                    "add",
                    "bitwise_and",
                    "bitwise_or",
                    "bitwise_xor",
                    "logaddexp",
                    "logaddexp2",
                    "logical_and",
                ),
                *(
                    "logical_or",
                    "logical_xor",
                    "maximum",
                    "minimum",
                    "multiply",
                    "negative",
                    "subtract",
                ),
            )
        ],
        "`out` and `where` are taken, and refused unless they are None, by all ufuncs alike",
    ),
}
"""Functions whose arguments differ from JAX's, and why."""

Parameters = list[tuple[str, str, bool]]


def lacking(theirs: Parameters, ours: Parameters) -> str:
    """Return the names of the arguments of `theirs` that `ours` does not accept in the same way."""
    known = {name: kind for name, kind, _ in ours}
    rest = known.values()
    named = [
        name
        for name, kind, _ in theirs
        if kind in ("POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY")
        and not name.startswith("_")
        and known.get(name, "POSITIONAL_ONLY") == "POSITIONAL_ONLY"
        and "VAR_KEYWORD" not in rest
    ]
    places = [name for name, kind, _ in theirs if kind.startswith("POSITIONAL")]
    own = [name for name, kind, _ in ours if kind.startswith("POSITIONAL")]
    moved = [
        name
        for place, name in enumerate(places)
        if "VAR_POSITIONAL" not in rest
        and (place >= len(own) or name in own[:place] + own[place + 1 :])
    ]
    optional = {name for name, _, is_optional in theirs if is_optional}
    needed = [
        name
        for name, kind, is_optional in ours
        if name in optional and not is_optional and not kind.startswith("VAR_")
    ]
    said = {"not by name": named, "not in this place": moved, "needed": needed}
    return "; ".join([f"{what}: {', '.join(names)}" for what, names in said.items() if names])


def test_arguments_are_those_of_jax() -> None:
    ours: dict[str, Any] = outcomes("signatures_script.py", sys.executable, "treadle")
    theirs: dict[str, Any] = outcomes("signatures_script.py", interpreter(), "jax")
    both = [name for name in theirs if theirs[name] and ours.get(name) is not None]
    assert len(both) > 1_000
    found = {name: lacking(theirs[name], ours[name]) for name in both}
    differ = {name: what for name, what in found.items() if what}
    assert differ.keys() == OTHERWISE.keys(), {
        name: what for name, what in differ.items() if name not in OTHERWISE
    }
