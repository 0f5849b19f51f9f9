"""The doors of the house."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from reviews.api.views.rollouts import Receive

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("api/v1/", include("reviews.api.urls")),
    path("webhooks/production/<str:key>/", Receive.as_view(), name="webhook"),
    path("", include("reviews.web.urls")),
]

handler400 = "reviews.web.errors.bad_request"
handler403 = "reviews.web.errors.forbidden"
handler404 = "reviews.web.errors.not_found"
handler500 = "reviews.web.errors.server_error"
