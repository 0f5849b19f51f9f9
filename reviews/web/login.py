"""In and out: Django's own views with our page."""

from django.contrib.auth.views import LoginView, LogoutView

log_in = LoginView.as_view(redirect_authenticated_user=False)
log_out = LogoutView.as_view()
