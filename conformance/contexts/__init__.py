"""Settings that results depend on, and the law that a function which is used again gives what a fresh one gives."""
