"""The catalogue of table options: what exists, what each takes, and which of them change the meaning of data."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.format.option_support import CHANGES_MEANING, Support
from workbench.format.option_table import TABLE


@dataclass(frozen=True)
class Option:
    """One option. ``kind`` is a name of `option_values.KIND_NAMES` or ``enum(a,b,…)``; ``default`` is text or None.

    ``immutable``: cannot change once the table has a snapshot (format §3.3). ``support`` tells which values this
    library reads and writes where the option changes the meaning of data, and is None where it does not.
    """

    name: str
    kind: str
    default: str | None
    description: str
    fallback_names: tuple[str, ...] = ()
    immutable: bool = False
    support: Support | None = None

    @property
    def changes_meaning(self) -> bool:
        """Whether ignoring the option could read or write wrong data."""
        return self.support is not None

    @property
    def allowed(self) -> tuple[str, ...]:
        """The values of an option that takes one of a few; empty for others."""
        return tuple(self.kind[5:-1].split(",")) if self.kind.startswith("enum(") else ()


@dataclass(frozen=True)
class OptionPattern:
    """Options whose names hold the name of a column, a class or a file format."""

    prefix: str
    suffix: str
    option: Option

    def matches(self, name: str) -> bool:
        """Whether ``name`` begins and ends so, with something in between where there is an ending."""
        enough = len(name) > len(self.prefix) + len(self.suffix)
        return enough and name.startswith(self.prefix) and name.endswith(self.suffix)


def _read_table(table: str) -> dict[str, Option]:
    lines: list[str] = []
    for line in table.splitlines():
        if line.startswith(" "):
            lines[-1] += line.strip() if lines[-1].endswith(",") else f" {line.strip()}"
        elif line and not line.startswith("#"):
            lines.append(line)
    return {option.name: option for option in map(_read_line, lines)}


def _read_line(line: str) -> Option:
    name, kind, default, meaning = (part.strip() for part in line.split(" | "))
    description, _, older = meaning.partition(" < ")
    name, immutable = name.lstrip("!"), name.startswith("!")
    return Option(
        name=name,
        kind=kind,
        default={"-": None, "''": ""}.get(default, default),
        description=description,
        fallback_names=tuple(each.strip() for each in older.split(",") if each.strip()),
        immutable=immutable,
        support=CHANGES_MEANING.get(name),
    )


def _pattern(prefix: str, suffix: str, kind: str, description: str) -> OptionPattern:
    name = f"{prefix}<name>{suffix}"
    return OptionPattern(prefix, suffix, Option(name, kind, None, description, support=CHANGES_MEANING.get(name)))


OPTIONS: dict[str, Option] = _read_table(TABLE)

PATTERNS: tuple[OptionPattern, ...] = (
    _pattern("fields.", ".aggregate-function", "string", "aggregate of a column"),
    _pattern("fields.", ".ignore-retract", "bool", "the aggregate takes no notice of deletes"),
    _pattern("fields.", ".sequence-group", "string", "columns that go with these sequence columns"),
    _pattern("fields.", ".nested-key", "string", "key of rows inside a list"),
    _pattern("fields.", ".nested-key-null-strategy", "enum(merge,ignore,error)", "what a null in that key does"),
    _pattern("fields.", ".nested-sequence-field", "string", "order of rows inside a list"),
    _pattern("fields.", ".count-limit", "int", "most rows inside a list"),
    _pattern("fields.", ".distinct", "bool", "collect each value once"),
    _pattern("fields.", ".list-agg-delimiter", "string", "text between joined values"),
    _pattern("fields.", ".ts-field", "string", "field that tells which map value is newer"),
    _pattern("fields.", ".default-value", "string", "value that Java up to 1.1 read for NULL; no longer used"),
    _pattern("fields.", ".stats-mode", "stats-mode", "statistics of a column"),
    _pattern("fields.", ".map.storage-layout", "enum(default,shared-shredding)", "how a map column is stored"),
    _pattern("fields.", ".map.shared-shredding.max-columns", "int", "most columns of a shredded map"),
    _pattern(
        "fields.",
        ".map.shared-shredding.column-placement-policy",
        "enum(plain,sequential,lru)",
        "which columns of a shredded map hold which keys",
    ),
    _pattern("fields.", ".index.type", "string", "kind of an index on a column"),
    _pattern("fields.", ".index.options", "string", "settings of an index on a column"),
    _pattern("fields.", ".distance.metric", "string", "distance used by a vector index"),
    _pattern("file-index.", ".columns", "string", "columns with such a file index"),
    _pattern("file-index.", "", "string", "setting of a file index"),
    _pattern("commit.callback.", ".param", "string", "what a commit callback is given"),
    _pattern("tag.callback.", ".param", "string", "what a tag callback is given"),
    *(
        _pattern(prefix, "", "string", f"handed to the {owner}")
        for prefix, owner in {
            "orc.": "ORC format",
            "parquet.": "Parquet format",
            "avro.": "Avro format",
            "csv.": "CSV format",
            "json.": "JSON format",
            "text.": "text format",
            "mosaic.": "Mosaic format",
            "lance.": "Lance format",
            "hadoop.": "Hadoop file system",
            "fs.": "file system",
            "dfs.": "HDFS client",
            "s3.": "S3 client",
            "oss.": "OSS client",
            "kafka.": "log of old versions",
        }.items()
    ),
)

_BY_OLDER_NAME = {older: option for option in OPTIONS.values() for older in option.fallback_names}


def find_option(name: str) -> Option | None:
    """The option of that name, under its own or an older name or by pattern; None where there is none."""
    known = OPTIONS.get(name) or _BY_OLDER_NAME.get(name)
    if known is not None:
        return known
    return next((pattern.option for pattern in PATTERNS if pattern.matches(name)), None)


def known_names() -> tuple[str, ...]:
    """All names that are written out, older ones too: for near matches."""
    return (*OPTIONS, *_BY_OLDER_NAME)
