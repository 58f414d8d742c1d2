"""Functions with derivative rules of their own."""

from __future__ import annotations

from treadle_autodiff import (
    custom_gradient as custom_gradient,
    custom_jvp as custom_jvp,
    custom_vjp as custom_vjp,
)
