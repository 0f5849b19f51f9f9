"""Batch policy: what a sweep shows under limits, in words, as JSON, and as a curve pack. No database."""
