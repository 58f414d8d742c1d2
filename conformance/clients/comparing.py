"""How far a job's results on treadle may be from those on JAX, and where they are known to differ."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

# Results that rounding is magnified in, with the reason and how far they may be apart. All others: TOLERANCE.
LOOSE: Final = {
    ("diffrax", "gradient"): (1e-3, "by a solve with adaptive steps"),
    ("diffrax", "gradient under jit"): (1e-3, "by a solve with adaptive steps"),
    ("diffrax", "adjoint"): (1e-3, "by a solve with adaptive steps"),
    ("numpyro", "first samples"): (1e-2, "of a sampler after warm-up"),
}
TOLERANCE: Final = 2e-4
# Results that differ, with the reason. A listed result that agrees is a problem, too: remove its line.
KNOWN: Final[dict[tuple[str, str], str]] = {}


def difference(found: Any, wanted: Any) -> float:
    """Return the largest difference between `found` and `wanted`, relative to their size."""
    if len(found) != len(wanted):
        return float("inf")
    worst = 0.0
    for a, b in zip(map(np.asarray, found), map(np.asarray, wanted), strict=True):
        if a.shape != b.shape:
            return float("inf")
        if a.size:
            scale = max(float(np.max(np.abs(b))), 1e-6)
            worst = max(worst, float(np.max(np.abs(a - b))) / scale)
    return worst if worst == worst else float("inf")


def compared(
    job: str, found: dict[str, Any], wanted: dict[str, Any]
) -> tuple[int, list[str], list[str]]:
    """Return how many results of a job agree, the problems of the others, and the known differences."""
    agree, problems, known = 0, [], []
    for name, values in wanted.items():
        if name not in found:
            problems.append(f"{name}: missing")
            continue
        apart = difference(found[name], values)
        if (job, name) in KNOWN:
            if apart > TOLERANCE:
                known.append(f"{name}: {KNOWN[job, name]}")
            else:
                problems.append(f"{name}: agrees, but stands in KNOWN")
        elif apart <= LOOSE.get((job, name), (TOLERANCE, ""))[0]:
            agree += 1
        else:
            problems.append(f"{name}: apart by {apart:.1g} of its size")
    return agree, problems, known
