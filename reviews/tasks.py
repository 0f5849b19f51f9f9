"""The tasks: each takes the id of a job and lets a service do its work. Delivered twice, they change nothing."""

from celery import shared_task

from reviews.services import jobs


@shared_task(name="reviews.sweep")
def sweep() -> None:
    """Asks again for the jobs that nobody served. Sent by the clock."""
    jobs.sweep()
