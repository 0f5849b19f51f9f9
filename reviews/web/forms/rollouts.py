"""The form that begins the next stage of a rollout."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import HttpRequest

from reviews.web.step_up import StepUp


class Advance(StepUp):
    """The next stage, as the page showed it."""

    stage = forms.IntegerField(widget=forms.HiddenInput)
    note = forms.CharField(
        required=False, max_length=10_000, widget=forms.Textarea(attrs={"rows": "2"}), help_text="If there is any."
    )
    field_order = ("stage", "note")

    def __init__(self, request: HttpRequest, data: Mapping[str, Any] | None, *, stage: int) -> None:
        super().__init__(request, data)
        self.initial = {"stage": stage}
