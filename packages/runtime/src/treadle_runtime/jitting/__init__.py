"""`jit`: signatures, traces, compiled calls, the call path, and the stages of it that users look at."""
