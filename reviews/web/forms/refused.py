"""A refusal of a service, said at the form that asked for it, so that nothing typed is lost."""

from django import forms

from reviews.errors import Refusal


def say(form: forms.BaseForm, refusal: Refusal) -> None:
    """Adds the refusal to the field that it names, else to the form."""
    said = " ".join(part for part in (refusal.message, refusal.needs) if part)
    lines = [said, *(missing.sentence for missing in refusal.missing)]
    field = refusal.where if refusal.where in form.fields else None
    form.add_error(field, [forms.ValidationError(line, code=refusal.code) for line in lines])
