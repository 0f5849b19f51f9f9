"""Tests of the PDF: what it is made of, what it says, and that it says it the same every time."""
