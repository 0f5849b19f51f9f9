"""Tests of the demo: the story, its people, its worker and its command."""
