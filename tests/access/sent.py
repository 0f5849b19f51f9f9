"""What is sent to each address that takes something: enough to be taken from somebody who may."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from reviews.models import Memo
from reviews.plan_content import plan_to_json
from reviews.queries import records, rules_page
from reviews.queries.current import revision_of
from reviews.told_words import MailWay, Reason
from tests import cases, cast
from tests.access.world import ADDRESS
from tests.api.asking import a_file

SAID: Final = {"reason": "Because."}
PASSWORD: Final = {"password": cast.PASSWORD}
MAIL: Final = {reason.value: MailWay.AT_ONCE.value for reason in Reason}
SUMMARY: Final = {"mean": "99.7", "deviation": "0.4", "count": 5}
QUERIES: Final[Mapping[str, Mapping[str, str]]] = {
    "GET memos/{number}/difference/": {"old": "1", "new": "2"},
    "GET permit/": {"image": f"sha256:{'a' * 64}", "scope": "the measured host", "percent": "5"},
    "GET planner/": {"run_sd": "1%", "step_sd": "1%", "half_width": "1%", "run_cost": "60", "step_cost": "1"},
    "GET sampling-lab/": {"p": "0.5", "n": "20"},
}
"""Method and address -> what is asked in it."""


def anew(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields, with files that can be read again."""
    for value in fields.values():
        if isinstance(value, SimpleUploadedFile):
            value.seek(0)
    return fields


def _in_days(days: int) -> str:
    return (timezone.now() + timedelta(days=days)).isoformat()


def _next_content() -> dict[str, Any]:
    """The active version of the usual template, with a higher quorum than any draft has."""
    return {**rules_page.whole_of(records.template_version(cases.TEMPLATE, None)), "quorum": 7}


def to_api(memo: Memo, places: Mapping[str, object]) -> Mapping[str, Any]:
    """Method and address under /api/v1/ -> its body."""
    later = (timezone.now() + timedelta(days=5)).isoformat()
    event = {"kind": "deployed", "build": "vllm 0.7", "happened_at": timezone.now().isoformat()}
    text = {"text": "Seen."}
    new = {"team": "serving", "template": cases.TEMPLATE, "intent": "planned_change", "text": "Title: x"}
    symptom = {"symptom": {**revision_of(memo).sections["symptom"], "workload_slice": "another slice"}}
    setting = {"setting": "max_batch"}
    explained = {**setting, **text, "greatest_effect": "1.01"}
    plan = {"plan": plan_to_json(cases.plan_content("Once more"))}
    run = {"kind": "benchmark_run", "run": "b1-baseline", "arm": "baseline", "use": "motivating"}
    attachment = {"artifact": places["sha256"], **run}
    lent = {"delegate": "ben", "starts_at": _in_days(6), "ends_at": _in_days(8), **SAID}
    return {
        "POST artifacts/": None,
        "POST artifacts/{sha256}/format/": {"format": "countersign-measurements"},
        "POST artifacts/{sha256}/recalls/": SAID,
        "POST artifacts/{sha256}/redactions/": {"kind": "secret", **SAID},
        "POST bounds/histogram-quantile/": {"edges": ["10", "20", "50", "inf"], "counts": [9, 1, 1], "p": "0.5"},
        "POST bounds/ratio/": {"baseline": {"low": "99", "high": "101"}, "candidate": {"low": "109", "high": "111"}},
        "POST comparison-of-summaries/": {"baseline": SUMMARY, "candidate": SUMMARY, "better": "lower"},
        "POST event-sources/": {"team": "serving", "name": "argo"},
        "DELETE event-sources/{source}/": {},
        "POST jobs/{job}/cancel/": {},
        "POST memo-text/check": {"template": cases.TEMPLATE, **text},
        "POST memos/": new,
        "PATCH memos/{number}/": {"sections": symptom, "said": "The slice."},
        "POST memos/{number}/batch-policy/": {},
        "POST memos/{number}/comments/": {"anchor": "symptom", **text},
        "POST memos/{number}/comments/{comment}/resolve/": {},
        "POST memos/{number}/comparisons/{key}/absence/": SAID,
        "POST memos/{number}/comparisons/{key}/compute/": {},
        "POST memos/{number}/comparisons/{key}/explanations/": explained,
        "POST memos/{number}/comparisons/{key}/explanations/accept/": setting,
        "POST memos/{number}/comparisons/{key}/compute/stale-after/": {},
        "POST memos/{number}/comparisons/{key}/explanations/stale-after/": explained,
        "POST memos/{number}/comparisons/{key}/statements/": {**setting, "arm": "baseline", "value": "4"},
        "POST memos/{number}/delegations/": {"role": cases.OWNERS["olga"], **lent},
        "POST memos/{number}/delegations/{delegation}/end/": SAID,
        "POST memos/{number}/evidence-sets/": {"title": "More runs"},
        "POST memos/{number}/evidence-sets/{evidence_set}/attachments/": attachment,
        "POST memos/{number}/evidence-sets/{evidence_set}/seal/": {},
        "POST memos/{number}/evidence-sets/{evidence_set}/seal/stale-after/": {},
        "POST memos/{number}/hypotheses/{hypothesis}/resolution/": {"state": "refuted", **SAID},
        "POST memos/{number}/objections/{objection}/answers/": text,
        "POST memos/{number}/observations/": text,
        "POST memos/{number}/outcomes/": text,
        "POST memos/{number}/plans/": plan,
        "POST memos/{number}/plans/{nonce}/run-accounts/": {"run": "b9-baseline", **SAID},
        "POST memos/{number}/production-events/": event,
        "POST memos/{number}/rechecks/": {
            "comparison": "C1", "title": "Again", "text": "x", "files": [attachment],
        },
        "POST memos/{number}/replays/": {"effect": "C1", "builds": ["v0", "v1"], "inputs": "The same.", "runs_each": 3},
        "POST memos/{number}/replays/{replay}/steps/": {"build": "v2"},
        "POST memos/{number}/return/": SAID,
        "POST memos/{number}/stale-after/": {"sections": symptom},
        "POST memos/{number}/submit/": {},
        "PUT memos/{number}/text/": {"text": "Title: x", "said": "Anew."},
        "POST memos/{number}/traces/": {"set": 1},
        "POST memos/{number}/triage/marks/": {"step": 1, "note": "Seen."},
        "POST memos/{number}/waivers/": {
            "requirement": cases.ENERGY, "owner": "tess", "control": "Watched.", "expires_at": later, **SAID,
        },
        "POST memos/{number}/waivers/{waiver}/decline/": SAID,
        "POST memos/{number}/withdraw/": SAID,
        "POST next-measurement/": {
            "hypotheses": [{"key": "H1"}, {"key": "H2"}],
            "measurements": [{
                "name": "clocks replay", "standard_error": "0.01", "minutes": "60",
                "predictions": [{"hypothesis": "H1", "low": "0.93", "high": "0.97"}],
            }],
        },
        "PUT memos/{number}/comments/{comment}/": text,
        "POST memos/{number}/comments/{comment}/reopen/": SAID,
        "POST templates/{slug}/drafts/": {"content": _next_content(), **SAID},
        "POST templates/drafts/{draft}/activate/": {"replay": places["replay_digest"], **SAID},
        "POST teams/{team}/reference-builds/": {"build": "vllm 0.6", **SAID},
        "POST notifications/read/": {"notifications": []},
        "PUT notification-preferences/": {"mail": {}, "zone": "UTC", "digest_hour": 8, "quiet": None},
        "POST channels/": {
            "team": "serving", "kind": "webhook", "name": "x", "address": ADDRESS, "reasons": [],
        },
        "DELETE channels/{channel}/": {},
        "POST production-events/": event,
        "POST tokens/": {"name": "nightly", "scopes": ["read"], "expires_at": later},
        "DELETE tokens/{token}/": {},
    }  # fmt: skip


def to_pages(digest: str, places: Mapping[str, object]) -> Mapping[str, Any]:
    """Method and address -> the fields of its form. digest: of the revision that the page showed."""
    base = {"base": digest}
    meeting = {"held_at": f"{timezone.now():%Y-%m-%dT%H:%M:%S.%f}", **SAID}
    just_now = f"{timezone.now() - timedelta(minutes=5):%Y-%m-%dT%H:%M}"
    sure = {"sure": "on"}
    later = (timezone.now() + timedelta(days=5)).strftime("%Y-%m-%d")
    text = {"text": "Seen."}
    new = {"team": "serving", "template": cases.TEMPLATE, "intent": "planned_change", "text": "Title: x"}
    setting = {"setting": "max_batch"}
    explained = {**setting, **text, "greatest_effect": "1.01"}
    run = {"kind": "benchmark_run", "arm": "baseline", "run": "b1-baseline", "use": "motivating"}
    return {
        "POST artifacts/{sha256}/again/": {},
        "POST artifacts/{sha256}/format/": {"format": "countersign-measurements"},
        "POST artifacts/{sha256}/recall/": SAID,
        "POST artifacts/{sha256}/redact/": {"kind": "secret", **SAID},
        "POST artifacts/{sha256}/stop/": {},
        "POST memos/new/": new,
        "POST memos/new/preview/": new,
        "POST memos/{number}/batch-policy/ask/": {},
        "POST memos/{number}/batch-policy/cancel/": {},
        "POST memos/{number}/comments/": {"anchor": "symptom", **text},
        "POST memos/{number}/comments/{comment_id}/edit/": text,
        "POST memos/{number}/comments/{comment_id}/reopen/": SAID,
        "POST memos/{number}/comments/{comment_id}/resolve/": {},
        "POST memos/{number}/sign/passkey/": {**base, "role": cases.OWNERS["olga"], "position": "approve"},
        "POST memos/{number}/traces/{set_number}/again/": {},
        "POST memos/{number}/triage/replays/": {
            "effect": "C1", "builds": "v0\nv1", "inputs": "The same.", "runs_each": "3",
        },
        "POST memos/{number}/triage/replays/{replay}/steps/": {"build": "v2"},
        "POST memos/{number}/triage/steps/{step}/mark/": {"note": "Seen."},
        "POST notifications/channels/": {"team": "serving", "kind": "webhook", "name": "x", "address": ADDRESS},
        "POST notifications/channels/{channel_id}/end/": {},
        "POST notifications/preferences/": {"zone": "UTC", "digest_hour": "8", **MAIL},
        "POST notifications/read/": {},
        "POST rules/{slug}/edit/": places["edited_rules"],
        "POST rules/drafts/{draft_id}/": {"replay": places["replay_digest"], **SAID},
        "POST rules/references/{team}/pin/": {"build": "vllm 0.6", **SAID},
        "POST memos/{number}/comparisons/{key}/accept/": setting,
        "POST memos/{number}/comparisons/{key}/again/": {},
        "POST memos/{number}/comparisons/{key}/compute/": {},
        "POST memos/{number}/comparisons/{key}/explain/": {**explained, **sure},
        "POST memos/{number}/comparisons/{key}/leave/": SAID,
        "POST memos/{number}/comparisons/{key}/state/": {**setting, **sure, "arm": "baseline", "value": "4"},
        "POST memos/{number}/conditions/{condition_id}/clear/": {"proof": "A dashboard."},
        "POST memos/{number}/decide/": {**base, **PASSWORD, "kind": "escalate", "rationale": "One host."},
        "POST memos/{number}/decide/emergency/": {**PASSWORD, **SAID, "effective_at": just_now},
        "POST memos/{number}/delegations/": {
            "role": cases.OWNERS["olga"], "delegate": "ben", "scope": "memo", **SAID,
            "starts_at": _in_days(6)[:10], "ends_at": _in_days(8)[:10],
        },
        "POST memos/{number}/delegations/{delegation_id}/end/": SAID,
        "POST memos/{number}/edit/": {**base, "act": "save", "sure": "on", "said": "Anew.", "text": "Title: x"},
        "POST memos/{number}/evidence/open/": {"title": "More runs"},
        "POST memos/{number}/evidence/{set_number}/attach/": {
            "uploads": a_file(b"Set it back to 4.", "back.txt"), "kind": "rollback_procedure", "use": "motivating",
        },
        "POST memos/{number}/evidence/{set_number}/detach/": {"attachment": places["attachment"], **SAID},
        "POST memos/{number}/evidence/{set_number}/label/": {"artifact": places["in_open_set"], **run},
        "POST memos/{number}/evidence/{set_number}/seal/": sure,
        "POST memos/{number}/follow-ups/{follow_up_id}/meet/": {"note": "Done."},
        "POST memos/{number}/hypotheses/{key}/resolve/": {"state": "refuted", **SAID},
        "POST memos/{number}/plans/register/": {"plan": json.dumps(plan_to_json(cases.plan_content("Once more")))},
        "POST memos/{number}/plans/{plan_id}/account/": {"run": "b9-baseline", **SAID},
        "POST memos/{number}/return/": SAID,
        "POST memos/{number}/rollout/": {"stage": "2", **PASSWORD},
        "POST memos/{number}/sign/": {
            **base, **PASSWORD, "role": cases.OWNERS["olga"], "position": "approve", "kinds": ["rollback"],
        },
        "POST memos/{number}/sign/{signature_id}/answer/": text,
        "POST memos/{number}/sign/{signature_id}/hear/": meeting,
        "POST memos/{number}/sign/{signature_id}/override/": meeting,
        "POST memos/{number}/sign/{signature_id}/resolve/": SAID,
        "POST memos/{number}/sign/{signature_id}/withdraw/": SAID,
        "POST memos/{number}/submit/": base,
        "POST memos/{number}/traces/compare/": {"set": "1"},
        "POST memos/{number}/waivers/": {
            "requirement": cases.ENERGY, "owner": "tess", "control": "Watched.", "expires_at": later, **SAID,
        },
        "POST memos/{number}/waivers/{waiver_id}/approve/": PASSWORD,
        "POST memos/{number}/waivers/{waiver_id}/decline/": SAID,
        "POST memos/{number}/withdraw/": SAID,
    }  # fmt: skip
