"""Systems that sit the exam: rules that read no text, and models."""
