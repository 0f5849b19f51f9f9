"""A file is redacted on its page by who may; every page that shows it says so, and none breaks."""

import pytest

from reviews.models import Memo
from reviews.services import store
from tests import cases
from tests.services import deeds
from tests.web.test_rollout_page import client, page, text

pytestmark = pytest.mark.django_db
SENT = {"kind": "customer_data", "reason": "A prompt names a customer."}


def test_it_is_redacted_where_its_effect_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reviews.services.redactions.transaction.on_commit", lambda deed: deed())
    memo = cases.a_memo_with_evidence()
    sha256 = next(part.artifact for part in deeds.content(memo).evidence.sets[0].attachments if part.arm)
    path = f"/artifacts/{sha256}/"
    before = text("adi", path)
    assert "Redact this file" in before
    assert "C1, C2 cannot be computed again; its gate waits for a file without it, or a waiver" in before
    assert "Redact this file" not in text("ann", path)
    assert client("ann").post(f"{path}redact/", SENT).status_code == 403
    assert client("eve").post(f"{path}redact/", SENT).status_code == 404
    assert client("adi").post(f"{path}redact/", {**SENT, "reason": ""}).status_code == 422

    done = client("adi").post(f"{path}redact/", SENT)

    assert (done.status_code, store.holds(sha256)) == (302, False)
    after = text("adi", path)
    assert "Bytes redacted" in after
    assert "(customer data: A prompt names a customer). Digest, size and trail stand." in after
    assert "Redact this file" not in after
    assert "Download" not in after
    assert client("ann").get(f"{path}bytes/").status_code == 410
    shown(memo)


def shown(memo: Memo) -> None:
    """Every page on which the file stands says that it is redacted."""
    assert "This memo cites a file whose bytes were redacted" in text("olga", page(memo, ""))
    assert "Bytes redacted by Adi" in text("olga", page(memo, "evidence/"))
    assert "It cannot be computed again from its files." in text("olga", page(memo, "comparisons/C1/"))
    assert client("sam").post(page(memo, "comparisons/C1/compute/")).status_code == 410
    assert client("sam").post(page(memo, "comparisons/C1/again/")).status_code == 410
    assert "Redacted evidence" in text("ann", "/")
