"""Why the compactions of a commit ran, from the record in its snapshot."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.base.counting import counted
from workbench.base.texts import size_text

# The two figures that a rule compares, the larger one first. Each is summed up over the compactions.
_COMPARED = {"size-amplification": ("newer_bytes", "oldest_bytes")}

_Record = Mapping[str, Any]


@dataclass(frozen=True)
class CompactionReasons:
    """Why the compactions of a commit ran: ``text`` in one sentence for each rule. ``details`` are the sentences of the
    buckets that ``text`` sums up, empty if it contains all of them."""

    text: str
    details: tuple[str, ...]


def compaction_reasons(recorded: str | None) -> CompactionReasons:
    """Return why the compactions of a commit ran, from `COMPACTION_PROPERTY` of its snapshot.

    A rule that picked several buckets is summed up: ``2 buckets: size amplification (388 KiB over 154 KiB).``
    """
    try:
        records = json.loads(recorded or "[]")
    except (ValueError, RecursionError):
        records = []
    listed = [each for each in records if isinstance(each, dict)] if isinstance(records, list) else []
    rules: dict[str, list[_Record]] = {}
    for record in listed:
        if _sentence(record):
            rules.setdefault(str(record.get("reason") or _sentence(record)), []).append(record)
    texts = [_text(rule, alike) for rule, alike in rules.items()]
    details = [line for alike in rules.values() for line in _details(alike)]
    more = sum(each["more"] for each in listed if isinstance(each.get("more"), int))
    if more:
        texts.append(f"{counted(more, 'more buckets')} without a recorded reason.")
    return CompactionReasons(" ".join(texts), tuple(details))


def _sentence(record: _Record) -> str:
    return str(record.get("why") or record.get("reason") or "")


def _text(rule: str, alike: Sequence[_Record]) -> str:
    """Return one sentence for the compactions that a rule picked."""
    sentences = {_sentence(record) for record in alike}
    if len(alike) == 1:
        return sentences.pop()
    where = counted(len(alike), "buckets" if all("output_level" in record for record in alike) else "compactions")
    if len(sentences) == 1:
        return f"{where}: {sentences.pop()}"
    return f"{where}: {rule.replace('-', ' ')}{_figures(rule, alike)}."


def _figures(rule: str, alike: Sequence[_Record]) -> str:
    """Return the sums of what the rule compared, or of what was compacted, in parentheses; '' if not recorded."""
    if rule in _COMPARED:
        larger, smaller = (_sum(alike, name) for name in _COMPARED[rule])
        return "" if larger is None or smaller is None else f" ({size_text(larger)} over {size_text(smaller)})"
    files, size = _sum(alike, "files"), _sum(alike, "bytes")
    return "" if files is None or size is None else f" ({counted(files, 'files')}, {size_text(size)})"


def _sum(alike: Sequence[_Record], name: str) -> int | None:
    numbers = [record.get(name) for record in alike]
    return sum(numbers) if all(isinstance(each, int) for each in numbers) else None  # type: ignore[arg-type]


def _details(alike: Sequence[_Record]) -> Iterator[str]:
    """Yield the sentences of compactions that are summed up; a repeated sentence is yielded once, with its count."""
    sentences = [_sentence(record) for record in alike]
    different = dict.fromkeys(sentences)
    if len(different) > 1:
        for sentence in different:
            count = sentences.count(sentence)
            yield sentence if count == 1 else f"{count:,} times: {sentence}"
