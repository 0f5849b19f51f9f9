"""Traces: timed events of one process by column, what was busy when, and where two traces part.

Pure arithmetic on arrays; the files are read in `analysis.evidence`.
"""
