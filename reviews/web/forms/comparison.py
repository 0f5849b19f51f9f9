"""Forms of the comparison page: an explanation, a stated setting, and why there will be no number."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms

from reviews.vocabulary import Arm


class Explain(forms.Form):
    """Why a difference in a setting does not matter, and by how much it can move the result at most."""

    setting = forms.CharField(widget=forms.HiddenInput)
    text = forms.CharField(label="Why it does not matter", widget=forms.Textarea(attrs={"rows": "3"}))
    greatest_effect = forms.CharField(
        label="Greatest effect",
        max_length=20,
        help_text="The largest ratio by which it can move the result, for example 1.01. It widens the interval.",
    )

    def __init__(self, data: Mapping[str, Any] | None, *, place: int) -> None:
        super().__init__(data, auto_id=f"explain-{place}-%s")


class StateSetting(forms.Form):
    """The value of a setting that the files of an arm do not record."""

    setting = forms.CharField(widget=forms.HiddenInput)
    arm = forms.ChoiceField(choices=Arm.choices)
    value = forms.CharField(max_length=500)

    def __init__(self, data: Mapping[str, Any] | None, *, place: int, arms: Iterable[str]) -> None:
        super().__init__(data, auto_id=f"state-{place}-%s")
        self.fields["arm"] = forms.ChoiceField(choices=[(arm, Arm(arm).label) for arm in arms])


class LeaveUncompared(forms.Form):
    """Why there will be no comparison."""

    reason = forms.CharField(label="Why there will be no number", max_length=500)
