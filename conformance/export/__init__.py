"""Exported programs: what they compute after a journey as bytes, and artefacts of former releases."""
