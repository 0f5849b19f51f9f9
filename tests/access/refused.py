"""What everybody is refused in this world, and why: what it needs does not stand in it, and its own tests have it."""

from collections.abc import Mapping
from typing import Final

MEMO: Final = "/memos/{number}/"
API: Final = f"/api/v1{MEMO}"
WHY: Final[Mapping[str, frozenset[str]]] = {
    "its file waits for a worker": frozenset(
        {
            "POST /api/v1/artifacts/{sha256}/format/",
            "POST /artifacts/{sha256}/format/",
            f"GET {API}decisions/{{decision}}/pdf/",
        }
    ),
    "no trace was attached": frozenset(
        {f"POST {API}traces/", f"POST {MEMO}traces/compare/", f"GET {MEMO}traces/{{set_number}}/kernels.csv"}
    ),
    "the runs have one stream, and no requests": frozenset(
        {f"GET {API}fairness/", f"GET {MEMO}fairness/", f"GET {MEMO}tail-drivers/{{of}}.svg"}
    ),
    "it is computed, or attached, or accounted for already": frozenset(
        {
            f"POST {API}comparisons/{{key}}/absence/",
            f"POST {MEMO}comparisons/{{key}}/leave/",
            f"POST {MEMO}evidence/{{set_number}}/label/",
            f"POST {MEMO}plans/{{plan_id}}/account/",
        }
    ),
    "who accepts it is neither of the two who write here": frozenset({f"POST {MEMO}comparisons/{{key}}/accept/"}),
    "no job is under way": frozenset({f"POST {MEMO}batch-policy/cancel/"}),
    "the board has not answered, or has not met": frozenset(
        {
            f"GET {API}waivers/{{waiver}}/approval/",
            f"POST {MEMO}sign/{{signature_id}}/resolve/",
            f"POST {MEMO}sign/{{signature_id}}/override/",
        }
    ),
    "the gate is closed": frozenset({f"POST {MEMO}decide/", f"POST {MEMO}rollout/"}),
    "nothing was measured again after the decision": frozenset({f"POST {API}rechecks/", f"POST {API}outcomes/"}),
    "nobody has a passkey or an authenticator here, and no provider is set up": frozenset(
        {
            f"POST {MEMO}sign/passkey/",
            "POST /account/prove/",
            "GET /account/passkeys/{passkey_id}/remove/",
            "POST /account/passkeys/{passkey_id}/remove/",
            "GET /account/app/remove/",
            "POST /account/app/remove/",
            "GET /account/recovery-codes/",
            "GET /login/provider/callback/",
            "POST /login/provider/callback/",
            "POST /login/provider/{purpose}/",
        }
    ),
}
