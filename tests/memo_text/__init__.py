"""The memo text: read, written, compared."""
