"""Charts, drawn twice from one specification."""
