"""Tests of the house itself: its layers, sizes, texts, set-up, containers and services."""
