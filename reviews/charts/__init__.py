"""Drawing: a chart specification as plotly JSON for pages (plotting) and as SVG for the PDF (svg), and its table."""
