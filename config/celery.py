"""The Celery application. Tasks are faces; what they do stands in services."""

import os
from pathlib import Path
from typing import Any

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
app = Celery("countersign")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["reviews"])


@app.on_after_configure.connect
def _prepare(sender: Celery, **kwargs: Any) -> None:
    """The filesystem broker finds its folders, and the clock asks for its tasks; a late message is not served."""
    from django.conf import settings  # noqa: PLC0415 - this module is loaded while the settings are

    del kwargs
    for name, folder in sender.conf.broker_transport_options.items():
        if "folder" in name:
            Path(folder).mkdir(parents=True, exist_ok=True)
    sweep_s, remind_s = float(settings.JOB_SWEEP_SECONDS), float(settings.REMIND_SECONDS)
    for name, every_s in (("sweep", sweep_s), ("deliver", sweep_s), ("remind", remind_s)):
        sender.add_periodic_task(every_s, sender.signature(f"reviews.{name}"), name=name, expires=every_s)
