"""Views: the door, the shape in, one service or query, the shape out."""
