"""Findings and reports as text, HTML, JSON and SARIF; events as a Perfetto trace."""
