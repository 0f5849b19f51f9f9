"""Forms for recording a decision, and a rollback that could not wait."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils import timezone

from reviews.vocabulary import DecisionKind
from reviews.web.step_up import StepUp

_RATIONALE = "Why, in your own words; it is printed on the first page of the memo."


class Decide(StepUp):
    """A decision of one kind. base: the revision that the page showed. Only a bounded rollout has a scope."""

    base = forms.CharField(widget=forms.HiddenInput)
    kind = forms.CharField(widget=forms.HiddenInput)
    scope_percent = forms.CharField(
        label="Scope, in %", max_length=10, help_text="How far the rollout may go, inside its contract."
    )
    rationale = forms.CharField(help_text=_RATIONALE, widget=forms.Textarea(attrs={"rows": "4"}))
    field_order = ("base", "kind", "scope_percent", "rationale")

    def __init__(
        self, request: HttpRequest, data: Mapping[str, Any] | None, *, kind: str, base: str, scope: str
    ) -> None:
        super().__init__(request, data)
        self.auto_id = f"{kind}-%s"
        self.initial = {"base": base, "kind": kind, "scope_percent": scope}
        if kind != DecisionKind.BOUNDED:
            del self.fields["scope_percent"]


class Stop(StepUp):
    """A rollback that has happened already."""

    reason = forms.CharField(widget=forms.Textarea(attrs={"rows": "3"}), help_text="What was seen, in a few words.")
    effective_at = forms.DateTimeField(
        label="Rolled back at (UTC)",
        help_text="When production was back on the last shipped state.",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    field_order = ("reason", "effective_at")

    def __init__(
        self, request: HttpRequest, data: Mapping[str, Any] | None, *, reported_at: datetime | None = None
    ) -> None:
        super().__init__(request, data)
        self.auto_id = "stop-%s"
        self.initial = {"effective_at": (reported_at or timezone.now()).astimezone(UTC)}
