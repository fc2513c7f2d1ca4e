"""`factory check`: lint a bundle of ours or a published bank, and explain an answer down to its sources."""

from factory.check.explain import explain_question
from factory.check.target import check_path, unreleased

__all__ = ["check_path", "explain_question", "unreleased"]
