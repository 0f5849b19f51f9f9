"""What a request costs through all of our middleware, against the same answer through Django's handler alone."""

from collections.abc import Iterator

import django
from django.test import Client, override_settings

from benchmarks.ratio import Ratio, in_turns

REQUESTS = 200


def ask(client: Client) -> None:
    """The health page, 200 times in one process."""
    for _ in range(REQUESTS):
        assert client.get("/healthz", headers={"host": "localhost"}).status_code == 200


def measure(*, quick: bool) -> Iterator[Ratio]:
    django.setup()
    with override_settings(MIDDLEWARE=[]):
        bare = Client()
        ask(bare)
    full = Client()
    ours, peer = in_turns(lambda: ask(full), lambda: ask(bare), rounds=3 if quick else 7)
    yield Ratio("a page through the middleware", ours, peer, "without any", budget=4)
