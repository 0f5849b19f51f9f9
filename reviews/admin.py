"""The admin shows every record and changes none: memos change through services alone, accounts are deactivated."""

from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db import models
from django.http import HttpRequest


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    """A record to look at."""

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:  # noqa: ARG002
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:  # noqa: ARG002
        return False


class AccountAdmin(UserAdmin):  # type: ignore[type-arg]
    """Accounts can be made and deactivated; history names them, so none is deleted."""

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:  # noqa: ARG002
        return False


# One door for everybody: the admin's own would ask for no second step.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
# Second steps and provided accounts change on the person's own page, after a proof, and nowhere else.
admin.site.unregister((Authenticator, EmailAddress, SocialAccount, SocialApp, SocialToken))
admin.site.unregister(User)
admin.site.register(User, AccountAdmin)
admin.site.register(apps.get_app_config("reviews").get_models(), ReadOnly)
