"""The new files of a writer, as the kind of its table decides."""
