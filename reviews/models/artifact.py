"""Artifacts by SHA-256, and beside them what was read from them, why not to trust them, and what was taken out."""

from django.conf import settings
from django.db import models

from reviews.models.appendonly import AppendOnly
from reviews.models.constraints import filled, one_of, sha256
from reviews.redaction_words import RedactionKind, said
from reviews.vocabulary import ParseState


class Artifact(AppendOnly):
    """Bytes named by their SHA-256. name: of the file when it first came; size: in bytes.

    provenance: {"tool" | "host" | …: {"value": text, "source": file, capture or typed}}; services/provenance.py has
        the names.
    """

    sha256 = models.CharField(max_length=64, unique=True)
    name = models.CharField(max_length=300)
    size = models.PositiveBigIntegerField()
    sniffed_type = models.CharField(max_length=100)
    provenance = models.JSONField()
    taken_in_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    taken_in_by_name = models.CharField(max_length=200)
    taken_in_at = models.DateTimeField()

    class Meta:
        constraints = (
            *filled("name", "sniffed_type"),
            sha256("sha256"),
        )

    def __str__(self) -> str:
        return self.name


class Parse(AppendOnly):
    """What became of reading an artifact with one version of one parser.

    format: name of the format, "" when none was recognised. asked_format: the format that somebody chose, "" for none.
    code, message, where: of the refusal, "" when it was parsed; message then holds why the format was recognised.
    notices, leniences: sentences for the reader.
    """

    artifact = models.ForeignKey(Artifact, on_delete=models.PROTECT, related_name="parses")
    format = models.CharField(max_length=80, blank=True)
    asked_format = models.CharField(max_length=80, blank=True)
    parser_version = models.PositiveIntegerField()
    state = models.CharField(max_length=20, choices=ParseState.choices)
    code = models.CharField(max_length=80, blank=True)
    message = models.TextField(blank=True)
    where = models.CharField(max_length=500, blank=True)
    notices = models.JSONField(default=list)
    leniences = models.JSONField(default=list)
    parsed_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["artifact", "asked_format", "format", "parser_version"], name="parse_is_one_per_parser_version"
            ),
            one_of("state", ParseState),
        )

    def __str__(self) -> str:
        return f"{self.artifact} as {self.format or 'unknown'}"


class Measurements(AppendOnly):
    """What a parse read, in fixed columns as Parquet; the bytes stand in the store.

    table_sha256, size: of the Parquet file, size in bytes. schema_version: of its columns.
    timed_runs: how many of the runs are tables of the times of stages; null where that was not looked at.
    """

    parse = models.OneToOneField(Parse, on_delete=models.PROTECT, related_name="measurements")
    table_sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    schema_version = models.PositiveIntegerField()
    runs = models.PositiveIntegerField()
    rows = models.PositiveBigIntegerField()
    timed_runs = models.PositiveIntegerField(null=True)
    written_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "measurements"
        constraints = (sha256("table_sha256"),)

    def __str__(self) -> str:
        return f"measurements of {self.parse}"


class Recall(AppendOnly):
    """Somebody says that an artifact must not be trusted any more, and why."""

    artifact = models.ForeignKey(Artifact, on_delete=models.PROTECT, related_name="recalls")
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = filled("reason", "by_name")

    def __str__(self) -> str:
        return f"recall of {self.artifact}"


class Redaction(AppendOnly):
    """The bytes were taken away, and what was read from them; digest, size and chain stay. kind: what stood in them."""

    artifact = models.OneToOneField(Artifact, on_delete=models.PROTECT, related_name="redaction")
    old_digest = models.CharField(max_length=64)
    kind = models.CharField(max_length=20, choices=RedactionKind.choices)
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField()

    class Meta:
        constraints = (
            *filled("reason", "by_name"),
            one_of("kind", RedactionKind),
            sha256("old_digest"),
        )

    def __str__(self) -> str:
        return f"redaction of {self.artifact}"

    @property
    def said(self) -> str:
        """The record in words: "redacted by … on … (…)"."""
        return said(self.kind, self.by_name, self.at, self.reason)
