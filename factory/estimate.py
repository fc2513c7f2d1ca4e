"""Calls, tokens and money of each stage before any is spent.

Each stage's formula is written beside it. Sizes that are known (artefacts in the workspace) are used as they
are; sizes that are not yet known are guessed from the ones above them in the data flow, and say so. Money is
an upper view without re-asks: tokens in and out by the price table of the stage's role.

Calls grow with nodes and points and never with questions: claims are nodes x outcomes x (1 + details + variants);
they are written once a node, read twice over the timeline's chunks and audited three times in batches that do not
mix points. How often the composer asks them (windows, prompts, points at which a claim is repeated) costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from math import ceil
from typing import TYPE_CHECKING

from factory.sections import Profile
from factory.settings import Settings

if TYPE_CHECKING:
    from factory.workspace import Workspace
    from schemas import EventConfig

INSTRUCTIONS = 900
"""Tokens of a prompt's instructions and its schema."""
NODE_TOKENS = 220
"""Tokens of one timeline node as prompts show it."""
SOURCE_TOKENS = 450
"""Tokens of one article or cluster representative, cut to what a prompt shows."""
POST_TOKENS = 70
"""Tokens of one post."""
CLAIM_TOKENS = 45
"""Tokens of one claim."""
ORDERS_A_CALL = 12
"""Orders for made-up claims that one call fills."""
AUDITORS = 3
DECOYS = 3
"""Invented events that the panel is shown as a control."""
RESOLVER_PASSES = 2


@dataclass(frozen=True)
class Sizes:
    """How large an event is at each step; None where not known yet."""

    days: int | None = None
    """Days of the window."""
    items: int | None = None
    """Items collected."""
    clusters: int | None = None
    """Distinct news texts."""
    posts: int | None = None
    """Distinct posts."""
    nodes: int | None = None
    """Timeline nodes."""
    points: int | None = None
    """Prediction points."""
    claims: int | None = None
    """Claims of the first round."""
    fabrications: int | None = None
    """Claims written to order."""
    texts: int | None = None
    """Texts to translate."""


@dataclass(frozen=True)
class StageEstimate:
    """What one stage will take."""

    stage: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float
    guessed: bool
    """True when a size behind it was guessed."""
    formula: str
    """How the calls were counted."""
    unpriced: str = ""
    """Profile that has no price, so that the cost is not known."""


def complete(settings: Settings, sizes: Sizes) -> Sizes:
    """Sizes with guesses in place of what is not known, each from the size before it."""
    days = sizes.days if sizes.days is not None else 90
    items = sizes.items if sizes.items is not None else min(settings.collect.max_items, days * 12)
    # About half of what is collected says something new, one in three of it is news.
    clusters = sizes.clusters if sizes.clusters is not None else ceil(items / 6)
    posts = sizes.posts if sizes.posts is not None else ceil(items / 3)
    nodes = sizes.nodes if sizes.nodes is not None else min(days, max(1, ceil(days / 3)))
    points = sizes.points if sizes.points is not None else min(settings.points.count, nodes)
    family = 1 + settings.claims.details + settings.claims.variants
    claims = (
        sizes.claims if sizes.claims is not None else nodes * settings.claims.asked(nodes) * family
    )
    made = sizes.fabrications if sizes.fabrications is not None else ceil(claims * 0.2)
    texts = sizes.texts if sizes.texts is not None else claims + made + nodes * 4
    return Sizes(days, items, clusters, posts, nodes, points, claims, made, texts)


def has_price(profile: Profile) -> bool:
    """Whether money can be counted for a profile."""
    return bool(profile.price.input or profile.price.output)


def price_missing(profiles: Iterable[str]) -> str:
    """The sentence for profiles without a price, for the estimate and for a budget that cannot be kept."""
    names = sorted(set(profiles))
    many = "profiles" if len(names) > 1 else "profile"
    where = ", ".join(f"[profiles.{name}.price]" for name in names)
    return f"no price is set for {many} {', '.join(names)}, so cost is unknown; set {where} in factory.toml"


def estimate(settings: Settings, sizes: Sizes) -> list[StageEstimate]:
    """One row for each stage that asks models, in stage order; pure."""
    full = complete(settings, sizes)
    known = {field.name for field in fields(Sizes) if getattr(sizes, field.name) is not None}
    n = {field.name: int(getattr(full, field.name)) for field in fields(Sizes)}
    rows = []

    def row(
        stage: str, role: str, needs: str, calls: int, shown: int, written: int, formula: str
    ) -> None:
        """`shown` and `written`: tokens of all calls beside the instructions."""
        prompt = calls * INSTRUCTIONS + shown
        price = settings.profile(role).price
        free = not has_price(settings.profile(role))
        rows.append(
            StageEstimate(
                stage=stage,
                calls=calls,
                prompt_tokens=prompt,
                completion_tokens=written,
                cost=(prompt * price.input + written * price.output) / 1e6,
                guessed=not set(needs.split()) <= known,
                formula=formula,
                unpriced=settings.roles.get(role, "default") if free else "",
            )
        )

    timeline = n["nodes"] * NODE_TOKENS
    row("plan", "plan", "", 1, 50, 600, "1")

    fact_calls = n["nodes"] + n["clusters"] // settings.distil.max_sources
    post_calls = ceil(n["posts"] / settings.distil.max_posts)
    merge_calls = n["clusters"] // settings.distil.max_sources
    row(
        "distil",
        "distil",
        "clusters posts nodes",
        fact_calls + post_calls + n["nodes"] + merge_calls + 1,
        n["clusters"] * SOURCE_TOKENS + 2 * n["posts"] * POST_TOKENS + timeline,
        n["nodes"] * NODE_TOKENS * 2 + n["posts"] * 25,
        "facts: nodes + clusters / max_sources; posts / max_posts; opinion: nodes; "
        "merge: clusters / max_sources; arc: 1",
    )

    # Half of the allowed rounds: most tables pass early, some run out.
    rounds = ceil(settings.anonymise.rounds / 2)
    # Of the controls only the raw text is as long as the timeline.
    long, short = (rounds + 1, 1 + DECOYS) if settings.anonymise.controls else (rounds, 0)
    guesses = AUDITORS * (long + short)
    row(
        "anonymise",
        "anonymise",
        "nodes",
        n["nodes"] * 2 + 1 + guesses,
        timeline * (2 + AUDITORS * long) + AUDITORS * short * NODE_TOKENS * 3,
        n["nodes"] * 150 + guesses * 500,
        "entities: nodes; drift: nodes; truth: 1; guesses: 3 x (rounds / 2 + raw + bare class + 3 decoys)",
    )

    asked = ceil(n["nodes"] / settings.claims.nodes_a_call)
    row(
        "claims",
        "claims",
        "nodes",
        asked,
        asked * timeline // 2,
        n["claims"] * CLAIM_TOKENS,
        "nodes / nodes_a_call",
    )

    chunks = max(1, ceil(timeline / settings.resolve.chunk_tokens))

    family = 1 + settings.claims.details + settings.claims.variants

    def whole(size: int, members: int) -> int:
        """Claims that a call of at most `size` holds when families are never split."""
        return max(members, size // members * members)

    def resolve(stage: str, needs: str, claims: int, members: int) -> None:
        calls = RESOLVER_PASSES * ceil(claims / whole(settings.resolve.claims_a_call, members))
        calls *= chunks
        row(
            stage,
            "resolve",
            needs,
            calls,
            calls * timeline // chunks + RESOLVER_PASSES * claims * CLAIM_TOKENS * 3,
            RESOLVER_PASSES * claims * 80,
            "2 passes x claims / claims_a_call x timeline chunks",
        )

    def batches(rows: int, size: int) -> int:
        """Calls for rows in batches that do not mix points: at most one that is not full a point."""
        return min(rows, rows // size + n["points"])

    def vet(stage: str, needs: str, claims: int, members: int) -> None:
        calls = AUDITORS * batches(claims, whole(settings.vet.claims_a_call, members))
        row(
            stage,
            "auditor1",
            needs,
            calls,
            calls * timeline // 2 + AUDITORS * claims * CLAIM_TOKENS,
            AUDITORS * claims * 40,
            "3 auditors x (claims / claims_a_call + points)",
        )

    resolve("resolve", "nodes claims", n["claims"], family)
    vet("vet", "nodes points claims", n["claims"], family)
    filled = batches(n["fabrications"], ORDERS_A_CALL)
    row(
        "fabricate",
        "claims",
        "nodes points fabrications",
        filled,
        filled * timeline // 2,
        n["fabrications"] * CLAIM_TOKENS,
        f"orders / {ORDERS_A_CALL} + points",
    )
    resolve("resolve_fabrications", "nodes fabrications", n["fabrications"], 1)
    vet("vet_fabrications", "nodes points fabrications", n["fabrications"], 1)
    row(
        "translate",
        "translate",
        "texts",
        ceil(n["texts"] / settings.translate.texts_a_call),
        n["texts"] * CLAIM_TOKENS,
        n["texts"] * CLAIM_TOKENS,
        "texts / texts_a_call",
    )
    return rows


def total(rows: list[StageEstimate]) -> StageEstimate:
    """The sum of all rows."""
    return StageEstimate(
        stage="total",
        calls=sum(row.calls for row in rows),
        prompt_tokens=sum(row.prompt_tokens for row in rows),
        completion_tokens=sum(row.completion_tokens for row in rows),
        cost=sum(row.cost for row in rows),
        guessed=any(row.guessed for row in rows),
        formula="",
    )


def _lines(workspace: Workspace, relative: str) -> int | None:
    path = workspace.path(relative)
    if not path.is_file():
        return None
    with path.open("rb") as stream:
        return sum(1 for line in stream if line.strip())


def sizes_of(workspace: Workspace, event: EventConfig) -> Sizes:
    """What the workspace's artefacts tell; the event's own settings where there is none yet.

    Raises WorkspaceError for a damaged artefact.
    """
    from schemas import Plan, Timeline

    sizes = Sizes(points=event.points)
    if event.since and event.until:
        sizes = replace(sizes, days=(event.until - event.since).days + 1)
    if workspace.exists("00_plan/plan.json"):
        plan = workspace.read(Plan, "00_plan/plan.json")
        sizes = replace(sizes, days=(plan.until - plan.since).days + 1)
    if workspace.exists("02_corpus/clusters.jsonl"):
        news, posts = _kinds(workspace)
        sizes = replace(sizes, clusters=news, posts=posts)
    if workspace.exists("03_timeline/timeline.json"):
        timeline = workspace.read(Timeline, "03_timeline/timeline.json")
        sizes = replace(sizes, nodes=len(timeline.nodes))
    return replace(
        sizes,
        items=_lines(workspace, "01_items/items.jsonl"),
        claims=_lines(workspace, "06_claims/claims.jsonl"),
        fabrications=_lines(workspace, "06_claims/fabrications.jsonl"),
    )


def _kinds(workspace: Workspace) -> tuple[int, int]:
    """Clusters led by news texts, and by posts or comments."""
    from schemas import Cluster, Item

    kinds = {
        item.item_id: item.kind for item in workspace.read_lines(Item, "02_corpus/documents.jsonl")
    }
    leads = [
        kinds.get(cluster.representative, "article")
        for cluster in workspace.read_lines(Cluster, "02_corpus/clusters.jsonl")
    ]
    posts = sum(kind in ("post", "comment") for kind in leads)
    return len(leads) - posts, posts
