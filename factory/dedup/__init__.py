"""What says the same: comparison texts, figures, candidate pairs and clusters of copies."""
