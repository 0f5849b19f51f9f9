"""Template tags: numbers and times (numbers), badges, forms and charts (ui)."""
