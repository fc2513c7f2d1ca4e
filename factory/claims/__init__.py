"""Claims: outcomes with their ladders and variants, and the fabrications that mirror them."""
