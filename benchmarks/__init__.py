"""Side-by-side measurements against the peers. `make bench` runs them; the tests never time anything."""
