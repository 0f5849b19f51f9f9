"""The template's owner roles, once each, in the order of its decisions."""

from reviews.sections import RequiredOwner
from reviews.template_content import TemplateContent
from reviews.vocabulary import DecisionKind


def template_owners(template: TemplateContent) -> tuple[RequiredOwner, ...]:
    """The owners that the template names for any decision."""
    titles: dict[str, str] = {}
    for kind in DecisionKind.values:
        for role in template.decisions[kind].roles:
            titles.setdefault(role.role, role.title)
    return tuple(RequiredOwner(role=role, title=title, from_template=True) for role, title in titles.items())
