"""Documentation of the detection of reused random keys; JAX's module of that name is such a page, too.

With the setting `debug_key_reuse`, for the whole program or within a block, the second use of a key is an error that
names both lines, whether functions are compiled or not:

    >>> import treadle
    >>> from treadle import random
    >>> key = random.key(0)
    >>> with treadle.debug_key_reuse(True):
    ...     x = random.normal(key)
    ...     try:
    ...         y = random.normal(key)
    ...     except treadle.errors.KeyReuseError as error:
    ...         print(str(error).partition(":")[0])
    a random key that has been used already is drawn from

`random.split` gives as many keys as are needed, and `random.clone` says that a key is used again on purpose.
"""

from __future__ import annotations

from treadle_ir.errors import boundaries

__all__: list[str] = []

boundaries(__name__)
