"""In and out. The password is Django's; a second step, when the person has one, is allauth's, on our page."""

from typing import Any

from allauth.account.internal.flows.login import perform_password_login
from allauth.account.models import Login
from allauth.core import ratelimit
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.core.exceptions import ValidationError
from django.http import HttpResponse


class Credentials(AuthenticationForm):
    """User name and password; too many failures in a row are refused unread."""

    def clean(self) -> dict[str, Any]:
        """The cleaned values. Every failure counts against the name and the address that it came from."""
        name = str(self.cleaned_data.get("username", "")).lower()
        tried = {"action": "login_failed", "key": f"login:{name}"}
        if self.request is not None and not ratelimit.consume(self.request, dry_run=True, **tried):
            raise ValidationError("Too many failed tries. Wait five minutes, then try again.", code="too_many_tries")
        try:
            return super().clean()
        except ValidationError:
            if self.request is not None:
                ratelimit.consume(self.request, **tried)
            raise


class LogIn(LoginView):
    """The door."""

    authentication_form = Credentials
    redirect_authenticated_user = False

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """What the page offers besides the password."""
        return super().get_context_data(**kwargs) | {"provider": settings.OIDC_NAME if settings.OIDC_ISSUER else ""}

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """In, or to the second step."""
        person = form.get_user()
        login = Login(user=person, redirect_url=self.get_success_url())
        answer: HttpResponse = perform_password_login(self.request, {"username": person.get_username()}, login)
        return answer


log_in = LogIn.as_view()
log_out = LogoutView.as_view()
