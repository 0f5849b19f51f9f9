"""The only settings file. Every value that may differ between installations comes from `env`."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from config import env, oidc

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(env.text("DATA_DIR", default=str(BASE_DIR / ".cache" / "data")))

DEBUG = env.flag("DEBUG", default=False)
SECRET_KEY = env.text("SECRET_KEY", default="for-development-only" if DEBUG else None)
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", default="localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = env.words("TRUSTED_ORIGINS", default="")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "django_filters",
    "rest_framework",
    "drf_spectacular",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "reviews",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "reviews.web.security.ContentSecurityPolicy",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "reviews.web.refusals.Refusals",
]
CSRF_FAILURE_VIEW = "reviews.web.errors.form_expired"

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "reviews.web.unread.unread",
            ],
        },
    },
]


def database(url: str) -> dict[str, object]:
    """Django's database dictionary for sqlite:///path or postgresql://user:password@host:port/name."""
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": unquote(parts.path.removeprefix("/")) if parts.path else str(DATA_DIR / "countersign.sqlite3"),
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
            },
            "TEST": {"NAME": str(DATA_DIR / "test.sqlite3")},
            "ATOMIC_REQUESTS": False,
        }
    if parts.scheme == "postgresql":
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": parts.path.lstrip("/"),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": unquote(parts.hostname or ""),
            "PORT": str(parts.port or ""),
            "ATOMIC_REQUESTS": False,
        }
    raise ImproperlyConfigured(
        f"COUNTERSIGN_DATABASE_URL must start with sqlite: or postgresql:, not {parts.scheme!r}."
    )


DATABASES = {"default": database(env.text("DATABASE_URL", default="sqlite:"))}

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = Path(env.text("STATIC_DIR", default=str(DATA_DIR / "static")))
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "reviews.finders.PackageFinder",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "queue"
LOGOUT_REDIRECT_URL = "login"

# Accounts: passwords, second steps and passkeys of this installation, and one provider of identities if there is one.
ACCOUNT_ADAPTER = "reviews.web.adapters.Accounts"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_RATE_LIMITS = {"login": "60/m/ip", "login_failed": "30/m/ip,5/5m/key", "reauthenticate": "10/m/user"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_UNIQUE_EMAIL = False
MFA_ADAPTER = "reviews.web.adapters.SecondSteps"
MFA_FORMS = {
    "add_webauthn": "reviews.web.forms.account.AddPasskey",
    "authenticate_webauthn": "reviews.web.forms.account.SecondStepByPasskey",
    "login_webauthn": "reviews.web.forms.account.LogInByPasskey",
}
MFA_SUPPORTED_TYPES = ["webauthn", "totp", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_USER_VERIFICATION = "required"
MFA_TOTP_ISSUER = "Countersign"
MFA_TOTP_TOLERANCE = 1
OIDC_ISSUER = env.text("OIDC_ISSUER", default="").rstrip("/")
OIDC_NAME = env.text("OIDC_NAME", default="single sign-on")
OIDC_NEW_ACCOUNTS = env.flag("OIDC_NEW_ACCOUNTS", default=True)
OIDC_PROVIDER_ID = oidc.provider_id(OIDC_ISSUER)
SOCIALACCOUNT_ADAPTER = "reviews.web.adapters.Provided"
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False
SOCIALACCOUNT_PROVIDERS = oidc.providers(
    OIDC_ISSUER,
    OIDC_NAME,
    client_id=env.text("OIDC_CLIENT_ID", default=""),
    client_secret=env.text("OIDC_CLIENT_SECRET", default=""),
)

# Evidence and records.
ARTIFACT_ROOT = DATA_DIR / "artifacts"
ARTIFACT_LIMIT_BYTES = env.number("ARTIFACT_LIMIT_BYTES", default=8 * 1024**3)
PARSE_SECONDS = env.number("PARSE_SECONDS", default=1800)

# What pages remember of evidence, by its digest; the folder may be emptied at any time.
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "answers": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": DATA_DIR / "answers",
        "TIMEOUT": None,
        "OPTIONS": {"MAX_ENTRIES": env.number("REMEMBERED_ANSWERS", default=1000)},
    },
}

# Jobs: the row is the truth, the message is a nudge.
CELERY_BROKER_URL = env.text("BROKER_URL", default="filesystem://")
if CELERY_BROKER_URL.startswith("filesystem:"):
    CELERY_BROKER_TRANSPORT = "config.broker:Transport"
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {
        "data_folder_in": str(DATA_DIR / "broker"),
        "data_folder_out": str(DATA_DIR / "broker"),
        "control_folder": str(DATA_DIR / "broker-control"),
        "polling_interval": 0.1,
    }
    if CELERY_BROKER_URL.startswith("filesystem:")
    else {"visibility_timeout": 600}
)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
JOB_LEASE_SECONDS = env.number("JOB_LEASE_SECONDS", default=60)
JOB_SWEEP_SECONDS = env.number("JOB_SWEEP_SECONDS", default=15)

# Being told. Without an address to send from, no mail is sent; without a name of this site, links say localhost.
SITE_ADDRESS = env.text("SITE_ADDRESS", default="http://localhost:8000").rstrip("/")
# A site that is reached by https sends no session over anything else.
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SITE_ADDRESS.startswith("https://")
MAIL_FROM = DEFAULT_FROM_EMAIL = env.text("MAIL_FROM", default="")
EMAIL_HOST, EMAIL_PORT = env.text("MAIL_HOST", default="localhost"), env.number("MAIL_PORT", default=25)
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = env.text("MAIL_USER", default=""), env.text("MAIL_PASSWORD", default="")
EMAIL_USE_TLS, EMAIL_USE_SSL = env.flag("MAIL_STARTTLS", default=False), env.flag("MAIL_TLS", default=False)
EMAIL_TIMEOUT = SEND_SECONDS = env.number("SEND_SECONDS", default=10)
PRIVATE_NETWORKS = env.words("PRIVATE_NETWORKS", default="")
REMIND_SECONDS = env.number("REMIND_SECONDS", default=600)

# Review policy. A change here is a change of policy: it needs an ADR.
STEP_UP_SECONDS = 300

REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "reviews.api.schema.Described",
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "reviews.api.authentication.Bearer",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated", "reviews.api.authentication.InScope"],
    "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.UserRateThrottle"],
    "DEFAULT_THROTTLE_RATES": {"user": "1200/min"},
    "DEFAULT_PARSER_CLASSES": ["reviews.api.parsers.Json"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "reviews.api.negotiation.JsonAlways",
    "EXCEPTION_HANDLER": "reviews.api.problems.answer",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Countersign",
    "DESCRIPTION": "Accelerator review memos as structured records. See docs/api.md.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "State": "reviews.vocabulary.State",
        "Intent": "reviews.vocabulary.Intent",
        "DecisionKind": "reviews.vocabulary.DecisionKind",
        "Arm": "reviews.vocabulary.Arm",
        "EvidenceUse": "reviews.vocabulary.EvidenceUse",
        "ParseState": "reviews.vocabulary.ParseState",
        "SetState": "reviews.vocabulary.SetState",
        "JobState": "reviews.vocabulary.JobState",
        "WaiverState": "reviews.vocabulary.WaiverState",
        "ProductionEventKind": "reviews.vocabulary.ProductionEventKind",
        "RedactionKind": "reviews.redaction_words.RedactionKind",
        "RequirementState": "reviews.vocabulary.RequirementState",
        "Action": "reviews.vocabulary.Action",
        "NotificationReason": "reviews.told_words.Reason",
        "MailWay": "reviews.told_words.MailWay",
        "ChannelKind": "reviews.told_words.ChannelKind",
        "Anchored": "reviews.told_words.Anchored",
        "Position": "reviews.vocabulary.Position",
    },
}
