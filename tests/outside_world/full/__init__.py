"""The full demo event's invented outside world: the reservoir of Wengli. STORY.md is its bible."""
