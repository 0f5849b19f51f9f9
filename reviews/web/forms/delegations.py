"""The form for delegating a role."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms


class Delegate(forms.Form):
    """Which role, to whom, on this memo or all of the team's, from when, until when, and why."""

    role = forms.ChoiceField(widget=forms.RadioSelect)
    delegate = forms.CharField(max_length=150, help_text="The user name of who signs in your place.")
    scope = forms.ChoiceField(
        choices=[("memo", "this memo"), ("team", "all memos of the team")], widget=forms.RadioSelect, initial="memo"
    )
    starts_at = forms.DateField(
        label="From",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="At 00:00 UTC of that day; nothing for now.",
    )
    ends_at = forms.DateField(
        label="Until",
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="To the end of that day, UTC; at most 90 days.",
    )
    reason = forms.CharField(max_length=500, help_text="Why you do not sign yourself.")

    def __init__(self, data: Mapping[str, Any] | None, *, roles: Iterable[tuple[str, str]]) -> None:
        super().__init__(data)
        self.fields["role"] = forms.ChoiceField(choices=list(roles), widget=forms.RadioSelect)

    def clean_starts_at(self) -> datetime | None:
        """The beginning of the day; None for now."""
        day = self.cleaned_data["starts_at"]
        return datetime.combine(day, time(), UTC) if day else None

    def clean_ends_at(self) -> datetime:
        """The end of the day."""
        return datetime.combine(self.cleaned_data["ends_at"] + timedelta(days=1), time(), UTC)
