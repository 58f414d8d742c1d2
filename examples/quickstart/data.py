"""The images: scikit-learn's handwritten digits, or a user's own arrays from an `.npz` file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

Floats = np.ndarray[Any, np.dtype[np.float32]]
Ints = np.ndarray[Any, np.dtype[np.int32]]

SMALLEST: Final = 4  # the network halves an image twice
FEWEST: Final = 20  # images: below that there is nothing to hold out


class DataError(Exception):
    """A file that cannot be used: what is wrong, where, and how to fix it."""


@dataclass(frozen=True)
class Dataset:
    """Grey images in 0..1, a class number for each, and what the classes are called."""

    title: str
    images: Floats  # (count, height, width)
    labels: Ints  # (count,), positions in `names`
    names: list[str]

    def split(self, seed: int) -> tuple[Dataset, Dataset]:
        """Four fifths to train on and one fifth held out, drawn by `seed`."""
        order = np.random.default_rng(seed).permutation(len(self.labels))
        held_out, train = np.split(order, [len(order) // 5])
        return self.take(train), self.take(held_out)

    def take(self, rows: np.ndarray[Any, Any]) -> Dataset:
        """The images at these positions."""
        return Dataset(self.title, self.images[rows], self.labels[rows], self.names)


def digits() -> Dataset:
    """1,797 handwritten digits of 8 by 8 pixels; they are installed with scikit-learn."""
    from sklearn.datasets import load_digits  # noqa: PLC0415 -- slow, and only needed here

    bunch = load_digits()
    return prepared("Handwritten digits", bunch.images, bunch.target)


def load(path: Path) -> Dataset:
    """A user's own images and labels, checked.

    Raises:
        DataError: the file is missing, damaged, or does not hold such arrays.

    """
    images, labels = (read(path, name) for name in ("images", "labels"))
    where = f"in {path}"
    check_numbers("images", images, where)
    check_numbers("labels", labels, where)
    if images.ndim == 4 and images.shape[3] == 1:
        images = images[..., 0]
    if images.ndim != 3:
        raise DataError(
            f"The array `images` {where} has shape {images.shape}, but (count, height, width) is"
            " needed: grey images, one after another. Colours can be averaged away with"
            " `images.mean(axis=-1)`, flat rows brought to shape with `images.reshape(-1, h, w)`."
        )
    if labels.ndim != 1 or len(labels) != len(images):
        raise DataError(
            f"The arrays {where} do not fit together: `images` has shape {images.shape}, so"
            f" `labels` must have shape ({len(images)},), one number for each image, but it has"
            f" shape {labels.shape}. Save them with equal first dimensions."
        )
    if len(images) < FEWEST or min(images.shape[1:]) < SMALLEST:
        raise DataError(
            f"The array `images` {where} has shape {images.shape}, which is too small: at least"
            f" {FEWEST} images of {SMALLEST} by {SMALLEST} pixels are needed to train on four"
            " fifths of them and to test on the rest. Give more images, or larger ones."
        )
    if (labels != np.round(labels)).any():
        worst = int(np.argmax(labels != np.round(labels)))
        raise DataError(
            f"The array `labels` {where} must hold the number of a class for each image, but"
            f" labels[{worst}] is {labels[worst]}. Round the labels, or number the classes with"
            " `numpy.unique(labels, return_inverse=True)[1]`."
        )
    classes = len(np.unique(labels))
    if not 2 <= classes <= min(1000, len(images) // 2):
        raise DataError(
            f"The array `labels` {where} holds {classes} different numbers for {len(images)} images:"
            " at least two classes are needed, and several images of each. Check that `labels` are"
            " the classes, and not measurements or row numbers."
        )
    return prepared(path.stem, images, labels)


def read(path: Path, name: str) -> np.ndarray[Any, Any]:
    """One array of an `.npz` file; nothing in the file is executed."""
    fix = (
        "Write it with `numpy.savez('my.npz', images=images, labels=labels)`, images of shape"
        " (count, height, width) and labels of shape (count,)."
    )
    try:
        with np.load(path, allow_pickle=False) as archive:
            if name not in archive:
                held = ", ".join(f"`{key}`" for key in archive) or "nothing"
                raise DataError(f"{path} has no array `{name}`; it holds {held}. {fix}")
            array: np.ndarray[Any, Any] = archive[name]
            return array
    except DataError:
        raise
    except FileNotFoundError:
        raise DataError(f"There is no file {path}. Check the path given to --data. {fix}") from None
    except TypeError:  # a bare array is not a context manager
        raise DataError(f"{path} holds one bare array, not an .npz archive. {fix}") from None
    except MemoryError as error:
        raise DataError(
            f"The array `{name}` in {path} does not fit into memory ({error}). Either its header is"
            " damaged, or the file needs to be cut into smaller ones."
        ) from None
    except OSError as error:
        reason = error.strerror or error
        raise DataError(f"{path} cannot be read ({reason}). Give a readable file. {fix}") from None
    except (
        Exception
    ) as error:  # what numpy raises on damaged bytes is open: zip, zlib, tokenizer, ...
        raise DataError(damaged(path, name, error, fix)) from None


def damaged(path: Path, name: str, error: Exception, fix: str) -> str:
    """The message for content that numpy cannot make sense of."""
    reason = " ".join(str(error).split()).rstrip(".")
    if "allow_pickle" in reason or "pickled" in reason:
        reason = "it holds Python objects or is not a NumPy file at all, and objects are not loaded"
    return f"The array `{name}` cannot be read from {path}: {reason[:200]}. {fix}"


def check_numbers(name: str, array: np.ndarray[Any, Any], where: str) -> None:
    """Refuse arrays of text, dates or complex numbers, and NaN or infinity in any."""
    if array.dtype.kind not in "buif":
        raise DataError(
            f"The array `{name}` {where} has element type {array.dtype}, but real numbers are"
            f" needed. Convert it before saving, for example with `{name}.astype('float32')`"
            + (
                "; text labels can be numbered with `numpy.unique(labels, return_inverse=True)[1]`."
                if name == "labels"
                else "."
            )
        )
    finite = np.isfinite(array)
    if not finite.all():
        place = tuple(int(i) for i in np.argwhere(~finite)[0])
        index = ", ".join(map(str, place))
        raise DataError(
            f"The array `{name}` {where} is not finite everywhere: {name}[{index}] is"
            f" {array[place]}, the first of {int((~finite).sum())} such elements. Remove these"
            " images, or replace the values with `numpy.nan_to_num`."
        )


def prepared(title: str, images: np.ndarray[Any, Any], labels: np.ndarray[Any, Any]) -> Dataset:
    """Scale brightness to 0..1, pad sides to multiples of four, number the classes."""
    pixels = images.astype(np.float64)
    low, high = pixels.min(), pixels.max()
    scaled = ((pixels - low) / max(high - low, np.finfo(np.float64).tiny)).astype(np.float32)
    missing = [-side % 4 for side in scaled.shape[1:]]
    edges = [(0, 0), *((extra // 2, extra - extra // 2) for extra in missing)]
    values, numbers = np.unique(labels, return_inverse=True)
    names = [f"{value:g}" for value in values.astype(np.float64)]
    return Dataset(title, np.pad(scaled, edges), numbers.astype(np.int32), names)
