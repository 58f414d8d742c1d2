"""Two solitary waves pass through each other: the Korteweg-de Vries equation, by Fourier series.

    python examples/methods/spectral_waves.py --plot waves.png

u_t + 6 u u_x + u_xxx = 0 on a ring. The linear part is solved exactly in Fourier space, the rest by a Runge-Kutta step
of fourth order (the integrating factor: L. Trefethen, Spectral Methods in MATLAB, chapter 10). One compiled `scan`
takes all steps. A solution of the equation keeps mass, momentum and energy.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle import lax

treadle.config.update("treadle_enable_x64", True)

N = 256
LENGTH = 40.0
X = tnp.arange(N) * (LENGTH / N)
K = 2 * tnp.pi * tnp.fft.fftfreq(N, LENGTH / N)
STEP = 1e-3


def soliton(speed: float, place: float) -> Any:
    """A wave that keeps its shape, and is the faster the higher it is."""
    return speed / 2 / tnp.cosh(tnp.sqrt(speed) / 2 * (X - place)) ** 2


def rest(wave: Any, turn: Any) -> Any:
    """The nonlinear part in Fourier space, where `turn` has undone the linear one."""
    u = tnp.real(tnp.fft.ifft(wave / turn))
    return -3j * K * turn * tnp.fft.fft(u**2)


def step(wave: Any, _: Any) -> Any:
    """One step of the Fourier series."""
    half = tnp.exp(-0.5j * STEP * K**3)
    a = rest(wave, tnp.ones_like(half))
    b = rest(wave + STEP / 2 * a, half)
    c = rest(wave + STEP / 2 * b, half)
    d = rest(wave + STEP * c, half**2)
    return (wave + STEP / 6 * (a + 2 * b + 2 * c + d)) / half**2, None


def conserved(u: Any) -> dict[str, float]:
    """Return the quantities that the equation conserves, as integrals over the ring."""
    slope = tnp.real(tnp.fft.ifft(1j * K * tnp.fft.fft(u)))
    cell = LENGTH / N
    return {
        "mass": float(cell * tnp.sum(u)),
        "momentum": float(cell * tnp.sum(u**2)),
        "energy": float(cell * tnp.sum(u**3 - slope**2 / 2)),
    }


def main() -> None:
    """Run, print what was kept, draw."""
    parser = argparse.ArgumentParser(description="solitary waves")
    parser.add_argument("--plot", type=Path, help="write a picture of all times here")
    plot = parser.parse_args().plot
    start = soliton(4.0, 10.0) + soliton(1.5, 18.0)

    @treadle.jit
    def run(u: Any) -> Any:
        """Pictures at 50 times."""

        def show(wave: Any, _: Any) -> Any:
            wave, _ = lax.scan(step, wave, None, length=120)
            return wave, tnp.real(tnp.fft.ifft(wave))

        return lax.scan(show, tnp.fft.fft(u), None, length=50)[1]

    pictures = run(start)
    end = pictures[-1]
    before, after = conserved(start), conserved(end)
    for name, value in before.items():
        print(f"{name}: {value:.8f} at first, changed by {after[name] - value:.0e}")
        assert abs(after[name] - value) < 1e-5 * abs(value)
    print(
        f"the higher wave is {float(tnp.max(start)):.3f} before and {float(tnp.max(end)):.3f} after"
    )
    first, last = float(X[tnp.argmax(start)]), float(X[tnp.argmax(end)])
    print(f"it went from {first:.1f} to {last:.1f}, past the lower one")
    assert abs(float(tnp.max(end)) - float(tnp.max(start))) < 0.05
    if plot is not None:
        import matplotlib  # noqa: PLC0415 - for the picture only

        matplotlib.use("Agg")
        from matplotlib import pyplot  # noqa: PLC0415 - after the choice of the backend

        figure, axes = pyplot.subplots(figsize=(6, 5))
        times = np.linspace(0, 50 * 120 * STEP, 50)
        shown = axes.pcolormesh(np.asarray(X), times, np.asarray(pictures), shading="auto")
        figure.colorbar(shown, label="u")
        axes.set(xlabel="x", ylabel="time")
        figure.savefig(plot, dpi=120, bbox_inches="tight")
        print(f"wrote {plot}")


if __name__ == "__main__":
    main()
