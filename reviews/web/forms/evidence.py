"""Forms of the evidence page: a plan, a new set, files with their labels, missing runs, a format chosen by hand."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict

from reviews.redaction_words import RedactionKind
from reviews.vocabulary import Arm, EvidenceUse

Choice = tuple[str, str]
GREATEST_DIGITS: Final = 15


class OpenSet(forms.Form):
    """Title and plan of a new set."""

    title = forms.CharField(max_length=300, help_text="What these runs are, in a few words.")
    plan = forms.ChoiceField(
        required=False, help_text="The plan that the runs were measured under; its comparisons read this set."
    )

    def __init__(self, data: Mapping[str, Any] | None, *, plans: Iterable[Choice]) -> None:
        super().__init__(data, auto_id="set-%s")
        rows = list(plans)
        self.fields["plan"] = forms.ChoiceField(
            choices=[*rows, ("", "no plan")], required=False, help_text=self.fields["plan"].help_text
        )
        self.initial = {"plan": rows[-1][0] if rows else ""}


class SeveralFiles(forms.FileInput):
    """A file input that takes several; browsers let files be dropped on it."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """All files of the input, in order."""

    widget = SeveralFiles

    def clean(self, data: Any, initial: Any = None) -> Any:
        """The files; the refusals of a file field hold for each of them."""
        several: Sequence[UploadedFile[Any] | None] = data if isinstance(data, list) and data else [None]
        return [super(FilesField, self).clean(one, initial) for one in several]


class Attach(forms.Form):
    """Files and the labels that hold for all of them; a pattern reads labels from their names."""

    uploads = FilesField(label="Files", help_text="Choose files, or drop them here. Each is kept byte for byte.")
    kind = forms.ChoiceField()
    arm = forms.ChoiceField(choices=[("", "none: not a run"), *Arm.choices], required=False)
    pattern = forms.CharField(
        label="Labels from the names",
        required=False,
        max_length=200,
        help_text="For example b{block}-{arm}.json. It knows {arm}, {block}, {run}, {placement}, and * for anything.",
    )
    block = forms.CharField(required=False, max_length=200, help_text="What was run close together.")
    placement = forms.CharField(
        required=False,
        max_length=500,
        help_text="Host and devices; printed “typed, not verified”. A file that records its host counts before it.",
    )
    run = forms.CharField(required=False, max_length=300, help_text="Key of one run in the file; empty for all.")
    use = forms.ChoiceField(
        choices=EvidenceUse.choices,
        initial=EvidenceUse.CONFIRMING,
        help_text="Motivating evidence raised the question; only confirming evidence tests the answer.",
    )
    drop_texts = forms.BooleanField(
        label="Drop prompts and outputs",
        required=False,
        help_text="Texts are taken out before the file is stored; its SHA-256 is then that of what is left.",
    )
    kept_because = forms.CharField(
        label="Keep what is found, because",
        required=False,
        max_length=500,
        help_text="A file with secrets, prompts or outputs is refused, unless you say here why it is kept: "
        "that is recorded with your name.",
    )
    excluded = forms.CharField(
        label="Left out, because",
        required=False,
        max_length=500,
        help_text="The exclusion rule of the plan by which these runs do not count; the rule stays visible.",
    )
    clock = forms.CharField(
        required=False,
        max_length=60,
        help_text="Zone of the wall clock in the file, UTC+01:00; of a log also the seconds to add to its times: +3600",
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None,
        files: "MultiValueDict[str, UploadedFile[Any]] | None",
        *,
        kinds: Iterable[Choice],
        number: int,
    ) -> None:
        super().__init__(data, files, auto_id=f"files-{number}-%s")
        self.fields["kind"] = forms.ChoiceField(choices=list(kinds), help_text="What the file is for the memo.")


class LabelAgain(forms.Form):
    """Another run of a file that is in the set already: a file with the runs of both arms is attached once for each."""

    artifact = forms.ChoiceField(label="File")
    kind = forms.ChoiceField()
    arm = forms.ChoiceField(choices=[("", "none: not a run"), *Arm.choices], required=False)
    run = forms.CharField(max_length=300, help_text="Key of the run in the file, as its page lists them.")
    block = forms.CharField(required=False, max_length=200)
    clock = forms.CharField(required=False, max_length=60, help_text="UTC+01:00, or of a log +3600.")
    use = forms.ChoiceField(choices=EvidenceUse.choices, initial=EvidenceUse.CONFIRMING)

    def __init__(
        self, data: Mapping[str, Any] | None, *, files: Iterable[Choice], kinds: Iterable[Choice], number: int
    ) -> None:
        super().__init__(data, auto_id=f"again-{number}-%s")
        self.fields["artifact"] = forms.ChoiceField(label="File", choices=list(files))
        self.fields["kind"] = forms.ChoiceField(choices=list(kinds))


class TakeOut(forms.Form):
    """What of an open set is taken out, and why."""

    attachment = forms.ChoiceField(label="Attachment")
    reason = forms.CharField(max_length=500, help_text="It stays on this page, struck, with your name and this reason.")

    def __init__(self, data: Mapping[str, Any] | None, *, held: Iterable[Choice], number: int) -> None:
        super().__init__(data, auto_id=f"out-{number}-%s")
        self.fields["attachment"] = forms.ChoiceField(label="Attachment", choices=list(held))


class RegisterPlan(forms.Form):
    """A plan as JSON; nonce and time only for one that was registered elsewhere before."""

    plan = forms.CharField(
        label="The plan, as JSON",
        widget=forms.Textarea(attrs={"rows": "14", "spellcheck": "false"}),
        help_text="Its fields: title, purpose, design, varied, hardware_varied, looks, comparisons, predictions, runs.",
    )
    nonce = forms.CharField(
        required=False, max_length=64, help_text="Only for an import: what the metadata of its runs carries already."
    )
    registered_at = forms.DateTimeField(
        label="Registered at (UTC)",
        required=False,
        help_text="Only for an import: when that was. The pages say that the time is stated, not witnessed.",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )

    def __init__(self, data: Mapping[str, Any] | None) -> None:
        super().__init__(data, auto_id="plan-%s")

    def clean_plan(self) -> Any:
        """The value that the JSON holds; what is no JSON is refused with its line."""
        try:
            return json.loads(self.cleaned_data["plan"], parse_constant=_no_constant, parse_int=_exact)
        except (ValueError, RecursionError) as error:
            raise forms.ValidationError(f"This is no JSON: {error}.", code="bad_json") from error


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _exact(digits: str) -> int:
    if len(digits.lstrip("-")) > GREATEST_DIGITS:
        raise ValueError("a number is too large to be exact")
    return int(digits)


class Account(forms.Form):
    """What became of a run that the plan lists and that is not attached."""

    run = forms.ChoiceField()
    reason = forms.CharField(label="What became of it", max_length=500)

    def __init__(self, data: Mapping[str, Any] | None, *, runs: Iterable[str], plan: int) -> None:
        super().__init__(data, auto_id=f"account-{plan}-%s")
        self.fields["run"] = forms.ChoiceField(choices=[(run, run) for run in runs])


class Redact(forms.Form):
    """What stood in the bytes of a file, and why they must not be kept."""

    kind = forms.ChoiceField(label="What stood in it", choices=RedactionKind.choices)
    reason = forms.CharField(
        label="Why",
        max_length=500,
        widget=forms.Textarea(attrs={"rows": "2"}),
        help_text="This stays for ever, with your name: do not repeat here what must not be kept.",
    )

    def __init__(self, data: Mapping[str, Any] | None) -> None:
        super().__init__(data, auto_id="redact-%s")


class ChooseFormat(forms.Form):
    """The format as which a file shall be read."""

    format = forms.ChoiceField(help_text="The file is read again as this format, and your name stands in the trail.")

    def __init__(self, data: Mapping[str, Any] | None, *, names: Iterable[str]) -> None:
        super().__init__(data)
        self.fields["format"] = forms.ChoiceField(
            choices=[(name, name) for name in names], help_text=self.fields["format"].help_text
        )
