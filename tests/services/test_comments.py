"""Comments follow their text, are answered, reworded with their former words kept, resolved and reopened."""

import pytest

from reviews.errors import BadInput, NotPermitted, NotVisible, WrongState
from reviews.models import Comment, Memo, WrittenOnce
from reviews.queries import comments as readers
from reviews.services import comments, events, memos, teams
from tests import cases
from tests.services import deeds
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


def stands(memo: Memo, row: Comment) -> tuple[str, str]:
    found = readers.said(cases.again(memo), row.pk).standing
    return found.word.value, found.was


def with_target(memo: Memo, target: str) -> None:
    deeds.revise(memo, {"action": {**deeds.sections_of(memo)["action"], "rollback_target": target}})


def test_a_comment_follows_its_text_through_the_revisions() -> None:
    memo = cases.a_draft()
    with_target(memo, "build 41 of May")
    field, quoted, whole = say(memo), quote(memo, "build 41"), say(memo, anchor="action")
    assert stands(memo, field) == stands(memo, quoted) == stands(memo, whole) == ("stands", "")

    with_target(memo, "the build 41 that ran in May")
    assert stands(memo, quoted) == ("stands", "")
    assert stands(memo, field) == ("changed", "build 41 of May")
    assert stands(memo, whole) == ("changed", "rollback_target: build 41 of May")

    with_target(memo, "")
    assert stands(memo, field) == ("outdated", "build 41 of May")
    assert stands(memo, quoted) == ("outdated", "build 41")

    with_target(memo, "build 41 of May")
    assert stands(memo, field) == stands(memo, whole) == ("stands", "")


def quote(memo: Memo, words: str) -> Comment:
    return comments.comment(
        actor=cases.person("aud"), memo_id=memo.pk, anchor="action.rollback_target", text="?", answers=None, quote=words
    )


def test_a_field_or_words_that_are_not_there_are_refused() -> None:
    memo = cases.a_draft()

    with refused(BadInput, "no_such_field", "anchor"):
        say(memo, anchor="action.rollback_targets")
    with refused(BadInput, "quote_not_found", "quote"):
        quote(memo, "build 99")


def test_a_comment_is_reworded_by_its_author_and_its_former_words_are_kept() -> None:
    memo = cases.a_draft()
    row = say(memo, text="Wy?")

    for text in ("Why?", "Why now?"):
        comments.edit(actor=cases.person("aud"), comment_id=row.pk, text=text)
    said = readers.said(memo, row.pk)
    assert (said.text, said.former) == ("Why now?", ("Wy?", "Why?"))
    assert said.edited_at is not None
    with refused(BadInput, "nothing_changed"):
        comments.edit(actor=cases.person("aud"), comment_id=row.pk, text="Why now?")
    with refused(BadInput, "no_text"):
        comments.edit(actor=cases.person("aud"), comment_id=row.pk, text=" ")
    with refused(NotPermitted):
        comments.edit(actor=cases.person("ann"), comment_id=row.pk, text="x")
    with refused(NotVisible):
        comments.edit(actor=cases.person("eve"), comment_id=row.pk, text="x")
    assert events.verify(memo) == []


def test_a_resolved_comment_is_reopened_with_a_reason_and_resolved_again() -> None:
    memo = cases.a_draft()
    ann, row = cases.person("ann"), say(memo)
    say(memo, "ann", "action", "Because.", row.pk)

    def open_ones() -> int:
        return readers.open_threads(readers.said_on(memo))

    with refused(WrongState, "not_resolved"):
        comments.reopen(actor=ann, comment_id=row.pk, reason="x")
    for _ in range(2):
        assert open_ones() == 1
        comments.resolve(actor=ann, comment_id=row.pk, note="")
        assert open_ones() == 0
        with refused(BadInput, "no_reason", "reason"):
            comments.reopen(actor=ann, comment_id=row.pk, reason=" ")
        comments.reopen(actor=ann, comment_id=row.pk, reason="Not so.")
    assert [len(one.resolutions.all()) for one in readers.rows_of(memo)] == [2, 0]


def test_comments_change_no_digest_and_no_signature() -> None:
    memo = cases.a_memo_with_evidence()
    base = cases.base_of(memo)
    row = say(memo, anchor="comparisons")
    comments.edit(actor=cases.person("aud"), comment_id=row.pk, text="Other words.")
    comments.resolve(actor=cases.person("aud"), comment_id=row.pk, note="")

    assert cases.base_of(cases.again(memo)) == base
    with pytest.raises(WrittenOnce):
        row.save()
