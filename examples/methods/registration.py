"""Two pictures of one thing, turned, shifted and scaled against each other: the motion, by gradients.

    python examples/methods/registration.py

`map_coordinates` reads the moved picture between its pixels, so the difference of the pictures has a derivative with
respect to the motion. The Gauss-Newton method needs a few steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle.scipy.ndimage import map_coordinates

SIDE = 64
TRUE = np.array([0.12, 0.95, 2.5, -1.5])  # angle, scale, shift down, shift to the right


def picture(rows: Any, columns: Any) -> Any:
    """Something with edges in every direction, as a function of the place."""
    r, c = (rows - SIDE / 2) / 10, (columns - SIDE / 2) / 10
    blob = tnp.exp(-(r**2) - 0.5 * (c - 1) ** 2)
    ring = tnp.exp(-4 * (tnp.sqrt((r + 0.5) ** 2 + (c + 0.8) ** 2) - 1.2) ** 2)
    return blob + 0.7 * ring


ROWS, COLUMNS = tnp.meshgrid(tnp.arange(SIDE) * 1.0, tnp.arange(SIDE) * 1.0, indexing="ij")


def moved(motion: Any) -> tuple[Any, Any]:
    """Return the coordinates from which the pixels come."""
    angle, scale, down, right = motion
    r, c = ROWS - SIDE / 2, COLUMNS - SIDE / 2
    return (
        scale * (tnp.cos(angle) * r - tnp.sin(angle) * c) + SIDE / 2 + down,
        scale * (tnp.sin(angle) * r + tnp.cos(angle) * c) + SIDE / 2 + right,
    )


FIXED = picture(ROWS, COLUMNS)
MOVING = picture(*moved(TRUE))  # so the motion back is the inverse


def residuals(motion: Any) -> Any:
    """The fixed picture read at moved places, less the moving one; the border is left out."""
    read = map_coordinates(FIXED, moved(motion), order=1, mode="nearest")
    return (read - MOVING)[4:-4, 4:-4].ravel()


@treadle.jit
def step(motion: Any) -> Any:
    """One step of the Gauss-Newton method."""
    errors, slopes = residuals(motion), treadle.jacfwd(residuals)(motion)
    change, *_ = tnp.linalg.lstsq(slopes, errors)
    return motion - change, tnp.sqrt(tnp.mean(errors**2))


def main() -> None:
    """Find the motion."""
    motion = tnp.array([0.0, 1.0, 0.0, 0.0])
    for number in range(12):
        motion, error = step(motion)
        print(f"step {number}: pictures differ by {float(error):.5f}")
    print("      angle   scale    down   right")
    print("true  " + "".join(f"{x:7.3f} " for x in TRUE))
    print("found " + "".join(f"{x:7.3f} " for x in np.asarray(motion)))
    assert np.abs(np.asarray(motion) - TRUE).max() < 0.02


if __name__ == "__main__":
    main()
