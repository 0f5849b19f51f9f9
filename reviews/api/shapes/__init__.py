"""Shapes of requests and answers. They check form and name fields; no shape asks, decides or saves."""
