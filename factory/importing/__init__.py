"""Files that a researcher already has: what each gives, and timelines that enter the stage graph half way."""

from factory.importing.files import (
    Inspected,
    Reading,
    check_importable,
    import_report,
    import_spec,
    inspect_path,
)
from factory.importing.workspace import ReadTimeline, read_entry, write_timeline

__all__ = [
    "Inspected",
    "ReadTimeline",
    "Reading",
    "check_importable",
    "import_report",
    "import_spec",
    "inspect_path",
    "read_entry",
    "write_timeline",
]
