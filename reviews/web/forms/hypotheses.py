"""The form in which a hypothesis is resolved."""

from django import forms

from reviews.vocabulary import Resolution


class Resolve(forms.Form):
    """Supported or refuted, for a reason; or open, with an owner and a date."""

    state = forms.ChoiceField(label="It is", choices=[("", "choose"), *Resolution.choices])
    reason = forms.CharField(
        label="Because", required=False, max_length=2000, help_text="What supports or refutes it, or why it stays open."
    )
    owner = forms.CharField(label="Owner", required=False, max_length=150, help_text="User name, when it stays open.")
    due = forms.DateField(
        label="Until", required=False, widget=forms.DateInput(attrs={"type": "date"}), help_text="When it stays open."
    )
