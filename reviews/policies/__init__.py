"""The rules of review, as data and one-line functions. Pure: no database, no clock, no request."""
