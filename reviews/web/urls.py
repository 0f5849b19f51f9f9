"""The pages. Only routes that exist stand here; their names are those of the design."""

from django.urls import URLPattern, URLResolver, path

from reviews.web import health, login

urlpatterns: list[URLPattern | URLResolver] = [
    path("login/", login.log_in, name="login"),
    path("logout/", login.log_out, name="logout"),
    path("healthz", health.healthz, name="healthz"),
]
