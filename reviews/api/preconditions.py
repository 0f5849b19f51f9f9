"""`If-Match`: a write says which revision it was made from; without it 428, with an old one 412 and what changed."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Final

from rest_framework.request import Request

from reviews.api.problems import MatchFailed, MatchNeeded
from reviews.errors import StalePage
from reviews.models import Memo
from reviews.queries import records

HEADER: Final = "If-Match"
ETAG: Final = re.compile(r'"([0-9a-f]{64})"')


def etag(digest: str) -> str:
    """The strong entity tag of a digest."""
    return f'"{digest}"'


@contextmanager
def base_of(request: Request, memo: Memo) -> Iterator[str]:
    """The digest that the request names; a StalePage raised inside becomes MatchFailed, with the difference.

    Raises:
        MatchNeeded: there is no If-Match. MatchFailed: it is no strong tag of ours.
    """
    said = request.headers.get(HEADER, "")
    if not said:
        raise MatchNeeded(
            "This write needs If-Match.", needs="Send the ETag of the memo that you changed.", where=HEADER
        )
    found = ETAG.fullmatch(said.strip())
    if found is None:
        raise MatchFailed(f"{said[:80]} is no ETag of a revision.", needs="Get the memo again.", where=HEADER)
    try:
        yield found[1]
    except StalePage as stale:
        raise _failed(memo, found[1], stale) from stale


def _failed(memo: Memo, base: str, stale: StalePage) -> MatchFailed:
    failed = MatchFailed(stale.message, needs=stale.needs, where=HEADER)
    failed.changes = tuple(asdict(change) for change in records.changes_since(memo, base))
    return failed
