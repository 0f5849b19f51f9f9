"""The revision of a memo as it is now."""

from reviews.models import Memo, Revision


def revision_of(memo: Memo) -> Revision:
    """The current revision; every memo that a transaction shows has one."""
    revision = memo.current_revision
    if revision is None:
        raise RuntimeError(f"memo {memo.number} has no revision")
    return revision
