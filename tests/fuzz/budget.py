"""Two environment variables: how long the long tests of this folder run, and their first seed.

WORKBENCH_FUZZ_SECONDS: how long each test runs. WORKBENCH_FUZZ_SEED: the first seed; without it every run starts at a
random one, and a failure names the seed that repeats it.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator

SECONDS = float(os.environ.get("WORKBENCH_FUZZ_SECONDS", "20"))


def first_seed() -> int:
    given = os.environ.get("WORKBENCH_FUZZ_SEED")
    return int(given) if given else random.SystemRandom().randrange(10**6) * 1000


def seeds() -> Iterator[int]:
    """Yield one seed after the other until the time is up, but at least the first."""
    deadline, seed = time.monotonic() + SECONDS, first_seed()
    while True:
        yield seed
        seed += 1
        if time.monotonic() > deadline:
            return
