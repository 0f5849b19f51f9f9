"""A memo that holds one of everything, who asks, and the addresses of what it holds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.utils import timezone

from reviews.models import EventSource, FollowUp, Memo
from reviews.queries import records, rules_page
from reviews.services import (
    assessments,
    channels,
    comments,
    delegations,
    jobs,
    parsing,
    templates,
    tokens,
    triage,
    webhooks,
)
from reviews.services.channels import ChannelWish
from reviews.services.delegations import DelegationWish
from reviews.vocabulary import StandingRole, State
from reviews.web.forms.rules import EditTemplate
from tests import cases, cast, triaged
from tests.api import asking
from tests.api.asking import Asker
from tests.services import deeds

DECIDED: Final = (State.ROLLING_OUT, State.SHIPPED, State.ROLLED_BACK, State.CLOSED)
STATES: Final = tuple(State)
ADDRESS: Final = "https://hooks.example/in"
"""Where channels of a team send to; nothing is sent there by these questions."""

ASKERS: Final[Mapping[str, Callable[[], Asker]]] = {
    "anonymous": asking.as_nobody,
    "stranger": lambda: asking.as_person("eve"),
    "other team": lambda: asking.as_person("oda"),
    "auditor": lambda: asking.as_person("aud"),
    "author": lambda: asking.as_person("ann"),
    "contributor": lambda: asking.as_person("sam"),
    "required owner": lambda: asking.as_person("olga"),
    "board": lambda: asking.as_person("bea"),
    "rollback owner": lambda: asking.as_person("rob"),
    "escalation owner": lambda: asking.as_person("esk"),
    "administrator": lambda: asking.as_person("adi"),
    "operator": lambda: asking.as_person("opal"),
    "token: read": lambda: asking.as_token("ann", "read"),
    "token: file": lambda: asking.as_token("ann", "file"),
    "token: attach": lambda: asking.as_token("ann", "attach"),
    "token: report": lambda: asking.as_token("ann", "report"),
}
"""Who asks. "other team" is in another team, with every standing role; "operator" has no role, and operates the house.

Tokens are the author's: each may what its scope names, and nothing else that the author may."""


@dataclass(frozen=True, slots=True)
class World:
    """A memo that holds one of everything. places: name in an address -> what stands there.

    elsewhere: method and address -> the places that are other ones there: its deed needs a row in another state.
    """

    memo: Memo
    places: Mapping[str, object]
    elsewhere: Mapping[str, Mapping[str, object]]


def a_world(state: State) -> World:
    """A memo in the state: undecided, or decided on a rollout. The guards of the database must be removed."""
    memo = _furnished(cases.a_memo_rolling_out() if state in DECIDED else cases.a_memo_with_evidence())
    places, elsewhere = _places(memo), _elsewhere(memo)
    Memo.objects.filter(pk=memo.pk).update(state=state)
    return World(cases.again(memo), places, elsewhere)


def _furnished(memo: Memo) -> Memo:
    """With an explanation, objection, condition, comments, delegation, unanswered waiver, follow-up and open set."""
    if memo.state == State.IN_REVIEW:
        said = {"setting": "max_batch", "text": "Asked for.", "greatest_effect": "1.01"}
        assessments.explain(actor=cases.person("ann"), memo_id=memo.pk, comparison="C2", **said)
    for name in ("olga", "rob"):
        cases.sign(memo, name, cases.OWNERS.get(name, "rollback_owner"))
    cases.sign(memo, "tess", cases.OWNERS["tess"], "approve_with_conditions")
    cases.sign(memo, "quin", cases.OWNERS["quin"], "object", text="One host only.")
    for text in ("Which slice?", "Which hosts?"):
        comments.comment(actor=cases.person("ann"), memo_id=memo.pk, anchor="symptom", text=text, answers=None)
    comments.resolve(actor=cases.person("ann"), comment_id=memo.comments.latest("pk").pk, note="H200.")
    lent = DelegationWish(
        role=cases.OWNERS["olga"], delegate="dora", starts_at=None, ends_at=timezone.now() + timedelta(days=5),
        reason="Away.",
    )  # fmt: skip
    cast.a_person("dora")
    delegations.delegate_on(actor=cases.person("olga"), memo_id=memo.pk, wish=lent)
    cases.ask_for_waiver(memo)
    cases.an_open_set(memo)
    if decision := memo.decisions.first():
        FollowUp.objects.create(
            memo=memo, decision=decision, requirement="", text="Measure again.", owner=cases.person("ann"),
            owner_name="Ann", due_at=timezone.now() + timedelta(days=3), created_at=timezone.now(),
        )  # fmt: skip
    other = cast.a_team("training")
    for role in StandingRole:
        cast.assign(other, "oda", role)
    deeds.operator()
    webhooks.make_source(actor=cases.person("bea"), team="serving", name="deployer")
    return cases.again(memo)


def _places(memo: Memo) -> Mapping[str, object]:
    """What the names in addresses lead to, for this memo."""
    ann, adi = cases.person("ann"), cases.person("adi")
    active = records.template_version(cases.TEMPLATE, None)
    drafted = {**rules_page.whole_of(active), "quorum": 6}
    draft = templates.draft(actor=adi, slug=cases.TEMPLATE, content=drafted, reason="More eyes.")
    replay = triage.plan_replay(actor=ann, memo_id=memo.pk, wish=triaged.wish())
    wish = ChannelWish(kind="webhook", name="ours", address=ADDRESS, reasons=())
    channel, _ = channels.make_channel(actor=adi, team="serving", wish=wish)
    later = timezone.now() + timedelta(days=1)
    token, _ = tokens.issue(actor=ann, name="hers", scopes=("read",), expires_at=later)
    opened = memo.evidence_sets.get(state="open")
    runs = next(part.artifact for part in deeds.content(memo).evidence.sets[0].attachments if part.arm)
    objection = memo.signatures.filter(position="object").latest("pk")
    waiver = memo.waivers.latest("pk")
    plan = memo.plans.earliest("pk")
    follow_up = memo.follow_ups.first()
    job = jobs.request(
        actor=cases.person("ann"), kind=parsing.JOB, subject=opened.attachments.earliest("pk").artifact,
        arguments={"format": "vllm-bench-serve"},
    )  # fmt: skip
    return {
        "number": memo.number,
        "sha256": runs,
        "digest": memo.assessments.earliest("pk").digest,
        "key": "C1",
        "hypothesis": "H1",
        "nonce": plan.nonce,
        "plan_id": plan.pk,
        "evidence_set": opened.number,
        "set_number": opened.number,
        "revision": 1,
        "decision": 1,
        "comment": memo.comments.earliest("pk").pk,
        "comment_id": memo.comments.earliest("pk").pk,
        "waiver": waiver.pk,
        "waiver_id": waiver.pk,
        "delegation": memo.delegations.get().pk,
        "delegation_id": memo.delegations.get().pk,
        "objection": objection.pk,
        "signature_id": objection.pk,
        "condition_id": memo.signatures.get(conditions__isnull=False).conditions.get().pk,
        "follow_up_id": follow_up.pk if follow_up else 1,
        "kind": "bounded",
        "slug": cases.TEMPLATE,
        "version": active.version,
        "token": token.pk,
        "job": job.pk,
        "source": EventSource.objects.get().pk,
        "draft": draft.pk,
        "draft_id": draft.pk,
        "replay_digest": rules_page.replay_of(draft).digest,
        "edited_rules": {**EditTemplate(None, content=drafted).initial, "quorum": 8, "reason": "Eight eyes."},
        "attachment": opened.attachments.latest("pk").pk,
        "in_open_set": opened.attachments.earliest("pk").artifact.sha256,
        "channel": channel.pk,
        "channel_id": channel.pk,
        "team": "serving",
        "replay": replay.number,
        "step": 1,
        "of": "requests",
        "purpose": "login",
        "passkey_id": 1,
    }


def _elsewhere(memo: Memo) -> Mapping[str, Mapping[str, object]]:
    """The places of the deeds that need another row than the rest."""
    resolved = memo.comments.latest("pk").pk
    opened = memo.evidence_sets.get(state="open").attachments
    pack = {"sha256": opened.get(kind="batch_policy_curve_pack").artifact.sha256}
    return {
        "POST memos/{number}/comments/{comment}/reopen/": {"comment": resolved},
        "POST memos/{number}/comments/{comment_id}/reopen/": {"comment_id": resolved},
        "POST memos/{number}/hypotheses/{key}/resolve/": {"key": "H1"},
        "POST memos/{number}/sign/{signature_id}/withdraw/": {
            "signature_id": memo.signatures.filter(signer=cases.person("olga")).latest("pk").pk
        },
        "POST memos/{number}/comparisons/{key}/explanations/accept/": {"key": "C2"},
        "POST memos/{number}/comparisons/{key}/accept/": {"key": "C2"},
        "POST artifacts/{sha256}/format/": pack,
    }
