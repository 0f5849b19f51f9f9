"""The doors of the house."""

from django.urls import URLPattern, URLResolver, path

from reviews.web import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz, name="healthz"),
]
