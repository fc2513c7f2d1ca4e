"""factory: one line of topic in, an audited forecasting benchmark out."""

__version__ = "0.1.0"
