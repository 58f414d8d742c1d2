"""treadle-runtime: devices, arrays, and the call path of compiled functions."""
