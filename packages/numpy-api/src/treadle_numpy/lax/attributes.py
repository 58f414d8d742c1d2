"""The attributes of treadle's instructions as parameters of JAX's: nested programs under the names that JAX has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from treadle_ir import Primitive, Program

# By mnemonic and by treadle's name.
_NAMES: Final = {
    ("call", "program"): "jaxpr",
    ("call", "label"): "name",
    ("checkpoint", "program"): "jaxpr",
    ("custom_jvp_call", "program"): "call_jaxpr",
    ("custom_vjp_call", "program"): "call_jaxpr",
    ("scan", "body"): "jaxpr",
    ("scan", "constants"): "num_consts",
    ("scan", "carries"): "num_carry",
    ("while", "cond"): "cond_jaxpr",
    ("while", "cond_constants"): "cond_nconsts",
    ("while", "body"): "body_jaxpr",
    ("while", "body_constants"): "body_nconsts",
}


def parameter_names(cls: type[Primitive]) -> dict[str, str]:
    """The names of an instruction's attributes, by the names that they have as parameters."""
    if not hasattr(cls, "__dataclass_fields__"):  # it has no attributes
        return {}
    return {_NAMES.get((cls.name, each.name), each.name): each.name for each in fields(cls)}  # type: ignore[arg-type]  # as asked


def parameters(primitive: Primitive) -> dict[str, Any]:  # Any: attributes of all kinds
    """The attributes of an instruction as parameters."""
    names = parameter_names(type(primitive))
    return {name: getattr(primitive, original) for name, original in names.items()}


def instruction(cls: type[Primitive], given: Mapping[str, Any]) -> Primitive:  # Any: as above
    """The instruction with these parameters, all of them; nested programs may be whatever has a `program`."""
    names = parameter_names(cls)
    return cls(**{names[name]: _program(value) for name, value in given.items()})


def _program(value: Any) -> Any:  # Any: an attribute of any kind
    if isinstance(value, tuple):
        return tuple([_program(each) for each in value]) if type(value) is tuple else value
    inner = getattr(value, "program", None)
    return inner if isinstance(inner, Program) else value
