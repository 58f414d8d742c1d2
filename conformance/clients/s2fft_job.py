"""s2fft: spherical harmonics of a signal, and back."""

import jax
import numpy as np
import s2fft
from reporting import show

jax.config.update("jax_enable_x64", True)
signal = np.random.default_rng(0).normal(size=(8, 15)) + 0j
harmonics = s2fft.forward(signal, 8, method="jax")
show("harmonics", harmonics)
show("back", s2fft.inverse(harmonics, 8, method="jax"))
