"""Forms for signing, for taking a signature back, and for resolving an objection."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import HttpRequest

from reviews.vocabulary import DecisionKind, Position
from reviews.web.step_up import StepUp


class Sign(StepUp):
    """What a signer says. base: the revision that the page showed."""

    base = forms.CharField(widget=forms.HiddenInput)
    role = forms.CharField(widget=forms.HiddenInput)
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
        help_text="For an approval with conditions: one a line. Each must be cleared before the approval counts.",
    )
    field_order = ("base", "role", "position", "kinds", "scope_percent", "conditions", "text", "would_clear_if")

    def __init__(self, request: HttpRequest, data: Mapping[str, Any] | None, *, initial: Mapping[str, str]) -> None:
        super().__init__(request, data)
        self.initial = dict(initial)

    def clean_scope_percent(self) -> str:
        """The scope; one that the page filled in, and that nobody touched, says nothing without a bounded rollout."""
        said = str(self.cleaned_data["scope_percent"])
        untouched = "scope_percent" not in self.changed_data
        return "" if untouched and DecisionKind.BOUNDED not in self.cleaned_data.get("kinds", ()) else said

    def clean_conditions(self) -> tuple[str, ...]:
        """The lines that hold something."""
        return tuple(line.strip() for line in self.cleaned_data["conditions"].splitlines() if line.strip())


class Because(forms.Form):
    """A reason, for what is recorded with one."""

    reason = forms.CharField(max_length=1000)

    def __init__(self, data: Mapping[str, Any] | None, *, place: str) -> None:
        super().__init__(data, auto_id=f"{place}-%s")
