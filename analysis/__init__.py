"""Numbers without Django: evidence in, intervals and verdicts out. Read `assess.py` first."""
