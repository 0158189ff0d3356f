"""The numbers in the pictures of levels and snapshots, read from the document, and the expected ones."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from playwright.sync_api import Locator, expect

from tests.browser.counting import CountedBucket, CountedFile, CountedTable

_TABLES = """root => Object.fromEntries([...root.querySelectorAll('details table')].map(table => {
    const heads = [...table.tHead.rows[0].cells].map(cell => cell.textContent);
    const rows = [...table.tBodies[0].rows].map(
        row => Object.fromEntries([...row.cells].map((cell, index) => [heads[index], cell.textContent])));
    return [table.caption.textContent.trim(), rows];
}))"""
_LABELS = "found => found.map(element => element.getAttribute('aria-label'))"
_PLACES = """found => found.map(file => {
    const track = file.parentElement.getBoundingClientRect(), box = file.getBoundingClientRect();
    return [file.dataset.file, (box.left - track.left) / track.width, (box.right - track.left) / track.width];
})"""


def tables_in(view: Locator) -> dict[str, list[dict[str, str]]]:
    """Open the data tables below a picture, and return their rows by caption, each as texts by column head."""
    if view.locator("details[open]").count() == 0:
        view.locator("summary").click()
        expect(view.locator("details table").first).to_be_visible()
    result: dict[str, list[dict[str, str]]] = view.evaluate(_TABLES)
    return result


def labels(result: Locator) -> list[str]:
    """The accessible names of elements."""
    names: list[str] = result.evaluate_all(_LABELS)
    return names


def places(result: Locator) -> dict[str, tuple[float, float]]:
    """Where the bars of files begin and end on their tracks, 0 to 1, by file name."""
    return {name: (start, end) for name, start, end in result.evaluate_all(_PLACES)}


# --- expected texts -----------------------------------------------------------------------------------------------


def counted(number: int, noun: str) -> str:
    """``1 file``, ``1,234 files``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def size_text(size: float) -> str:
    """``812 B``, ``1.4 KiB``, ``146 KiB``."""
    units = ["B", "KiB", "MiB"]
    while size >= 1024:
        size /= 1024
        units.pop(0)
    return f"{size:,.0f} {units[0]}" if units[0] == "B" or size >= 100 else f"{size:.1f} {units[0]}"


def percent_text(share: float) -> str:
    """``0%``, ``0.4%``, ``12%``."""
    return f"{share * 100:.1f}%" if 0 < share < 0.1 else f"{share:.0%}"


def time_text(millis: int) -> str:
    """A time in the time zone of the server, which is UTC here."""
    return f"{datetime.fromtimestamp(millis / 1000, UTC):%Y-%m-%d %H:%M:%S}"


def bucket_row(bucket: CountedBucket) -> dict[str, str]:
    """A bucket in the data table."""
    return {
        "Partition": bucket.partition,
        "Bucket": str(bucket.bucket),
        "Sorted runs": f"{bucket.runs:,}",
        "Files": f"{len(bucket.files):,}",
        "Rows": f"{bucket.rows:,}",
        "Deletes": f"{bucket.deletes:,}",
        "Size": size_text(bucket.size),
    }


def condition(bucket: CountedBucket) -> list[str]:
    """What the heat map says about the runs of a bucket with the default triggers."""
    return ["in poor condition"] if bucket.runs > 8 else ["needs attention"] if bucket.runs > 5 else []


def bucket_label(bucket: CountedBucket) -> str:
    """A bucket in the heat map."""
    levels = [
        f"L{level}: {counted(len(files), 'file')}, {size_text(sum(file.size for file in files))}"
        for level, files in bucket.by_level.items()
    ]
    facts = [
        *([bucket.partition] if bucket.partition else []),
        f"bucket {bucket.bucket}",
        counted(bucket.runs, "sorted run"),
        counted(len(bucket.files), "file"),
        counted(bucket.rows, "row"),
        f"{counted(bucket.deletes, 'delete')} ({percent_text(bucket.deletes / bucket.rows)})",
        size_text(bucket.size),
    ]
    return ", ".join([*facts, *levels, *condition(bucket)])


def partitions_text(buckets: Sequence[CountedBucket]) -> str:
    """The number of partitions, or ``unpartitioned``."""
    names = {bucket.partition for bucket in buckets}
    return "unpartitioned" if names == {""} else f"{len(names):,}"


def totals_text(buckets: Sequence[CountedBucket]) -> str:
    """The sentence above the heat map."""
    files = counted(sum(len(bucket.files) for bucket in buckets), "file")
    rows = counted(sum(bucket.rows for bucket in buckets), "stored row")
    size = size_text(sum(bucket.size for bucket in buckets))
    runs = counted(max(bucket.runs for bucket in buckets), "sorted run")
    return f"{counted(len(buckets), 'bucket')}: {files}, {rows}, {size}; max {runs} per bucket"


def level_labels(bucket: CountedBucket) -> list[str]:
    """The levels of the tree."""
    reported = []
    if not bucket.keyed:
        totals = f"{counted(len(bucket.files), 'file')}, {counted(bucket.rows, 'row')}, {size_text(bucket.size)}"
        return [f"Files in write order: {totals}"]
    for level, files in bucket.by_level.items():
        runs = counted(len(files) if level == 0 else 1, "sorted run")
        rows, size = sum(file.rows for file in files), sum(file.size for file in files)
        reported.append(
            f"Level {level}: {runs}, {counted(len(files), 'file')}, {counted(rows, 'row')}, {size_text(size)}"
        )
    return reported


def file_facts(file: CountedFile) -> str:
    """The label of a file in the tree, up to its keys."""
    deletes = [counted(file.deletes, "delete")] if file.deletes else []
    level = [] if file.keys is None else [f"L{file.level}"]
    return ", ".join([file.name, *level, counted(file.rows, "row"), *deletes, size_text(file.size)])


def file_row(file: CountedFile) -> dict[str, str]:
    """The cells of a file in the data table that can be counted."""
    row = {
        "File": file.name,
        "Rows": f"{file.rows:,}",
        "Deletes": f"{file.deletes:,}",
        "Size": size_text(file.size),
    }
    if file.keys is None:
        return row
    return {**row, "Level": f"L{file.level}", "Smallest key": str(file.keys[0]), "Largest key": str(file.keys[1])}


def changes_text(table: CountedTable, snapshot: int) -> str:
    """What the commit of a snapshot changed, in one sentence; no table of the tests has a vector or a moved file."""
    added, removed = table.changed_files(snapshot)
    rows, gone = sum(file.rows for file in added), sum(file.rows for file in removed)
    if table.snapshots[snapshot]["commitKind"] == "COMPACT":
        sizes = [size_text(sum(file.size for file in files)) for files in (removed, added)]
        merged = f"Merged {counted(len(removed), 'file')} ({sizes[0]}) into {len(added):,} ({sizes[1]})"
        return f"{merged}, dropped {counted(gone - rows, 'superseded row')}."
    deletes = sum(file.deletes for file in added)
    changed = [f"{counted(rows, 'row')} added"]
    if table.keys:
        changed = [counted(rows - deletes, "upsert"), counted(deletes, "delete")]
    if gone:
        changed.append(f"{counted(gone, 'stored row' if table.keys else 'row')} removed")
    files = [f"{counted(len(added), 'file')} added", *([f"{len(removed):,} removed"] if removed else [])]
    partitions = {file.partition for file in (*added, *removed)}
    where = f" in {counted(len(partitions), 'partition')}" if partitions != {""} else ""
    return f"{', '.join(changed)}; {', '.join(files)}{where}."


def rows_head(table: CountedTable) -> str:
    """The column head of row numbers; in a primary-key table, stored rows are merged when they are read."""
    return "Stored rows" if table.keys else "Rows"


def snapshot_row(table: CountedTable, snapshot: int) -> dict[str, str]:
    """A snapshot in the data table, without the texts of its properties."""
    reported = table.snapshots[snapshot]
    return {
        "Snapshot": str(snapshot),
        "Kind": reported["commitKind"],
        "Time (UTC)": time_text(reported["timeMillis"]),
        "Changes": changes_text(table, snapshot),
        rows_head(table): f"{table.rows_total(snapshot):,}",
        "Changelog rows": "",
        "Tags": ", ".join(sorted(name for name, id in table.tags.items() if id == snapshot)),
        "Schema": str(reported["schemaId"]),
        "Commit user": reported["commitUser"],
    }


def snapshot_label(row: dict[str, str]) -> str:
    """A snapshot in the picture, from its row."""
    tags = [f"tagged {row['Tags']}"] if row["Tags"] else []
    head = "Rows" if "Rows" in row else "Stored rows"
    facts = [
        f"Snapshot {row['Snapshot']}",
        row["Kind"],
        f"{row['Time (UTC)']} UTC. {row['Changes']} {head}: {row[head]}",
    ]
    return ", ".join([*facts, *tags])


def tag_rows(table: CountedTable) -> list[dict[str, Any]]:
    """The tags in the data table, newest first; ours have no creation time."""
    newest_first = sorted(table.tags.items(), key=lambda tag: (-tag[1], tag[0]))
    return [
        {"Tag": name, "Snapshot": str(id), "expired": "" if id in table.snapshots else "expired"}
        for name, id in newest_first
    ]
