"""<Jv, w> = <v, J'w>: forward and reverse derivatives are transposes of each other."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.cases import Differentiated, direction, examples, is_differentiable, is_finite
from treadle_autodiff import Zero, jvp_flat, jvp_rules, linearize_rules, vjp
from treadle_ir import type_of
from treadle_ir.testing.compare import epsilon, magnitude
from treadle_ir.testing.examples import Example
from treadle_ir.testing.numeric import pairing


def _reversible(example: Example) -> bool:
    cls = type(example.primitive)
    known = (jvp_rules.status(cls), linearize_rules.status(cls))
    if not example.reversible or "absent" in known:
        return False
    return (
        is_differentiable(example) and is_finite(example) and ("rule" in known or "family" in known)
    )


@pytest.mark.parametrize("example", examples(_reversible))
@pytest.mark.parametrize("seed", [0, 1])
def test_forward_and_reverse_are_transposes(example: Example, seed: int) -> None:
    function = Differentiated(example, seed)
    primals, tangents = function.primals, function.directions(seed)
    results, f_vjp = vjp(lambda *xs: list(function(*xs)), *primals)
    weights = [direction(np.asarray(y), seed + 100 + i) for i, y in enumerate(results)]
    cotangents = f_vjp(weights)
    for ct_x, x in zip(cotangents, primals, strict=True):
        assert (np.shape(ct_x), np.asarray(ct_x).dtype) == (np.shape(x), np.asarray(x).dtype)
    for place in range(len(primals)):  # one operand at a time: a sum hides what cancels
        alone = [dx if i == place else Zero(type_of(dx)) for i, dx in enumerate(tangents)]
        _, pushed = jvp_flat(function, primals, alone)
        kept = [(dy, w) for dy, w in zip(pushed, weights, strict=True) if not isinstance(dy, Zero)]
        forward = pairing([np.asarray(dy) for dy, _ in kept], [w for _, w in kept])
        backward = pairing([tangents[place]], [np.asarray(cotangents[place])])
        types = [np.asarray(x).dtype for x in (*primals, *results)]
        terms = max(1, sum(np.size(w) for w in weights), np.size(tangents[place]))
        size = max(
            1.0, magnitude(*[np.asarray(dy) for dy, _ in kept]), magnitude(cotangents[place])
        )
        allowed = 16 * max(map(epsilon, types)) * terms * size
        assert abs(forward - backward) <= allowed, (
            f"operand {place} of {example.id}: forward {forward!r}, backward {backward!r}, {allowed:.2g} allowed"
        )
