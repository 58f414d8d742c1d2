"""Looks: one file for each topic, which takes a program, events or observed calls, and yields findings.

A look at programs is a function `look(subject: Subject) -> Iterable[Finding]`; a look at running programs is a `Part`
of `watch`. Each module lists the kinds that it yields in `KINDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Final

from treadle_insight.finding import Finding
from treadle_insight.looks.part import Part
from treadle_insight.report import Table
from treadle_insight.subject import Subject

ProgramLook = Callable[[Subject], Iterable[Finding]]
TableLook = Callable[[Subject], Iterable[Table]]

# What `explain` looks at, in order: modules with a function `look(subject)`.
PROGRAM_LOOKS: Final = (
    "captures",
    "loops",
    "donation",
    "zeros",
    "nans",
    "digits",
)
# The tables that `explain` shows: modules with a function `tables(subject)`.
TABLE_LOOKS: Final[tuple[str, ...]] = (
    "costs",
    "donation",
    "statics",
)
# The parts of `watch` by name: a module and its class. A part's name is the first word of its kinds.
WATCH_PARTS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "donation": ("donation", "DonationPart"),
        "recompile": ("recompile", "RecompilePart"),
        "placement": ("placement", "PlacementPart"),
        "transfer": ("transfer", "TransferPart"),
        "static": ("static_arguments", "StaticPart"),
        "frozen": ("frozen", "FrozenValues"),
        "effect": ("effects", "Effects"),
        "clock": ("clock", "Clock"),
        "leak": ("leaks", "Leaks"),
        "key": ("keys", "Keys"),
        "dispatch": ("dispatch", "Dispatch"),
    }
)


def program_look(name: str) -> ProgramLook:
    """Return the look at programs of a module of this package.

    Args:
        name: the module's name, one of `PROGRAM_LOOKS`.
    """
    look: ProgramLook = import_module(f"{__name__}.{name}").look
    return look


def table_look(name: str) -> TableLook:
    """Return the tables of a module of this package.

    Args:
        name: the module's name, one of `TABLE_LOOKS`.
    """
    tables: TableLook = import_module(f"{__name__}.{name}").tables
    return tables


def watch_part(name: str) -> Part:
    """Return a new part of `watch`.

    Args:
        name: one of `WATCH_PARTS`.
    """
    module, class_name = WATCH_PARTS[name]
    part: Part = getattr(import_module(f"{__name__}.{module}"), class_name)()
    return part
