"""Real names in every form in which they may hide: one search for the leak scanner, recordings and repairs."""
