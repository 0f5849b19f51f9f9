"""The REST API: the same services and queries as the pages, with problem details and strong ETags."""
