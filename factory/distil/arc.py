"""The last look at the arc: which day continues which, and what a person should look at.

The pass may link days and point out contradictions. It cannot change a sentence, so nothing that was known
later enters an earlier day.
"""

from __future__ import annotations

from factory.distil.answers import ArcAnswer, ArcContradiction
from factory.errors import AnswerFailed
from factory.stage import StageContext
from schemas import Fact, Node, Plan, ReviewRequest, Statement

KEEP = "keep both"
DROP = "drop the later sentence"


async def link_days(ctx: StageContext, plan: Plan, nodes: list[Node]) -> list[Node]:
    """The nodes with `follows`; contradictions become review requests, and decided ones are applied."""
    if len(nodes) < 2:
        return nodes
    answers = await ctx.ask.gather(_ask(ctx, plan, nodes))
    answer = answers[0]
    if isinstance(answer, AnswerFailed):
        ctx.reject("arc", "no usable answer", f"days stay unlinked: {answer.reason}")
        return nodes
    follows = _follows(ctx, nodes, answer)
    dropped = _decided(ctx, nodes, answer.contradictions)
    linked = []
    for number, node in enumerate(nodes, 1):
        fields = {"follows": follows.get(f"N{number}", ())}
        kept = _without(node.model_copy(update=fields), dropped)
        if kept is None:
            ctx.reject(node.node_id, "thin day", "its last sentence was dropped in review")
        else:
            linked.append(kept)
    present = {node.node_id for node in linked}
    return [
        node.model_copy(update={"follows": tuple(f for f in node.follows if f in present)})
        for node in linked
    ]


async def _ask(ctx: StageContext, plan: Plan, nodes: list[Node]) -> ArcAnswer:
    shown = []
    for number, node in enumerate(nodes, 1):
        lines = [
            f"N{number}.{place} ({'fact' if layer else 'opinion'}) {statement.text}"
            for place, (layer, statement) in enumerate(_sentences(node), 1)
        ]
        shown.append(
            {"label": f"N{number}", "date": node.date.isoformat(), "text": "\n".join(lines)}
        )
    return await ctx.ask(
        "distil/arc", ArcAnswer, item="arc", lang=ctx.event.lang, title=plan.title, nodes=shown
    )


def _sentences(node: Node) -> list[tuple[bool, Statement]]:
    rows = [(True, statement) for statement in (node.fact.statements if node.fact else ())]
    return rows + [
        (False, statement) for statement in (node.opinion.statements if node.opinion else ())
    ]


def _follows(ctx: StageContext, nodes: list[Node], answer: ArcAnswer) -> dict[str, tuple[str, ...]]:
    place = {f"N{number}": number - 1 for number in range(1, len(nodes) + 1)}
    links: dict[str, tuple[str, ...]] = {}
    for link in answer.links:
        if link.node not in place:
            ctx.reject(f"arc:{link.node}", "link to no node", "")
            continue
        good = set()
        for earlier in link.follows:
            if earlier in place and place[earlier] < place[link.node]:
                good.add(place[earlier])
            else:
                ctx.reject(f"arc:{link.node}", "link not to an earlier day", earlier)
        known = links.get(link.node, ())
        ids = [nodes[index].node_id for index in sorted(good)]
        links[link.node] = (*known, *(i for i in ids if i not in known))
    return links


def _decided(
    ctx: StageContext, nodes: list[Node], contradictions: list[ArcContradiction]
) -> set[str]:
    """Put each contradiction to a person; ids of statements that were decided to be dropped."""
    by_label = {
        f"N{number}.{place}": (node, statement)
        for number, node in enumerate(nodes, 1)
        for place, (_, statement) in enumerate(_sentences(node), 1)
    }
    dropped = set()
    for found in contradictions:
        if found.earlier not in by_label or found.later not in by_label:
            ctx.reject(f"arc:{found.later}", "contradiction of no sentence", found.problem[:200])
            continue
        (first_node, first), (second_node, second) = by_label[found.earlier], by_label[found.later]
        if first is second or second_node.date < first_node.date:
            ctx.reject(f"arc:{found.later}", "contradiction out of order", found.problem[:200])
            continue
        choice = ctx.request_review(
            ReviewRequest(
                stage=ctx.stage,
                review_id=f"contradiction-{first.statement_id}-{second.statement_id}",
                kind="contradiction",
                question=f"Can the sentences of {first_node.date} and {second_node.date} both be true?",
                detail=f"{found.problem}\n{first_node.date}: {first.text}\n{second_node.date}: {second.text}",
                options=(KEEP, DROP),
            )
        )
        if choice == DROP:
            dropped.add(second.statement_id)
            ctx.reject(second.statement_id, "dropped in review", second.text[:200])
    return dropped


def _without(node: Node, dropped: set[str]) -> Node | None:
    """The node without some statements; none when nothing is left."""
    fact, opinion = node.fact, node.opinion
    if fact is not None:
        kept = tuple(s for s in fact.statements if s.statement_id not in dropped)
        fact = Fact(statements=kept) if kept else None
    if opinion is not None:
        said = tuple(s for s in opinion.statements if s.statement_id not in dropped)
        opinion = opinion.model_copy(update={"statements": said}) if said else None
    if fact is None and opinion is None:
        return None
    return node.model_copy(update={"fact": fact, "opinion": opinion})
