"""Comments are anchored, answered, resolved once, and never edited."""

import pytest

from reviews.errors import BadInput, NotVisible, WrongState
from reviews.models import Comment, Memo
from reviews.services import comments, memos, teams
from tests import cases
from tests.services.deeds import refused

pytestmark = pytest.mark.django_db


def say(
    memo: Memo,
    name: str = "aud",
    anchor: str = "action.rollback_target",
    text: str = "Why?",
    answers: int | None = None,
) -> Comment:
    return comments.comment(actor=cases.person(name), memo_id=memo.pk, anchor=anchor, text=text, answers=answers)


def test_whoever_sees_the_memo_comments_on_a_field_of_a_revision() -> None:
    memo = cases.a_draft()

    row = say(memo)

    assert (row.section, row.field, row.author_name) == ("action", "rollback_target", "Aud")
    assert row.revision == memo.current_revision
    assert say(memo, "ann", "action", "Because.", row.pk).parent == row


def test_what_is_no_comment_is_refused() -> None:
    memo, other = cases.a_draft(), cases.a_draft()
    elsewhere = say(other)

    for anchor in ("", "weather", "weather.rain"):
        with refused(BadInput, where="anchor"):
            say(memo, anchor=anchor)
    with refused(BadInput, "no_text"):
        say(memo, text=" ")
    with refused(NotVisible, where="answers"):
        say(memo, answers=elsewhere.pk)
    with refused(NotVisible):
        say(memo, "eve")


def test_a_comment_is_resolved_once() -> None:
    memo = cases.a_draft()
    row = say(memo)

    assert comments.resolve(actor=cases.person("ann"), comment_id=row.pk, note="Said now.").by_name == "Ann"
    with refused(WrongState, "resolved_already"):
        comments.resolve(actor=cases.person("ann"), comment_id=row.pk, note="")
    with refused(NotVisible):
        comments.resolve(actor=cases.person("eve"), comment_id=row.pk, note="")
    with refused(NotVisible):
        comments.resolve(actor=cases.person("ann"), comment_id=row.pk + 99, note="")


def test_a_withdrawn_memo_is_not_commented() -> None:
    memo = cases.a_draft()
    memos.withdraw(actor=cases.person("ann"), memo_id=memo.pk, reason="")

    with refused(WrongState):
        say(memo)


def test_who_commented_sees_the_memo_also_after_the_role_has_ended() -> None:
    memo = cases.a_draft()
    say(memo)
    assignment = memo.team.assignments.get(person__username="aud")
    teams.end_assignment(actor=cases.person("adi"), assignment_id=assignment.pk, reason="Moved.")

    assert say(memo, text="And now?").author_name == "Aud"
