"""Forms of the triage board: a mark on a step of the playbook, and a replay or bisection."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django import forms

from reviews.queries.triage import Effect

USUAL_RUNS: Final = 5
NOTE: Final = "What answers the step, in a sentence."


class Mark(forms.Form):
    """Who marks a step says what answers it, and may name a file of the memo."""

    note = forms.CharField(max_length=2000, help_text=NOTE)
    artifact = forms.ChoiceField(label="File", required=False)

    def __init__(self, data: Mapping[str, Any] | None, *, files: Iterable[tuple[str, str]], key: str) -> None:
        super().__init__(data, auto_id=f"{key}-%s")
        self.fields["artifact"] = forms.ChoiceField(label="File", choices=[("", "no file"), *files], required=False)


class PlanReplay(forms.Form):
    """Two builds are a replay; more, in their order, are searched by halving."""

    effect = forms.ChoiceField(label="What it explains")
    builds = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 5}),
        max_length=200_000,
        help_text="One a line, in their order: the base first, the candidate last. Two are a replay, more a bisection.",
    )
    inputs = forms.CharField(
        label="The same in every run", max_length=2000, help_text="Requests and seed, model, hardware, settings."
    )
    condition = forms.CharField(
        required=False,
        max_length=200,
        help_text="Under which a replay runs; predictions of open hypotheses under it are registered with the runs.",
    )
    runs_each = forms.IntegerField(
        label="Runs of each arm in a step", min_value=2, max_value=1000, help_text="A single run decides nothing."
    )

    def __init__(self, data: Mapping[str, Any] | None, *, effects: Iterable[Effect]) -> None:
        super().__init__(data, auto_id="replay-%s")
        known = list(effects)
        self.fields["effect"] = forms.ChoiceField(
            label="What it explains", choices=[(one.key, f"{one.key}: {one.what}") for one in known]
        )
        advised = next((one.runs for one in known if one.runs), None)
        self.initial = {"runs_each": advised or USUAL_RUNS}

    @property
    def names(self) -> list[str]:
        """The builds of the text, once it is valid."""
        return [line.strip() for line in str(self.cleaned_data["builds"]).splitlines() if line.strip()]
