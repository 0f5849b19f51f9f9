"""Memos, evidence, signatures, decisions: the records and their rules. See docs/ for the map."""
