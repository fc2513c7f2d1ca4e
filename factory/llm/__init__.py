"""The only door to a language model: prompts in, validated answers out, every call stored and paid once.

Nothing heavy is imported here; the parts import openai and instructor inside the functions that need them.
"""
