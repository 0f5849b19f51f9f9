"""Forms for asking for a waiver, and for answering one."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, time
from typing import Any

from django import forms
from django.http import HttpRequest

from reviews.web.step_up import StepUp

Choice = tuple[str, str]


class AskForWaiver(forms.Form):
    """Which gap is set aside, by whom it is owned, why, what watches it meanwhile, and until when."""

    requirement = forms.ChoiceField(label="Gap", widget=forms.RadioSelect)
    owner = forms.ChoiceField(help_text="Who sees to it that the gap is closed in time.")
    reason = forms.CharField(widget=forms.Textarea(attrs={"rows": "2"}), help_text="Why it cannot be closed now.")
    control = forms.CharField(
        label="Compensating control",
        widget=forms.Textarea(attrs={"rows": "2"}),
        help_text="What keeps the risk small meanwhile.",
    )
    expires_at = forms.DateField(
        label="Ends on", widget=forms.DateInput(attrs={"type": "date"}), help_text="At 00:00 UTC of that day."
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None,
        *,
        gaps: Iterable[Choice],
        people: Iterable[Choice],
        initial: Mapping[str, object],
    ) -> None:
        super().__init__(data, initial=dict(initial))
        self.fields["requirement"] = forms.ChoiceField(label="Gap", choices=list(gaps), widget=forms.RadioSelect)
        self.fields["owner"] = forms.ChoiceField(
            choices=[("", "choose somebody"), *people], help_text=self.fields["owner"].help_text
        )

    def clean_expires_at(self) -> datetime:
        """The beginning of the day."""
        return datetime.combine(self.cleaned_data["expires_at"], time(), UTC)


class Approve(StepUp):
    """The board's yes."""

    note = forms.CharField(required=False, max_length=1000, help_text="What the board wants remembered.")
    field_order = ("note",)

    def __init__(self, request: HttpRequest, data: Mapping[str, Any] | None, *, waiver: int) -> None:
        super().__init__(request, data)
        self.auto_id = f"approve-{waiver}-%s"
