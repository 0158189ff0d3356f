"""Why a bound is missed, by profiles: what the page of figures says of a benchmark that is past its bound."""

from __future__ import annotations

MISSES: dict[str, str] = {}
