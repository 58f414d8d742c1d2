"""A key-value store in memory that speaks as jaxlib's does, shared by processes that are threads."""

import threading

import pytest

from treadle_compiler import jaxlib


class Store:
    def __init__(self):
        self._values = {}
        self._changed = threading.Condition()

    def key_value_set(self, key, value, allow_overwrite=False):
        with self._changed:
            assert allow_overwrite or key not in self._values
            self._values[key] = value
            self._changed.notify_all()

    def blocking_key_value_get(self, key, patience):
        with self._changed:
            if not self._changed.wait_for(lambda: key in self._values, patience / 1000):
                raise jaxlib().core.JaxRuntimeError(f"DEADLINE_EXCEEDED: {key}")
            return self._values[key]

    def key_value_try_get(self, key):
        with self._changed:
            if key not in self._values:
                raise jaxlib().core.JaxRuntimeError(f"NOT_FOUND: {key}")
            return self._values[key]

    def get_live_nodes(self, processes):
        return {process: 100 + process for process in processes}


@pytest.fixture
def values():
    """A new store."""
    return Store()
