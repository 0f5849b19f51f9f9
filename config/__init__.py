"""Settings and entry points. Importing it makes the Celery application known to shared tasks."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
