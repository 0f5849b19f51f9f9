"""How services ask for work after commit, without importing tasks (tasks import services).

The message is only a nudge: when the broker cannot take it, the sweeper asks again.
"""

import logging

from celery import current_app
from django.db import transaction
from kombu.exceptions import ChannelError, OperationalError

log = logging.getLogger(__name__)


def task_name(kind: str) -> str:
    """The name of the task that serves jobs of `kind`."""
    return f"reviews.{kind}"


def after_commit(kind: str, job_id: int) -> None:
    """The task of `kind` is sent for the job once the open transaction commits; the id only, never an object."""
    transaction.on_commit(lambda: publish(kind, job_id))


def publish(kind: str, job_id: int) -> bool:
    """Whether the broker took a message for the job. When it did not, the row still stands, and the sweeper asks."""
    try:
        current_app.send_task(task_name(kind), args=[job_id], retry=False)
    except (OperationalError, ChannelError, OSError) as error:
        log.warning("Job %s (%s) could not be published, the sweeper will: %s", job_id, kind, error)
        return False
    return True


def nudge(kind: str) -> bool:
    """Whether the broker took a message for the task of `kind`, which looks for its work itself."""
    try:
        current_app.send_task(task_name(kind), retry=False, expires=60)
    except (OperationalError, ChannelError, OSError) as error:
        log.warning("The task %s could not be asked for, the next sweep will: %s", kind, error)
        return False
    return True
