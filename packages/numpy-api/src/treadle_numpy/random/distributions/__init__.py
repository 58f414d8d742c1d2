"""Random numbers by distribution."""
