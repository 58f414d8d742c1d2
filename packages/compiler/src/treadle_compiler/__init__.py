"""treadle-compiler: programs to StableHLO text, and text to XLA executables."""
