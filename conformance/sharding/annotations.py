"""Shardings reach the text that XLA partitions: of arguments, results, intermediate values, shards of `shard_map`.

The truth is Shardy's grammar: for each axis of the array the list of mesh axes that divide it, the first the slowest.
"""

from __future__ import annotations

import re
from typing import Any, Final, TypeAlias

import numpy as np

import treadle
import treadle.numpy as tnp
from conformance.sharding.table import table
from treadle import lax
from treadle.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

Spec: TypeAlias = tuple[str | tuple[str, ...] | None, ...]

X: Final = np.arange(64, dtype=np.float32).reshape(8, 8)
SPECS: Final[tuple[Spec, ...]] = (
    (None, None),
    ("x", None),
    (None, "x"),
    ("x", "y"),
    ("y", "x"),
    (("x", "y"), None),
    (None, ("y", "x")),
    ("y",),
)
LAWS, law = table(lambda: None)


def mesh_of(kind: AxisType = AxisType.Auto) -> Mesh:
    """Four by two devices."""
    return treadle.make_mesh((4, 2), ("x", "y"), axis_types=(kind, kind))


def lying(spec: Spec, mesh: Mesh | None = None) -> NamedSharding:
    return NamedSharding(mesh or mesh_of(), P(*spec))


def shown(spec: Spec, ndim: int = 2) -> str:
    """A spec in Shardy's grammar."""
    axes = []
    for names in (*spec, *[None] * (ndim - len(spec))):
        listed = () if names is None else (names,) if isinstance(names, str) else names
        axes.append("{" + ", ".join([f'"{name}"' for name in listed]) + "}")
    return f"[{', '.join(axes)}]"


def main_of(text: str) -> tuple[list[str | None], list[str | None]]:
    """Return the sharding annotations of the parameters and of the results of the whole program."""
    assert 'sdy.mesh @mesh = <["x"=4, "y"=2]>' in text, text
    declared = re.search(r"@main\((.*?)\) -> (.*) \{\n", text)
    assert declared is not None, text
    found: list[list[str | None]] = []
    for part in declared.groups():
        each = re.findall(
            r"tensor<[^>]*>(?: \{sdy\.sharding = #sdy\.sharding<@mesh, (.*?)>\})?", part
        )
        found.append([said or None for said in each])
    return found[0], found[1]


@law
def arguments_and_results() -> None:
    """As `in_shardings` and `out_shardings` say, each in its place; what is left open is not spoken of."""
    for first in SPECS:
        for second in SPECS[:4]:
            function = treadle.jit(
                lambda a, b: (a + 1, a * b),
                in_shardings=(lying(first), lying(second)),
                out_shardings=(None, lying(first)),
            )
            text = function.lower(X, X).as_text()
            assert main_of(text) == ([shown(first), shown(second)], [None, shown(first)])


@law
def arguments_bring_their_sharding() -> None:
    """Arguments are annotated with their own shardings."""
    for spec in SPECS:
        text = treadle.jit(tnp.sin).lower(treadle.device_put(X, lying(spec))).as_text()
        assert main_of(text)[0] == [shown(spec)]


@law
def values_in_between() -> None:
    """As `with_sharding_constraint` says; `UNCONSTRAINED` leaves an axis to XLA."""
    sharded = treadle.device_put(X, lying(("x", None)))
    for spec in SPECS:
        constrained = treadle.jit(
            lambda x, spec=spec: tnp.sin(lax.with_sharding_constraint(x * 2, lying(spec)))
        )
        text = constrained.lower(sharded).as_text()
        assert re.findall(r"sdy\.sharding_constraint %\d+ <@mesh, (.*?)>", text) == [shown(spec)]
        slopes = treadle.jit(treadle.grad(lambda x, f=constrained: f(x).sum()))
        text = slopes.lower(sharded).as_text()  # the cotangent is sharded as the value is
        assert {*re.findall(r"sdy\.sharding_constraint %\w+ <@mesh, (.*?)>", text)} == {shown(spec)}
    free = NamedSharding(mesh_of(), P(P.UNCONSTRAINED, "y"))
    text = treadle.jit(lambda x: lax.with_sharding_constraint(x * 2, free)).lower(sharded).as_text()
    assert '<@mesh, [{?}, {"y"}]>' in text


@law
def parts_of_shard_map() -> None:
    """As `in_specs` and `out_specs` say; axes that it does not name stay XLA's."""
    for spec in SPECS:
        mapped = treadle.shard_map(
            lambda x: x * 2, mesh=mesh_of(), in_specs=P(*spec), out_specs=P(*spec)
        )
        text = treadle.jit(mapped).lower(X).as_text()
        assert (
            f"in_shardings=[<@mesh, {shown(spec)}>] out_shardings=[<@mesh, {shown(spec)}>]" in text
        )
        assert 'manual_axes={"x", "y"}' in text
    mapped = treadle.shard_map(
        lambda x: x * 2, mesh=mesh_of(), in_specs=P("x"), out_specs=P("x"), axis_names={"x"}
    )
    assert 'manual_axes={"x"}' in treadle.jit(mapped).lower(X).as_text()


@law
def results_of_explicit_axes() -> None:
    """As `out_sharding` says where explicit axes leave it open: of a product whose contracted axis is divided."""
    mesh = mesh_of(AxisType.Explicit)
    with treadle.set_mesh(mesh):
        a: Any = treadle.device_put(X, lying((None, "x"), mesh))
        b: Any = treadle.device_put(X, lying(("x", None), mesh))
        for spec in SPECS:
            product = treadle.jit(
                lambda a, b, spec=spec: tnp.matmul(a, b, out_sharding=lying(spec, mesh))
            )
            text = product.lower(a, b).as_text()
            assert shown(spec) in re.findall(r"<@mesh, (\[.*?\])>", text)
            assert main_of(text)[0] == [shown((None, "x")), shown(("x", None))]
