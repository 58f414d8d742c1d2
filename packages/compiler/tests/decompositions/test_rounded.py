"""Formulas whose results are rounded to float32: no farther from float64 than rounding explains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_compiler.decompositions.staged import program_of
from treadle_ir import ArrayType, Primitive, ReferenceEvaluator, evaluating, interpret
from treadle_ir.formulas import formula_of
from treadle_ir.formulas.table import FORMULAS
from treadle_ir.primitives import elementwise as e
from treadle_ir.reference.special.engine import evaluated

MOST = 2.0**-27  # an eighth of a float32's rounding; by derivatives half of one
SAMPLES = 4000
drawn = np.random.default_rng(0)


def spread(low: float, high: float) -> np.ndarray:
    """Float32 values over orders of magnitude."""
    return (
        np.exp(drawn.uniform(np.log(low), np.log(high), SAMPLES)).astype(np.float32).astype(float)
    )


def signed(low: float, high: float) -> np.ndarray:
    """The same of either sign."""
    return spread(low, high) * drawn.choice([-1.0, 1.0], SAMPLES)


def unit() -> np.ndarray:
    """From 0 to 1, with many close to the ends."""
    return drawn.beta(0.3, 0.3, SAMPLES).astype(np.float32).astype(float)


def whole(high: int) -> np.ndarray:
    """Whole numbers."""
    return drawn.integers(0, high, SAMPLES).astype(float)


OPERANDS: dict[type[Primitive], Any] = {
    e.BesselI0e: lambda: [signed(1e-8, 1e30)],
    e.BesselI1e: lambda: [signed(1e-8, 1e30)],
    e.CosineIntegral: lambda: [spread(1e-8, 0.5)],
    e.Dawson: lambda: [signed(1e-8, 1e30)],
    e.ErfcInv: lambda: [spread(1e-44, 1.0)],
    e.Erfcx: lambda: [np.concatenate([drawn.uniform(-9, 9, SAMPLES), spread(1e-8, 1e30)])],
    e.Expi: lambda: [np.concatenate([spread(0.5, 80.0), -spread(1e-6, 80.0)])],
    e.Expn: lambda: [whole(20), spread(1e-6, 80.0)],
    e.FresnelCosine: lambda: [signed(1e-3, 100.0)],
    e.FresnelSine: lambda: [signed(1e-3, 100.0)],
    e.Hyp1f1: lambda: [spread(0.1, 5.0), spread(0.1, 5.0), spread(0.01, 20.0)],
    e.Hyp2f1: lambda: [spread(0.1, 5.0), spread(0.1, 5.0), spread(0.5, 9.0), 0.7 * unit()],
    e.Igamma: lambda: [spread(0.01, 1e4), spread(0.01, 1e4)],
    e.Igammac: lambda: [spread(0.01, 1e4), spread(0.01, 1e4)],
    e.OwensT: lambda: [signed(0.01, 5.0), signed(0.01, 5.0)],
    e.Polygamma: lambda: [whole(12), spread(1e-3, 1e6)],
    e.RandomGammaGrad: lambda: [spread(0.1, 1e3), spread(0.1, 1e3)],
    e.IgammaGradA: lambda: [spread(0.1, 100.0), spread(0.1, 100.0)],
    e.RegularizedIncompleteBeta: lambda: [spread(0.1, 1e3), spread(0.1, 1e3), unit()],
    e.SineIntegral: lambda: [signed(1e-8, 100.0)],
    e.Spence: lambda: [spread(1e-6, 1e6)],
    e.Zeta: lambda: [
        np.concatenate([1.0 + spread(1e-3, 100.0), 2.0 * whole(10) + 2.0]),
        np.concatenate([spread(1e-6, 1e6), -spread(1e-3, 30.0)]),
    ],
}


def staged(formula: Any, *operands: np.ndarray) -> np.ndarray:
    """By its program for rounded results, as it is compiled."""
    program = program_of(formula, len(operands), ArrayType(operands[0].shape, np.dtype("f8")), True)
    with evaluating(ReferenceEvaluator()):
        (value,) = interpret(program, *operands)
    return np.asarray(value)


def apart(formula: Any, operands: list[np.ndarray], *, compiled: bool = False) -> float:
    """Return the greatest relative difference that matters: relative to what float32 can hold at all."""
    fine = evaluated(formula, *operands)
    rounded = (
        staged(formula, *operands) if compiled else evaluated(formula, *operands, rounded=True)
    )
    shown = np.isfinite(fine) & (np.abs(fine) > 1e-37) & (np.abs(fine) < 1e38)
    assert shown.sum() > len(fine) // 4
    with np.errstate(over="ignore"):
        hidden = ~shown & ~np.isnan(fine)
        np.testing.assert_array_equal(np.isnan(rounded), np.isnan(fine))
        assert (np.abs(rounded[hidden] - fine[hidden]) <= 1e-37).all() or np.array_equal(
            rounded[hidden].astype("f4"), fine[hidden].astype("f4")
        )
    return float(np.max(np.abs(rounded[shown] / fine[shown] - 1)))


def test_every_formula_has_operands() -> None:
    assert OPERANDS.keys() == FORMULAS.keys()


@pytest.mark.parametrize("primitive", OPERANDS, ids=lambda each: each.__name__)
def test_what_is_left_out_does_not_show(primitive: type[Primitive]) -> None:
    assert apart(FORMULAS[primitive], OPERANDS[primitive]()) < MOST


@pytest.mark.parametrize("primitive", OPERANDS, ids=lambda each: each.__name__)
def test_nor_what_is_written_out_for_the_compiler(primitive: type[Primitive]) -> None:
    assert apart(FORMULAS[primitive], OPERANDS[primitive](), compiled=True) < MOST


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("name", ["bessel_i0e", "dawson", "erfcx", "erfc_inv", "igamma", "zeta"])
def test_nor_in_derivatives(name: str, order: int) -> None:
    (primitive,) = [each for each in OPERANDS if each.name == name]
    operands = OPERANDS[primitive]()
    orders = (*[0] * (len(operands) - 1), order)
    if name == "dawson":  # a zero of the derivative
        operands = [x[np.abs(x) < 0.7] for x in operands]
    formula = formula_of(e.FormulaDerivative(name, orders))
    assert apart(formula, operands) < 8 * MOST
