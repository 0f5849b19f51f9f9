"""Teams, and who holds which role for which team, from when, until when."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.appendonly import AppendOnly
from reviews.models.constraints import after, filled


class Team(models.Model):
    """A group of people that owns memos. reference_build: what cumulative change is measured against, "" for none."""

    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=200)
    reference_build = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = filled("slug", "name")

    def __str__(self) -> str:
        return self.name


def in_force(at: datetime) -> Q:
    """The condition that an Assignment or Delegation holds at `at`: begun, not past its end, not ended by a row."""
    begun = Q(starts_at__lte=at)
    lasting = Q(ends_at__isnull=True) | Q(ends_at__gt=at)
    not_ended = Q(end__isnull=True) | Q(end__at__gt=at)
    return begun & lasting & not_ended


class Assignment(AppendOnly):
    """A person holds a role for a team. role: slug of an owner role of a template, or a StandingRole.

    starts_at <= now < ends_at, when ends_at is known beforehand; an earlier end is an AssignmentEnd.
    """

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="assignments")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="assignments")
    person_name = models.CharField(max_length=200)
    role = models.CharField(max_length=80)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)
    assigned_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    assigned_at = models.DateTimeField()

    class Meta:
        constraints = (
            *filled("role", "person_name"),
            after("ends_at", "starts_at"),
        )
        indexes = (
            models.Index(fields=["team", "role"]),
            models.Index(fields=["person"]),
        )

    def __str__(self) -> str:
        return f"{self.person_name}: {self.role}"


class AssignmentEnd(AppendOnly):
    """An assignment stops holding at `at`."""

    assignment = models.OneToOneField(Assignment, on_delete=models.PROTECT, related_name="end")
    at = models.DateTimeField()
    reason = models.TextField(blank=True)
    ended_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"end of {self.assignment}"
