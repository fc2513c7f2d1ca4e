"""Claims about shares of counted posts: every day counted again from the timeline, the words held to the test.

No reader judged these claims, so nothing but arithmetic on the published shares may decide them.
"""

from __future__ import annotations

from collections.abc import Iterator

from factory.audit.case import Case
from factory.audit.rules import Hit
from factory.bank.stances import words
from factory.segments import to_tokens
from schemas import AnonNode, StanceTest


def counted_posts(case: Case) -> Iterator[Hit]:
    """An asked claim with a stance test happens on exactly the days whose share meets it, in the template's words."""
    for claim in case.claims:
        test = claim.stance
        if test is None or claim.claim_id not in case.asked:
            continue
        days = {node.date for node in case.timeline.nodes if _meets(node, test)}
        if set(case.days(claim.claim_id)) != days:
            yield "stance-days", claim.claim_id
        for lang, text in claim.text.items():
            # The template up to its target, which is what people said they are for or against.
            if not to_tokens(text).startswith(words(test, (), lang).rstrip()):
                yield "stance-figures", f"{claim.claim_id} {lang}"


def _meets(node: AnonNode, test: StanceTest) -> bool:
    if node.opinion is None or not node.opinion.stances or node.opinion.n_items < test.posts:
        return False
    per_cent = round(100 * node.opinion.stances.get(test.stance, 0.0), 6)
    low = 0 if test.at_least is None else test.at_least
    return low <= per_cent and (test.below is None or per_cent < test.below)
