"""One program on several devices at once."""
