"""Forms for signing, for taking a signature back, and for resolving an objection."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import HttpRequest

from reviews.services.signatures import ConditionWish
from reviews.vocabulary import DecisionKind, Position
from reviews.web.step_up import StepUp


class Sign(StepUp):
    """What a signer says. base: the revision that the page showed."""

    base = forms.CharField(widget=forms.HiddenInput)
    role = forms.CharField(widget=forms.HiddenInput)
    acting_for = forms.CharField(required=False, widget=forms.HiddenInput)
    position = forms.ChoiceField(choices=Position.choices, widget=forms.RadioSelect, label="Your position")
    kinds = forms.MultipleChoiceField(
        choices=DecisionKind.choices,
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label="Decisions that you approve",
        help_text="For an approval. What you do not tick, your signature does not count for.",
    )
    scope_percent = forms.CharField(
        label="Greatest rollout scope, in %",
        required=False,
        max_length=10,
        help_text="For a bounded rollout: how far it may go on your signature.",
    )
    text = forms.CharField(
        label="Reason, or what is wrong",
        required=False,
        widget=forms.Textarea(attrs={"rows": "3"}),
        help_text="An objection says what is wrong.",
    )
    would_clear_if = forms.CharField(
        label="It would clear if",
        required=False,
        widget=forms.Textarea(attrs={"rows": "2"}),
        help_text="For an objection: what would lift it.",
    )
    conditions = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": "3"}),
        help_text="For an approval with conditions: one a line, as “what | owner: user name | proof: what will show "
        "it”. Each must be cleared before the approval counts.",
    )
    field_order = (
        "base",
        "role",
        "acting_for",
        "position",
        "kinds",
        "scope_percent",
        "conditions",
        "text",
        "would_clear_if",
    )

    def __init__(self, request: HttpRequest, data: Mapping[str, Any] | None, *, initial: Mapping[str, str]) -> None:
        super().__init__(request, data)
        self.initial = dict(initial)
        self.by_passkey = bool(data and data.get("by") == "passkey")
        if self.by_passkey:
            self.needs_no_proof()

    def clean_scope_percent(self) -> str:
        """The scope; one that the page filled in, and that nobody touched, says nothing without a bounded rollout."""
        said = str(self.cleaned_data["scope_percent"])
        untouched = "scope_percent" not in self.changed_data
        return "" if untouched and DecisionKind.BOUNDED not in self.cleaned_data.get("kinds", ()) else said

    def clean_conditions(self) -> tuple[ConditionWish, ...]:
        """The lines that hold something; what a line does not name stays empty, and the service says so."""
        return tuple(_condition(line) for line in self.cleaned_data["conditions"].splitlines() if line.strip())


def _condition(line: str) -> ConditionWish:
    """ "what | owner: user name | proof: what will show it" """
    what, *rest = (part.strip() for part in line.split("|"))
    named = dict(part.split(":", 1) for part in rest if ":" in part)
    said = {name.strip().lower(): value.strip() for name, value in named.items()}
    return ConditionWish(text=what, owner=said.get("owner", ""), proof=said.get("proof", ""))


class Because(forms.Form):
    """A reason, for what is recorded with one."""

    reason = forms.CharField(max_length=1000)

    def __init__(self, data: Mapping[str, Any] | None, *, place: str) -> None:
        super().__init__(data, auto_id=f"{place}-%s")


class Say(forms.Form):
    """A word on an objection."""

    text = forms.CharField(label="Answer", max_length=2000, widget=forms.Textarea(attrs={"rows": "2"}))

    def __init__(self, data: Mapping[str, Any] | None, *, place: str) -> None:
        super().__init__(data, auto_id=f"{place}-%s")


class Prove(forms.Form):
    """What shows that a condition is met."""

    proof = forms.CharField(max_length=1000)

    def __init__(self, data: Mapping[str, Any] | None, *, place: str) -> None:
        super().__init__(data, auto_id=f"{place}-%s")


class Meeting(forms.Form):
    """A meeting of the board on an objection: when it was, and what was said or decided."""

    held_at = forms.DateTimeField(
        label="Held at (UTC)", widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
    )
    reason = forms.CharField(max_length=2000, widget=forms.Textarea(attrs={"rows": "2"}))

    def __init__(self, data: Mapping[str, Any] | None, *, place: str, says: str) -> None:
        super().__init__(data, auto_id=f"{place}-%s")
        self.fields["reason"].label = says
