"""What both libraries are asked of rotations of space, motions between them, and searches for a minimum."""

from __future__ import annotations

from typing import Final

from conformance.parity.questions import Drawer, Question, array, call, filled

READ: Final = ("as_quat", "as_matrix", "as_rotvec", "as_mrp", "inv.as_quat", "magnitude")
SEQUENCES: Final = ("xyz", "zyx", "ZXZ", "XYZ", "zxy")


def rotations(d: Drawer) -> list[Question]:
    """From each description to each other one, one rotation and rows of them."""
    dtype = "float64" if d.x64 else "float32"
    asked = []
    for shape in ([4], [5, 4]):
        asked += [
            call(f"rotation.from_quat.{read}", d.array(shape, dtype=dtype, low=-1, high=1))
            for read in READ
        ]
    for shape in ([3], [4, 3]):
        small = d.array(shape, dtype=dtype, low=-1, high=1)
        asked += [
            call(f"rotation.{make}.{read}", small)
            for make in ("from_rotvec", "from_mrp")
            for read in ("as_quat", "as_matrix", "as_rotvec")
        ]
        asked += [
            call("rotation.from_euler.as_quat", sequence, small, degrees)
            for sequence in SEQUENCES
            for degrees in (False, True)
        ]
        asked.append(call("rotation.from_rotvec.as_quat", small, degrees=True))
    asked.append(call("rotation.from_matrix.as_quat", array(TURN, dtype)))
    asked += [call("slerp", array(time, dtype)) for time in (0.25, 1.0, [0.0, 0.5, 1.5, 2.0])]
    return asked


TURN: Final = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]


def minima(d: Drawer) -> list[Question]:
    """Ask where the searches end, to the digits that a gradient of 1e-5 leaves."""
    start = d.array([3], dtype="float32", low=-2, high=2)
    return [
        *(call(f"minimum.{function}", start) for function in ("bowl", "valley", "waves")),
        call("minimum.bowl", array([0.5], "float32"), maxiter=0),
    ]


GROUPS: Final = {"rotations": rotations, "minima": minima}


def wrong() -> list[Question]:
    """Calls that JAX refuses."""
    vector = filled(1, (3,), "float32")
    return [
        *(call("rotation.from_euler.as_quat", text, vector) for text in ("xyw", "xyzx", 3)),
        *(call("rotation.from_quat.as_quat", x) for x in ("text", None)),
        call("rotation.from_rotvec.as_matrix", "text"),
        call("minimum.bowl", vector, method="nonsense"),
    ]
