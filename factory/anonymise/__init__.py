"""The anonymiser: names become references, dates move by one secret offset, a panel tries to undo it."""
