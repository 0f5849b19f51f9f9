"""The forms of the rules page: a draft of a template, its activation, and a team's reference build."""

import json
from collections.abc import Mapping
from typing import Any, Final

from django import forms

from reviews.policies import gate

LONGEST: Final = 200_000
DAYS: Final = 3650
LIMITS: Final = (
    "evidence_days", "minimum_runs", "quorum", "waiver_cap_days", "deadlock_days", "rollout_cap_percent",
    "rules_version",
)  # fmt: skip
"""The fields of a template that have a field of their own in the form; the others stand in `rest`."""
FILLED_IN: Final = ("slug", "version")
MARKS: Final = "required ●, only shown ○, not asked ·; then ◇ where its gaps may be waived, or ·"


class EditTemplate(forms.Form):
    """The next version of a template: its limits one by one, all else as JSON."""

    evidence_days = forms.IntegerField(min_value=1, max_value=DAYS, label="Evidence is at most so many days old")
    minimum_runs = forms.IntegerField(min_value=0, max_value=1000, label="Fewest runs of each arm behind an interval")
    quorum = forms.IntegerField(min_value=2, max_value=100, label="Fewest people who approve")
    waiver_cap_days = forms.IntegerField(min_value=1, max_value=DAYS, label="A waiver runs at most so many days")
    deadlock_days = forms.IntegerField(
        min_value=1, max_value=DAYS, label="Days of silence until the escalation owner may end an objection"
    )
    rollout_cap_percent = forms.CharField(max_length=20, label="Greatest scope of a bounded rollout, in percent")
    rules_version = forms.ChoiceField(label="Rule set")
    rest = forms.CharField(
        max_length=LONGEST,
        label="Metrics, decisions with their artifacts and roles, raised rules and texts (JSON)",
        widget=forms.Textarea(attrs={"rows": "24", "class": "source", "spellcheck": "false"}),
    )
    reason = forms.CharField(
        max_length=2000, widget=forms.Textarea(attrs={"rows": "2"}), help_text="Why it changes; it stays on record."
    )

    def __init__(self, data: Mapping[str, Any] | None, *, content: Mapping[str, Any]) -> None:
        super().__init__(data)
        self.fields["rules_version"] = forms.ChoiceField(
            label="Rule set", choices=[(version, version) for version in gate.RULE_SETS]
        )
        rest = {name: value for name, value in content.items() if name not in (*LIMITS, *FILLED_IN)}
        self.initial = {name: content.get(name) for name in LIMITS}
        self.initial["rest"] = json.dumps(rest, indent=2, ensure_ascii=False)
        self.fields["rest"].help_text = f"A raised rule is a name and its marks under “rules”: {MARKS}."

    def clean_rest(self) -> dict[str, Any]:
        """The JSON object, or why it is none."""
        try:
            found = json.loads(self.cleaned_data["rest"])
        except (ValueError, RecursionError) as error:
            raise forms.ValidationError(f"This is no JSON: {error}.", code="bad_json") from error
        if not isinstance(found, dict):
            raise forms.ValidationError("This is no JSON object: write { … }.", code="bad_json")
        if taken := sorted({*LIMITS, *FILLED_IN} & set(found)):
            raise forms.ValidationError(f"{taken[0]} has a field of its own above; leave it out.", code="said_twice")
        return found

    @property
    def content(self) -> dict[str, Any]:
        """The JSON values of the template, once the form is valid."""
        said = self.cleaned_data
        return {**said["rest"], **{name: said[name] for name in LIMITS}}


class Activate(forms.Form):
    """The replay that was seen, and why the draft becomes active."""

    replay = forms.CharField(max_length=64, widget=forms.HiddenInput)
    reason = forms.CharField(
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": "2"}),
        help_text="Why it becomes active, with what the replay shows.",
    )


class PinReference(forms.Form):
    """The build from which on a team's shipped changes are added up."""

    build = forms.CharField(max_length=200, help_text="Its name or digest, as your deployments call it.")
    reason = forms.CharField(max_length=2000, help_text="Why this one.")

    def __init__(self, data: Mapping[str, Any] | None, *, team: str) -> None:
        super().__init__(data, auto_id=f"id_{team}_%s")
