"""Tests mirror the code."""
