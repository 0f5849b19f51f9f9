"""Services, against the real database."""
