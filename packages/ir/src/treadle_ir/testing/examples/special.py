"""Examples of special functions that formulas compute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.core.primitive import Primitive
from treadle_ir.primitives import elementwise as e
from treadle_ir.testing.examples import Draw, Example, example
from treadle_ir.tracing.array import Operand

Interval = tuple[float, float]

# Where each operand is drawn from: finite values and derivatives.
DOMAINS: Final[dict[type[Primitive], tuple[Interval, ...]]] = {
    e.BesselI0e: ((-20.0, 20.0),),
    e.BesselI1e: ((-20.0, 20.0),),
    e.CosineIntegral: ((0.5, 9.0),),
    e.Dawson: ((-6.0, 6.0),),
    e.ErfcInv: ((0.1, 1.9),),
    e.Erfcx: ((-2.0, 6.0),),
    e.Expi: ((0.5, 6.0),),
    e.FresnelCosine: ((-3.0, 3.0),),
    e.FresnelSine: ((-3.0, 3.0),),
    e.Hyp1f1: ((0.5, 3.0), (0.5, 3.0), (-2.0, 2.0)),
    e.Hyp2f1: ((0.5, 2.0), (0.5, 2.0), (1.0, 3.0), (-1.0, 0.5)),
    e.OwensT: ((-3.0, 3.0), (-3.0, 3.0)),
    e.SineIntegral: ((-9.0, 9.0),),
    e.Spence: ((0.1, 4.0),),
    e.Igamma: ((0.5, 6.0), (0.5, 6.0)),
    e.IgammaGradA: ((0.5, 6.0), (0.5, 6.0)),
    e.Igammac: ((0.5, 6.0), (0.5, 6.0)),
    e.RandomGammaGrad: ((0.5, 6.0), (0.5, 6.0)),
    e.RegularizedIncompleteBeta: ((0.5, 6.0), (0.5, 6.0), (0.1, 0.9)),
    e.Zeta: ((1.5, 6.0), (0.5, 6.0)),
}


def _drawn(domains: Sequence[Interval], name: str, shapes: Sequence[tuple[int, ...]]) -> Draw:
    def draw(random: np.random.Generator) -> list[Operand]:
        return [
            np.asarray(random.uniform(*domain, shape)).astype(BY_NAME[name])
            for domain, shape in zip(domains, shapes, strict=True)
        ]

    return draw


def _examples(operation: Primitive, domains: tuple[Interval, ...]) -> list[Example]:
    made = []
    count = len(domains)
    cases: list[tuple[str, tuple[str, ...]]] = [
        ("f32", ("[2,3]",) * count),
        ("f64", ("[]",) * count),
        ("bf16", ("[5]",) * count),
        ("f64", ("[0,2]",) * count),
    ]
    if count > 1:
        cases += [("f64", ("[3]", *["[]"] * (count - 1))), ("f64", ("[]", *["[3]"] * (count - 1)))]
    for name, shapes in cases:
        types = [name + shape for shape in shapes]
        sizes = [tuple(int(n) for n in shape[1:-1].split(",") if n) for shape in shapes]
        draw = _drawn(domains, name, sizes)
        made.append(example(operation, *types, draw=draw))
    return made


def _orders(name: str, shape: tuple[int, ...]) -> Draw:
    def draw(random: np.random.Generator) -> list[Operand]:
        drawn = random.integers(0, 5, shape), random.uniform(0.5, 6.0, shape)
        return [np.asarray(x).astype(BY_NAME[name]) for x in drawn]

    return draw


EXAMPLES: Final = [
    *(one for primitive, domains in DOMAINS.items() for one in _examples(primitive(), domains)),
    *(
        example(primitive, type, type, draw=_orders(type[:3], shape), differentiable=False)
        for primitive in (e.Expn(), e.Polygamma())
        for type, shape in (("f64[4]", (4,)), ("f32[]", ()), ("f64[0]", (0,)))
    ),
    *_examples(e.FormulaDerivative("zeta", (1, 0)), DOMAINS[e.Zeta])[:4],
    *_examples(
        e.FormulaDerivative("regularized_incomplete_beta", (1, 0, 0)),
        DOMAINS[e.RegularizedIncompleteBeta],
    )[:1],
]
