"""Valid calls of transforms, windows and contractions, in addition to `calls.py`."""

from __future__ import annotations

from typing import Any, Final

import treadle.numpy as tnp
import treadle.scipy.fft
from treadle import lax

NAMESPACES: Final[dict[str, Any]] = {"tnp.fft": tnp.fft, "scipy.fft": treadle.scipy.fft}

LEFT_OUT: Final[dict[str, str]] = {
    **dict.fromkeys(
        [
            *("lax.AccuracyMode", "lax.DotAlgorithm", "lax.DotAlgorithmPreset", "lax.FftType"),
            *("lax.RandomAlgorithm", "lax.RaggedDotDimensionNumbers"),
        ],
        "an enumeration, or a tuple of what is looked at where it is used",
    ),
    "lax.rng_uniform": "it raises: there is no such generator",
    **dict.fromkeys(
        [
            *("lax.all_to_all", "lax.pbroadcast", "lax.pcast", "lax.ppermute", "lax.pshuffle"),
            *(
                "lax.psum_scatter",
                "lax.psum_scatter_start",
                "lax.pswapaxes",
                "lax.ragged_all_to_all",
            ),
        ],
        "it has a meaning under vmap only",
    ),
}

NAMES: Final[dict[str, Any]] = {
    "ragged": lax.RaggedDotDimensionNumbers((((1,), (1,)), ((), ())), (0,), (0,))
}

TABLE: Final = """
tnp.fft: fft hfft ifft ihfft irfft rfft (v)
tnp.fft: fft2 fftn ifft2 ifftn irfft2 irfftn rfft2 rfftn fftshift ifftshift (x)
tnp.fft: fftfreq rfftfreq (4)
tnp: bartlett blackman hamming hanning (4)
tnp: kaiser (4, 2.5)
lax: fft (x, "rfft", (3,))
lax: rng_bit_generator (tnp.tile(raw, 2), (3,))
lax: scaled_dot (x, x.T)
lax: create_token (x)
lax: after_all (lax.create_token())
lax: ragged_dot (x, tnp.ones((2, 3, 4)), tnp.array([1, 1]))
lax: ragged_dot_general (x, tnp.ones((2, 3, 4)), tnp.array([1, 1]), ragged)
lax: Tolerance (0.5)
lax: log2 one_minus_square stage (x)
lax: mulhi (i, i)
lax: polynomial (x, [1.0, 2.0])
lax: broadcast_like (v, x)
lax: broadcast_to_rank (x, 3)
lax: shape_as_value ((2, 3))
lax: empty ((2, 3), np.float32)
lax: index_take (x, (i,), (1,))
lax: scatter_sub (x, rows, y, scattering)
lax: scatter_apply (x, rows, linear, scattering, update_shape=(2, 3))
lax: approx_max_k approx_min_k (x, 2)
lax: conv_transpose (tnp.ones((1, 4, 4, 2)), tnp.ones((3, 2, 2, 5)), (2, 2), "SAME")
lax: conv_general_dilated_patches (image, (2, 2), (1, 1), "SAME")
lax: conv_general_dilated_local (image, tnp.ones((3, 8, 4, 4)), (1, 1), "SAME", (2, 2))
lax: conv_shape_tuple ((1, 2, 4, 4), (2, 2, 2, 2), (1, 1), "SAME")
lax: conv_general_shape_tuple conv_transpose_shape_tuple ((1, 2, 4, 4), (2, 2, 2, 2), (1, 1), "SAME", None)
lax: conv_general_permutations (("NCHW", "OIHW", "NCHW"))
lax: reduce_window_shape_tuple ((4, 4), (2, 2), (1, 1), "SAME")
scipy.fft: dct dctn idct idctn (x)
"""
