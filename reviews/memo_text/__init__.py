"""Memo texts in and out: `parse` and `render`, what changed between two contents, and the shipped templates.

A module a step: text → grammar → reader → one module a section → parse; writing → render.
"""

from reviews.memo_text.blank import blank
from reviews.memo_text.choosing import best_template
from reviews.memo_text.difference import RecordChange, difference
from reviews.memo_text.findings import Note
from reviews.memo_text.merge import onto
from reviews.memo_text.parse import Parsed, parse
from reviews.memo_text.render import render

__all__ = ["Note", "Parsed", "RecordChange", "best_template", "blank", "difference", "onto", "parse", "render"]
