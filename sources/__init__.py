"""Where items come from: connectors that search a platform and importers that read a file."""
