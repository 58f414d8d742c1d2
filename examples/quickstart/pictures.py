"""Small pictures for the report: images as PNG inside of the page, charts as SVG. No library needed."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float32]]

INK: Final = (28, 32, 51)
PAPER: Final = (255, 255, 255)
WARM: Final = (214, 93, 58)
COOL: Final = (43, 108, 176)


def png(colours: np.ndarray[Any, Any]) -> str:
    """A data address of an image of bytes, (height, width, 3). (PNG: ISO/IEC 15948.)"""
    height, width, _ = colours.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), colours.reshape(height, -1)], axis=1)

    def piece(kind: bytes, content: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + check

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [piece(b"IHDR", header), piece(b"IDAT", zlib.compress(rows.tobytes(), 9))]
    data = b"\x89PNG\r\n\x1a\n" + b"".join(parts) + piece(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(data).decode()


def between(share: np.ndarray[Any, Any], low: Sequence[int], high: Sequence[int]) -> Any:
    """Colours from `low` (0) to `high` (1)."""
    share = np.clip(share, 0, 1)[..., None]
    return (np.array(low) * (1 - share) + np.array(high) * share).round().astype(np.uint8)


def image(values: Floats, alt: str = "", colour: Sequence[int] = INK) -> str:
    """A grey image as dark ink on paper."""
    return f'<img class="pixels" alt="{alt}" src="{png(between(values, PAPER, colour))}">'


def signed(values: Floats, alt: str = "") -> str:
    """Weights: warm above zero, cool below."""
    share = values / max(float(np.abs(values).max()), 1e-12)
    colours = np.where(
        (share > 0)[..., None], between(share, PAPER, WARM), between(-share, PAPER, COOL)
    )
    return f'<img class="pixels" alt="{alt}" src="{png(colours)}">'


def ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    """Round numbers between two ends."""
    rough = (high - low) / wanted
    unit = 10.0 ** np.floor(np.log10(rough))
    step = next(float(unit * m) for m in (1, 2, 2.5, 5, 10) if unit * m >= rough)
    first = np.ceil(low / step - 1e-9) * step
    return [float(x) + 0.0 for x in np.arange(first, high + step * 1e-6, step)]  # + 0.0: no -0


class Chart:
    """Axes with a grid, and what is drawn in them; text is placed by the page's style sheet."""

    def __init__(
        self,
        x: tuple[float, float],
        y: tuple[float, float],
        *,
        x_label: str,
        x_format: Callable[[float], str] = "{:g}".format,
        y_format: Callable[[float], str] = "{:g}".format,
        logarithmic: bool = False,
        size: tuple[int, int] = (520, 270),
    ) -> None:
        self.x, self.y, self.size, self.logarithmic = x, y, size, logarithmic
        self.left, self.right, self.top, self.bottom = 46, 14, 12, 38
        self.parts: list[str] = []
        width, height = size
        if logarithmic:
            low, high = (int(np.floor(np.log10(y[0]))), int(np.ceil(np.log10(y[1]))))
            rows = [m * 10.0**e for e in range(low, high + 1) for m in (1, 3)]
            rows = [value for value in rows if y[0] <= value <= y[1]]
        else:
            rows = ticks(*y)
        for value in rows:
            at = self.place(x[0], value)[1]
            self.parts.append(
                f'<path class="grid" d="M{self.left} {at:.1f}H{width - self.right}"/>'
                f'<text class="tick" x="{self.left - 8}" y="{at + 4:.1f}" text-anchor="end">'
                f"{y_format(value)}</text>"
            )
        for value in ticks(*x, wanted=6):
            at = self.place(value, y[0])[0]
            self.parts.append(
                f'<text class="tick" x="{at:.1f}" y="{height - self.bottom + 17}"'
                f' text-anchor="middle">{x_format(value)}</text>'
            )
        self.parts.append(
            f'<text class="axis" x="{(self.left + width - self.right) / 2:.0f}"'
            f' y="{height - 4}" text-anchor="middle">{x_label}</text>'
        )

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Pixels of a point."""
        low, high = self.y
        if self.logarithmic:
            low, high, y = np.log10(low), np.log10(high), np.log10(max(y, low))
        across = (x - self.x[0]) / ((self.x[1] - self.x[0]) or 1)
        up = (y - low) / ((high - low) or 1)
        width, height = self.size
        return (
            float(self.left + across * (width - self.left - self.right)),
            float(height - self.bottom - up * (height - self.top - self.bottom)),
        )

    def line(self, x: Sequence[float], y: Sequence[float], style: str) -> None:
        """A line through points; one point alone is a dot."""
        points = [self.place(a, b) for a, b in zip(x, y, strict=True)]
        if len(points) == 1:
            self.dot(x[0], y[0], style)
            return
        path = "L".join(f"{a:.1f} {b:.1f}" for a, b in points)
        self.parts.append(f'<path class="line {style}" d="M{path}"/>')

    def dot(self, x: float, y: float, style: str, note: str = "") -> None:
        """A dot."""
        a, b = self.place(x, y)
        self.parts.append(
            f'<circle class="dot {style}" cx="{a:.1f}" cy="{b:.1f}" r="4"><title>{note}</title></circle>'
        )

    def bar(self, left: float, right: float, top: float, style: str) -> None:
        """A bar that stands on the axis."""
        (a, up), (b, down) = self.place(left, top), self.place(right, self.y[0])
        self.parts.append(
            f'<rect class="bar {style}" x="{a + 0.5:.1f}" y="{up:.1f}"'
            f' width="{max(b - a - 1, 1):.1f}" height="{max(down - up, 0):.1f}"/>'
        )

    def svg(self, title: str) -> str:
        """The chart, as wide as its place in the page."""
        width, height = self.size
        return (
            f'<svg class="chart" viewBox="0 0 {width} {height}" role="img">'
            f"<title>{title}</title>{''.join(self.parts)}</svg>"
        )
