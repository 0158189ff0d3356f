"""The catalog of table options: names, types, defaults, and which options change the meaning of data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from workbench.base.modules import difflib
from workbench.format.options.listed import commits, engines, reading, storage
from workbench.format.options.support import CHANGES_MEANING, Support
from workbench.format.options.values import allowed_values

# Minimum similarity to an option's name for a likely misspelling: 'buckets' exceeds it, 'retention' does not.
_CLOSE = 0.85


@dataclass(frozen=True)
class Option:
    """An option. ``kind`` is a name of `options.values.KIND_NAMES` or ``enum(a,b,…)``; ``default`` is text or None.

    ``immutable``: cannot change once the table has a snapshot (format §3.3). ``determines_row_location``: cannot change
    once the table has rows, since it determines where they are stored and how they are read. ``support`` lists the
    values that this library reads and writes if the option changes the meaning of data, otherwise it is None.
    """

    name: str
    kind: str
    default: str | None
    description: str
    fallback_names: tuple[str, ...] = ()
    immutable: bool = False
    determines_row_location: bool = False
    support: Support | None = None

    @property
    def allowed(self) -> tuple[str, ...]:
        """The allowed values of an option that has a fixed set of them; empty for all other options."""
        return allowed_values(self.kind)


@dataclass(frozen=True)
class OptionPattern:
    """Options whose names contain the name of a column, a class or a file format."""

    prefix: str
    suffix: str
    option: Option

    def matches(self, name: str) -> bool:
        """Return whether ``name`` has the prefix and the suffix, with something in between if there is a suffix."""
        enough = len(name) > len(self.prefix) + len(self.suffix)
        return enough and name.startswith(self.prefix) and name.endswith(self.suffix)


def _parsed(listed: str) -> dict[str, Option]:
    lines: list[str] = []
    for line in listed.splitlines():
        if line.startswith(" "):
            lines[-1] += line.strip() if lines[-1].endswith(",") else f" {line.strip()}"
        elif line and not line.startswith("#"):
            lines.append(line)
    return {option.name: option for option in map(_read_line, lines)}


def _read_line(line: str) -> Option:
    name, kind, default, meaning = (part.strip() for part in line.split(" | "))
    description, _, older = meaning.partition(" < ")
    flag, name = (name[0], name[1:]) if name[0] in "!@" else ("", name)
    return Option(
        name=name,
        kind=kind,
        default={"-": None, "''": ""}.get(default, default),
        description=description,
        fallback_names=tuple(each.strip() for each in older.split(",") if each.strip()),
        immutable=flag == "!",
        determines_row_location=flag == "@",
        support=CHANGES_MEANING.get(name),
    )


def _pattern(prefix: str, suffix: str, kind: str, description: str) -> OptionPattern:
    name = f"{prefix}<name>{suffix}"
    return OptionPattern(prefix, suffix, Option(name, kind, None, description, support=CHANGES_MEANING.get(name)))


OPTIONS: dict[str, Option] = _parsed(storage.LIST + commits.LIST + reading.LIST + engines.LIST)

PATTERNS: tuple[OptionPattern, ...] = (
    _pattern("fields.", ".aggregate-function", "string", "aggregate function of a column"),
    _pattern("fields.", ".ignore-retract", "bool", "the aggregate ignores deletes"),
    _pattern("fields.", ".sequence-group", "string", "columns that these sequence columns protect"),
    _pattern("fields.", ".nested-key", "string", "key of the rows in a nested table"),
    _pattern("fields.", ".nested-key-null-strategy", "enum(merge,ignore,error)", "how nulls in that key are handled"),
    _pattern("fields.", ".nested-sequence-field", "string", "order of the rows in a nested table"),
    _pattern("fields.", ".count-limit", "int", "maximum number of rows in a nested table"),
    _pattern("fields.", ".distinct", "bool", "collect distinct values only"),
    _pattern("fields.", ".list-agg-delimiter", "string", "separator of joined values"),
    _pattern("fields.", ".ts-field", "string", "field that determines which map value is newer"),
    _pattern("fields.", ".default-value", "string", "value that Java up to 1.1 read for NULL; no longer used"),
    _pattern("fields.", ".stats-mode", "stats-mode", "statistics mode of a column"),
    _pattern("fields.", ".map.storage-layout", "enum(default,shared-shredding)", "storage layout of a map column"),
    _pattern("fields.", ".map.shared-shredding.max-columns", "int", "maximum number of columns of a shredded map"),
    _pattern(
        "fields.",
        ".map.shared-shredding.column-placement-policy",
        "enum(plain,sequential,lru)",
        "assignment of keys to the columns of a shredded map",
    ),
    _pattern("fields.", ".index.type", "string", "type of the index on a column"),
    _pattern("fields.", ".index.options", "string", "settings of the index on a column"),
    _pattern("fields.", ".distance.metric", "string", "distance metric of a vector index"),
    _pattern("file-index.", ".columns", "string", "columns with such a file index"),
    _pattern("file-index.", "", "string", "setting of a file index"),
    _pattern("commit.callback.", ".param", "string", "parameter of a commit callback"),
    _pattern("tag.callback.", ".param", "string", "parameter of a tag callback"),
    *(
        _pattern(prefix, "", "string", f"passed to the {owner}")
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
            "kafka.": "log system of old versions",
        }.items()
    ),
)

_BY_OLDER_NAME = {older: option for option in OPTIONS.values() for older in option.fallback_names}


def find_option(name: str) -> Option | None:
    """Return the option with this current or older name, or whose pattern matches it; None if there is none."""
    known = OPTIONS.get(name) or _BY_OLDER_NAME.get(name)
    if known is not None:
        return known
    return next((pattern.option for pattern in PATTERNS if pattern.matches(name)), None)


def known_names() -> tuple[str, ...]:
    """Return all literal names, including older ones, for suggestions."""
    return (*OPTIONS, *_BY_OLDER_NAME)


def similar_names(name: str) -> tuple[str, ...]:
    """Return names that ``name`` may be a misspelling of: literal names, and names that match a pattern for the same
    column.
    """
    own = (
        f"{each.prefix}{name[len(each.prefix) :].partition('.')[0]}{each.suffix}"
        for each in PATTERNS
        if each.suffix and name.startswith(each.prefix)
    )
    return (*known_names(), *own)


def may_be_custom_option(name: str) -> bool:
    """Return whether an unknown name may be a user's own property, which Paimon keeps but does not read: it is in
    no namespace of Paimon, such as ``scan.``, and is not similar to the name of an option.
    """
    if not name or ("." in name and _spelled(name).partition(".")[0] in _namespaces()):
        return False
    spelled = _spelled(name)
    options = {_spelled(each) for each in known_names()}
    swapped = any(sorted(spelled) == sorted(each) for each in options)
    return not (swapped or difflib.get_close_matches(spelled, options, n=1, cutoff=_CLOSE))


@cache
def _namespaces() -> frozenset[str]:
    dotted = (*known_names(), *(each.prefix for each in PATTERNS))
    return frozenset(each.partition(".")[0] for each in dotted if "." in each)


def _spelled(name: str) -> str:
    return name.lower().replace("_", "-")
