"""The tasks: each lets a service do its work, most for a job by its id. Delivered twice, they change nothing."""

from celery import shared_task

from reviews import pdf
from reviews.queries.dossiers import dossier_of
from reviews.services import batch_policy, dossiers, expiry, jobs, outbox, parsing, reminders, trace_comparisons


@shared_task(name="reviews.sweep")
def sweep() -> None:
    """Asks again for the jobs that nobody served, and notes the rollouts that expired. Sent by the clock."""
    jobs.sweep()
    expiry.sweep()


@shared_task(name="reviews.deliver")
def deliver() -> None:
    """Sends what waits in the outbox. Sent by the clock; two at a time share the work."""
    outbox.deliver()


@shared_task(name="reviews.remind")
def remind() -> None:
    """Reminds of what has come due, once. Sent by the clock."""
    reminders.sweep()


@shared_task(name="reviews.parse")
def parse(job_id: int) -> None:
    """Reads the artifact of the job."""
    jobs.run(job_id, parsing.work)


@shared_task(name="reviews.traces")
def compare_traces(job_id: int) -> None:
    """Compares the traces of the job's evidence set, and keeps what was found."""
    jobs.run(job_id, trace_comparisons.work)


@shared_task(name="reviews.batch_policy")
def simulate_batch_policy(job_id: int) -> None:
    """Simulates the batch policies of the job's memo, and makes its curve pack when that was asked for."""
    jobs.run(job_id, batch_policy.work)


@shared_task(name="reviews.pdf")
def render_pdf(job_id: int) -> None:
    """Renders the dossier of the job's decision, and keeps the PDF."""
    jobs.run(job_id, _render_pdf)


def _render_pdf(running: jobs.Running) -> jobs.Keep:
    decision_id = running.claim.subject_id
    rendered = pdf.render(dossier_of(decision_id))
    return lambda: {"pdf_sha256": dossiers.keep_pdf(decision_id=decision_id, pdf=rendered).pdf_sha256}
