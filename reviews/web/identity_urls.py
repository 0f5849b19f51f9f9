"""Who one is: the doors, the person's account, and what proves them. allauth asks for the names with an underscore.

Only what has a page of ours stands here: nobody signs up, changes an e-mail address or resets a password by himself.
"""

from allauth.account.views import account_inactive
from allauth.mfa.base.views import authenticate
from allauth.mfa.recovery_codes.views import generate_recovery_codes, view_recovery_codes
from allauth.mfa.totp.views import activate_totp, deactivate_totp
from allauth.mfa.webauthn.views import login_webauthn
from allauth.socialaccount.views import login_cancelled
from django.contrib.auth.decorators import login_not_required
from django.urls import URLPattern, URLResolver, path

from reviews.web import account, login, single_sign_on

urlpatterns: list[URLPattern | URLResolver] = [
    path("login/", login.log_in, name="login"),
    path("login/", login.log_in, name="account_login"),
    path("login/second-step/", authenticate, name="mfa_authenticate"),
    path("login/passkey/", login_not_required(login_webauthn), name="mfa_login_webauthn"),
    path("login/inactive/", login_not_required(account_inactive), name="account_inactive"),
    path("login/cancelled/", login_cancelled, name="socialaccount_login_cancelled"),
    path("login/provider/callback/", single_sign_on.callback, name="provider-callback"),
    path("login/provider/<str:purpose>/", single_sign_on.start, name="provider"),
    path("logout/", login.log_out, name="logout"),
    path("account/", account.account, name="account"),
    path("account/", account.account, name="mfa_index"),
    path("account/", account.account, name="mfa_list_webauthn"),
    path("account/", account.account, name="socialaccount_connections"),
    path("account/prove/", account.prove, name="prove"),
    path("account/passkeys/new/", account.AddPasskey.as_view(), name="mfa_add_webauthn"),
    path("account/passkeys/<int:passkey_id>/remove/", account.remove_passkey, name="passkey-remove"),
    path("account/app/", activate_totp, name="mfa_activate_totp"),
    path("account/app/remove/", deactivate_totp, name="mfa_deactivate_totp"),
    path("account/recovery-codes/", view_recovery_codes, name="mfa_view_recovery_codes"),
    path("account/recovery-codes/new/", generate_recovery_codes, name="mfa_generate_recovery_codes"),
]
