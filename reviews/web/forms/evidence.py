"""Forms of the evidence page: a new set, files with their labels, runs that are missing, a format chosen by hand."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict

from reviews.vocabulary import Arm, EvidenceUse

Choice = tuple[str, str]


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
    excluded = forms.CharField(
        label="Left out, because",
        required=False,
        max_length=500,
        help_text="The exclusion rule of the plan by which these runs do not count; the rule stays visible.",
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


class Account(forms.Form):
    """What became of a run that the plan lists and that is not attached."""

    run = forms.ChoiceField()
    reason = forms.CharField(label="What became of it", max_length=500)

    def __init__(self, data: Mapping[str, Any] | None, *, runs: Iterable[str], plan: int) -> None:
        super().__init__(data, auto_id=f"account-{plan}-%s")
        self.fields["run"] = forms.ChoiceField(choices=[(run, run) for run in runs])


class ChooseFormat(forms.Form):
    """The format as which a file shall be read."""

    format = forms.ChoiceField(help_text="The file is read again as this format, and your name stands in the trail.")

    def __init__(self, data: Mapping[str, Any] | None, *, names: Iterable[str]) -> None:
        super().__init__(data)
        self.fields["format"] = forms.ChoiceField(
            choices=[(name, name) for name in names], help_text=self.fields["format"].help_text
        )
