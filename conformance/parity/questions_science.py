"""What both libraries are asked of what is composed of other functions: segments, images, SciPy's functions."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from conformance.parity.questions import COMPLEX, Drawer, Question, call, filled


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


def edited(d: Drawer) -> list[Question]:
    """Elements inserted and deleted, bits, positions, sets, histograms of points, floats decomposed."""
    asked = []
    for shape in ([5], [3, 4]):
        axis = d.one((None, 0, -1))
        size = int(np.prod(shape)) if axis is None else shape[axis]
        places = d.one((1, d.array([2], dtype="int32", low=0, high=size), {"slice": [1, 3, None]}))
        x, y = d.array(shape, "iufc"), d.array([], "iuf")
        asked += [call("numpy.delete", x, places, axis), call("numpy.insert", x, places, y, axis)]
        trim = d.one(("f", "b", "fb"))
        asked.append(call("numpy.trim_zeros", d.array(shape, "iu", low=0, high=2), trim))
        bits, order = d.array(shape, "biu", low=0, high=2), d.one(("big", "little"))
        asked.append(call("numpy.packbits", bits, axis, order))
        packed = d.array(shape, dtype="uint8", low=0, high=255)
        asked.append(call("numpy.unpackbits", packed, axis, d.one((None, 5, -3, 90)), order))
        asked += [
            call(f"numpy.unique_{name}", d.array(shape, "iuf"), size=d.one((None, 4, 20)))
            for name in ("values", "counts", "inverse", "all")
        ]
        whole = d.one(("iu", "i", "u"))
        asked += [
            call(
                f"numpy.{name}",
                d.array(shape, whole, low=0, high=99),
                d.one((12, d.array([1], whole))),
            )
            for name in ("gcd", "lcm")
        ]
        x = d.array(shape, "f", low=0.25, high=5)
        asked += [call(f"numpy.{name}", x) for name in ("frexp", "modf", "spacing")]
        asked.append(call("numpy.ldexp", x, d.array(shape, "iu", low=0, high=5)))
        choices = [d.array(shape[-1:], "iuf"), d.array([], "f"), 3]
        positions = d.array(shape, "i", low=-5, high=5)
        asked += [call("numpy.choose", positions, choices, mode=m) for m in ("wrap", "clip")]
    x, y = d.array([7], "i", low=0, high=6), d.array([5], "i", low=0, high=6)
    for size in (None, 4, 15):
        asked.append(call("numpy.setxor1d", x, y, size=size))
    asked.append(call("numpy.fill_diagonal", d.array([3, 4], "iuf"), y, inplace=False))
    a, b = d.array([9], "f"), d.array([9], "f")
    asked.append(call("numpy.histogram2d", a, b, [3, 2], [None, [-1, 2]]))
    asked.append(call("numpy.histogram2d", a, b, 3, weights=d.array([9], "iuf")))
    asked.append(call("numpy.histogramdd", d.array([9, 3], "f"), 2, density=d.one((None, True))))
    return asked


def polynomials(d: Drawer) -> list[Question]:
    asked = []
    for n, m in ((1, 3), (4, 2), (5, 5)):
        x, y = d.array([n], "iuf"), d.array([m], "iuf", low=1, high=4)
        asked += [call(f"numpy.poly{f}", x, y) for f in ("add", "sub", "mul", "div")]
        order = int(d.random.integers(0, 4))
        asked += [call("numpy.polyder", x, order), call("numpy.polyint", x, order)]
    return asked


METHODS: Final = ("nearest", "linear", "cubic", "lanczos3", "lanczos5", "area")


def images(d: Drawer) -> list[Question]:
    asked = []
    for method in METHODS:
        x, size = d.array([4, 3], "f", dtype="float32"), [int(d.random.integers(1, 9)), 3]
        more = {"antialias": d.one((True, False))}
        asked.append(call("image.resize", x, size, method, **more))
        if method not in ("nearest", "area"):
            scale, shift = (
                d.array([1], dtype="float32", low=0.4, high=3),
                d.array([1], dtype="float32"),
            )
            asked.append(
                call("image.scale_and_translate", x, size, [0], scale, shift, method, **more)
            )
    for mode in ("constant", "nearest", "wrap", "mirror", "reflect"):
        places = [d.array([6], "f", dtype="float32") for _ in range(2)]
        for order in (0, 1):
            x = d.array([3, 4], "if")
            asked.append(call("scipy.ndimage.map_coordinates", x, places, order, mode, 2))
    codes = d.array([4, 3], "f", dtype="float32")
    asked.append(call("scipy.cluster.vq.vq", d.array([5, 3], "if"), codes))
    return asked


def signals(d: Drawer) -> list[Question]:
    asked = []
    for mode in ("full", "same", "valid"):
        for n, m in ((5, 3), (2, 4)):
            x, y = d.array([n], "iuf"), d.array([m], "iuf")
            asked += [call(f"scipy.signal.{f}", x, y, mode) for f in ("convolve", "correlate")]
            x, y = d.array([n, n], dtype="float32"), d.array([m, m - 1], dtype="float32")
            asked += [call(f"scipy.signal.{f}", x, y, mode) for f in ("convolve2d", "correlate2d")]
            asked.append(call("scipy.signal.fftconvolve", x, y, mode))
    asked.append(call("scipy.signal.detrend", d.array([2, 6], "f", dtype="float32"), 1, bp=[0, 3]))
    asked.append(call("scipy.signal.detrend", d.array([2, 6], "iuf"), 0, "constant"))
    x, y = d.array([2, 9], dtype="float32"), d.array([1, 9], dtype="float32")
    for window in ("hann", {"tuple": ["kaiser", 2.0]}):
        more = {"window": window, "nperseg": d.one((3, 4))}
        asked.append(
            call("scipy.signal.stft", x, 2.0, **more, boundary=d.one((None, "odd", "even")))
        )
        asked.append(call("scipy.signal.welch", x, **more, average=d.one(("mean", "median"))))
        asked.append(call("scipy.signal.csd", y, x, **more, return_onesided=d.one((True, False))))
    asked.append(call("scipy.signal.istft", d.array([3, 4], dtype="float32"), window="hamming"))
    return asked


GROUPS: Final = {
    "signals": signals,
    "segments": segments,
    "edited": edited,
    "polynomials": polynomials,
    "images": images,
}


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
        *(
            call(f"numpy.{name}", x, 2)
            for name in ("gcd", "lcm")
            for x in (1.5, True, data, "text")
        ),
        *(
            call("numpy.delete", data, x)
            for x in (9, 1.5, "text", [0, 1], filled(1, (2,), "float32"))
        ),
        *(call("numpy.insert", data, x, 1.0) for x in (1.5, "text", [0, 1])),
        call("numpy.insert", data, ids, filled(1, (2,), "float32")),
        *(call("numpy.packbits", x) for x in (data, "text", [1, 0])),
        *(call("numpy.unpackbits", x) for x in (data, ids, "text")),
        call("numpy.packbits", ids, 0, "nonsense"),
        *(call("numpy.choose", ids, *x) for x in (([],), ([1],), ([1, 2, 3], None, "nonsense"))),
        call("numpy.choose", data, [1, 2]),
        call("numpy.fill_diagonal", data, 1),
        *(call("numpy.fill_diagonal", x, 1, inplace=False) for x in (ids, 1.0)),
        *(
            call(f"numpy.{name}", x)
            for name in ("frexp", "modf", "spacing")
            for x in ("text", COMPLEX)
        ),
        *(
            call("numpy.ldexp", *x)
            for x in ((1.0, 2.0), (COMPLEX, 2), (data, filled(1, (4,), "int32")))
        ),
        *(call("numpy.histogramdd", *x) for x in ((ids,), (data, [1, 2, 3]), (data, 2, [[0, 1]]))),
        call("numpy.histogram2d", ids, filled(1, (4,), "float32")),
        call("numpy.setxor1d", [1, 2], ids),
        call("numpy.trim_zeros", [1, 0]),
    ]
