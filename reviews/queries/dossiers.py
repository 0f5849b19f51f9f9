"""Frozen dossiers, as the renderer reads them."""

import json
from typing import Any

from reviews.errors import NotVisible
from reviews.models import Decision


def dossier_of(decision_id: int) -> dict[str, Any]:
    """The dossier of a decision, as JSON values. Raises NotVisible."""
    text = Decision.objects.filter(pk=decision_id).values_list("dossier", flat=True).first()
    if text is None:
        raise NotVisible("There is no such decision.")
    return dict(json.loads(text))
