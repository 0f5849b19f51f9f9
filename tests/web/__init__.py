"""Pages, asked as a browser asks them."""
