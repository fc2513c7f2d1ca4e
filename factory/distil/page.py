"""The timeline as a page that people read: one heading a day, facts and opinion in a paragraph each."""

from __future__ import annotations

from schemas import Lang, Timeline

HEADS: dict[Lang, tuple[str, str]] = {
    "en": ("**Event**: ", "**Public Opinion**: "),
    "zh": ("**事件**：", "**舆论**："),
}


def page(timeline: Timeline) -> str:
    """Markdown of the raw timeline, in the layout that published timelines use."""
    event, opinion = HEADS[timeline.lang]
    gap = "" if timeline.lang == "zh" else " "
    lines = [f"# {timeline.title}"]
    for node in timeline.nodes:
        lines.append(f"### {node.date.isoformat()}")
        if node.fact is not None:
            lines.append(event + gap.join(s.text for s in node.fact.statements))
        if node.opinion is not None:
            lines.append(opinion + gap.join(s.text for s in node.opinion.statements))
            stances = ", ".join(
                f"{name} {share:.0%}" for name, share in node.opinion.stances.items() if share
            )
            lines.append(f"({node.opinion.n_items} posts: {stances}; {node.opinion.emotion})")
    return "\n\n".join(lines) + "\n"
