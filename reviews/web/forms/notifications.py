"""The forms of being told: by mail, and by the channels of a team."""

import zoneinfo
from collections.abc import Iterable, Mapping

from django import forms

from reviews.models import Team
from reviews.policies.delivery import Wanted
from reviews.services.channels import ChannelWish
from reviews.services.notifications import PreferenceWish
from reviews.told_words import ChannelKind, MailWay, Reason


class Prefer(forms.Form):
    """A way for each reason, the zone, the hour of the daily mail, and the quiet hours."""

    zone = forms.CharField(
        label="Your time zone", max_length=60, widget=forms.TextInput(attrs={"list": "zones"}),
        help_text="As the database of time zones calls it: Europe/Berlin.",
    )  # fmt: skip
    digest_hour = forms.IntegerField(
        label="Hour of the daily mail", min_value=0, max_value=23, help_text="From 0 to 23, in your zone."
    )
    quiet_from = forms.TimeField(
        label="Quiet hours from", required=False, widget=forms.TimeInput(format="%H:%M", attrs={"type": "time"})
    )
    quiet_until = forms.TimeField(
        label="Quiet hours until", required=False, widget=forms.TimeInput(format="%H:%M", attrs={"type": "time"}),
        help_text="Mail that falls into them is sent at their end. Leave both empty for none.",
    )  # fmt: skip

    def __init__(self, data: Mapping[str, object] | None, *, wanted: Wanted) -> None:
        begins, ends = wanted.quiet or (None, None)
        initial = {"zone": wanted.zone, "digest_hour": wanted.digest_hour, "quiet_from": begins, "quiet_until": ends}
        initial |= {reason.value: wanted.way(reason) for reason in Reason}
        super().__init__(data, initial=initial)
        for reason in Reason:
            label = f"{reason.label[0].upper()}{reason.label[1:]}"
            self.fields[reason.value] = forms.ChoiceField(label=label, choices=MailWay.choices)

    def ways(self) -> list[forms.BoundField]:
        """The field of each reason."""
        return [self[reason.value] for reason in Reason]

    def times(self) -> list[forms.BoundField]:
        """The other fields."""
        return [self[name] for name in ("zone", "digest_hour", "quiet_from", "quiet_until")]

    def zones(self) -> list[str]:
        """The zones that can be named."""
        return sorted(zoneinfo.available_timezones())

    def clean(self) -> None:
        """Both ends of the quiet hours, or neither."""
        begins, ends = self.cleaned_data.get("quiet_from"), self.cleaned_data.get("quiet_until")
        if (begins is None) != (ends is None):
            self.add_error("quiet_until", "Give both ends of the quiet hours, or neither.")

    def wish(self) -> PreferenceWish:
        """What was chosen."""
        given = self.cleaned_data
        return PreferenceWish(
            mail={reason.value: given[reason.value] for reason in Reason},
            zone=given["zone"],
            digest_hour=given["digest_hour"],
            quiet=(given["quiet_from"], given["quiet_until"]) if given["quiet_from"] is not None else None,
        )


class MakeChannel(forms.Form):
    """A channel of one of the teams."""

    team = forms.ChoiceField()
    kind = forms.ChoiceField(choices=ChannelKind.choices, widget=forms.RadioSelect)
    name = forms.CharField(max_length=200)
    address = forms.CharField(max_length=2000, help_text="Begins with https://. Private addresses are refused.")
    reasons = forms.MultipleChoiceField(
        choices=Reason.choices, required=False, widget=forms.CheckboxSelectMultiple, help_text="None for all."
    )

    def __init__(self, data: Mapping[str, object] | None, *, teams: Iterable[Team]) -> None:
        super().__init__(data)
        self.teams = [(team.slug, team.name) for team in teams]
        self.fields["team"] = forms.ChoiceField(choices=self.teams)

    def wish(self) -> ChannelWish:
        """What was chosen."""
        given = self.cleaned_data
        return ChannelWish(kind=given["kind"], name=given["name"], address=given["address"], reasons=given["reasons"])
