"""The pages. Only routes that exist stand here; their names are those of the design."""

from django.urls import URLPattern, URLResolver, path

from reviews.web import editing, health, login, memo, memo_new, memos, moving, queue, trail

urlpatterns: list[URLPattern | URLResolver] = [
    path("login/", login.log_in, name="login"),
    path("logout/", login.log_out, name="logout"),
    path("healthz", health.healthz, name="healthz"),
    # The memo's own pages
    path("", queue.queue, name="queue"),
    path("memos/", memos.memos, name="memos"),
    path("memos/new/", memo_new.memo_new, name="memo-new"),
    path("memos/new/preview/", memo_new.memo_preview, name="memo-preview"),
    path("memos/<str:number>/", memo.memo, name="memo"),
    path("memos/<str:number>/edit/", editing.memo_edit, name="memo-edit"),
    path("memos/<str:number>/text/", editing.memo_text, name="memo-text"),
    path("memos/<str:number>/trail/", trail.trail, name="trail"),
    path("memos/<str:number>/submit/", moving.submit, name="memo-submit"),
    path("memos/<str:number>/return/", moving.return_to_author, name="memo-return"),
    path("memos/<str:number>/withdraw/", moving.withdraw, name="memo-withdraw"),
    path("memos/<str:number>/comments/", moving.comment, name="comment"),
    path("memos/<str:number>/comments/<int:comment_id>/resolve/", moving.resolve_comment, name="comment-resolve"),
]
