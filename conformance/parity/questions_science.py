"""What both libraries are asked of what is composed of other functions: segments, images, SciPy's functions."""

from __future__ import annotations

from typing import Any, Final

from conformance.parity.questions import Drawer, Question, call, filled


def segments(d: Drawer) -> list[Question]:
    asked = []
    for name in ("sum", "prod", "max", "min"):
        kinds = "iuf" if name in ("max", "min") else "iufc"
        for shape in ([1], [6], [5, 2]):
            more: dict[str, Any] = {}
            if d.random.random() < 0.5:
                more["bucket_size"] = int(d.random.integers(1, 8))
            if d.random.random() < 0.3:
                more["mode"] = "clip"
            ids = d.array(shape[:1], "i", low=-1, high=4)
            number = int(d.random.integers(0, 5)) if d.random.random() < 0.7 else None
            data = d.array(shape, kinds)
            asked.append(call(f"ops.segment_{name}", data, ids, number, **more))
    return asked


GROUPS: Final = {"segments": segments}


def wrong() -> list[Question]:
    """Calls with arguments that do not go together."""
    data, ids = filled(1, (3, 2), "float32"), filled(1, (3,), "int32", low=0, high=3)
    return [
        *(
            call(f"ops.segment_{name}", *arguments)
            for name in ("sum", "max")
            for arguments in (
                (data, filled(1, (2,), "int32")),
                (data, filled(1, (3,), "float32")),
                (data, ids, -1),
                (data, ids, 2.5),
                ([1.0, 2.0], ids),
                (filled(1, (0, 2), "float32"), filled(1, (0,), "int32")),
                (data, ids, 3, False, False, 0),
                (data, ids, 3, False, False, None, "nonsense"),
            )
        ),
        call("ops.segment_sum", filled(1, (3,), "bool"), ids),
    ]
