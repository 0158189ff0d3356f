"""Errors of files that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from workbench.base.errors import CatalogError, CorruptFile
from workbench.base.failed_reads import MISSING
from workbench.metadata.store import MISSING_HINT


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Turn an Arrow error about a broken file into a CorruptFile that names the file."""
    try:
        yield
    except FileNotFoundError as error:
        raise CorruptFile(path, MISSING, MISSING_HINT) from error
    except CatalogError:
        # It names the storage and the cause.
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            # The storage failed, which does not mean that the file is damaged.
            raise CorruptFile(path, f"the storage returned an error ({error.strerror})", "Try again.", True) from error
        raise CorruptFile(path, f"it is truncated or corrupt ({str(error).splitlines()[0][:200]})") from error
