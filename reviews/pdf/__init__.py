"""The record of a decision as a PDF, rendered from the frozen dossier alone. It reads no database."""

from reviews.pdf.rendering import AssetRefused, Paper, render

__all__ = ["AssetRefused", "Paper", "render"]
