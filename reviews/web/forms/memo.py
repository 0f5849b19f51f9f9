"""Forms for filing and revising a memo as text, moving it, and commenting on it."""

from collections.abc import Iterable, Mapping
from typing import Final, cast

from django import forms

from reviews.models import Team
from reviews.template_content import TemplateContent
from reviews.vocabulary import Intent

FIND_OUT: Final = ""
_SOURCE: Final = {"class": "source", "spellcheck": "false", "rows": "28"}


class NewMemo(forms.Form):
    """Team, template, intent and the pasted text. An empty template means: the one that the text names."""

    team = forms.ChoiceField(help_text="You file for the teams of which you are an author.")
    template = forms.ChoiceField(required=False, help_text="It says what the memo asks for, and stays for ever.")
    intent = forms.ChoiceField(choices=Intent.choices, help_text="Why this memo exists: it decides what is asked.")
    text = forms.CharField(
        label="Memo text",
        strip=False,
        help_text="As you have it: plain or Markdown, with bullets or without, in any numbering.",
        widget=forms.Textarea(attrs=_SOURCE),
    )

    def __init__(
        self,
        data: Mapping[str, object] | None,
        *,
        teams: Iterable[Team],
        templates: Iterable[TemplateContent],
        initial: Mapping[str, str],
    ) -> None:
        super().__init__(data, initial=dict(initial))
        self._offer("team", [(team.slug, team.name) for team in teams])
        known = [(template.slug, f"{template.area} / {template.topic}") for template in templates]
        self._offer("template", [(FIND_OUT, "the one that the text names"), *known])

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        cast(forms.ChoiceField, self.fields[name]).choices = choices


class Revise(forms.Form):
    """A revision as text. base: the revision that the page showed; sure: signatures may go stale by it."""

    base = forms.CharField(widget=forms.HiddenInput)
    text = forms.CharField(
        label="Memo text",
        strip=False,
        help_text="Evidence, results and signatures stand beside the text and are kept.",
        widget=forms.Textarea(attrs=_SOURCE),
    )
    said = forms.CharField(label="What you changed", max_length=500, help_text="A few words for the trail.")
    sure = forms.BooleanField(label="Save, although these signatures go stale", required=False)
