"""The names that statements may contain in addition to those of a catalog: options, system tables, functions."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.expr.functions import FUNCTIONS
from workbench.format.options.catalog import OPTIONS
from workbench.table.system.registry import SYSTEM_TABLES

# Functions of Spark in addition to those of predicates.
_MORE_FUNCTIONS = (
    *("approx_count_distinct", "avg", "collect_list", "collect_set", "corr", "count", "first", "last", "max", "max_by"),
    *("median", "min", "min_by", "mode", "percentile", "stddev", "sum", "variance", "any_value", "bool_and", "bool_or"),
    *("row_number", "rank", "dense_rank", "lag", "lead", "ntile", "first_value", "last_value", "cume_dist"),
    *("current_date", "current_timestamp", "date_add", "date_diff", "date_format", "date_sub", "date_trunc", "day"),
    *("dayofweek", "hour", "last_day", "make_date", "minute", "month", "quarter", "second", "to_date", "to_timestamp"),
    *("unix_timestamp", "from_unixtime", "weekofyear", "year", "abs", "ceil", "exp", "floor", "greatest", "least"),
    *(
        "ln",
        "log10",
        "pow",
        "round",
        "sign",
        "sqrt",
        "concat",
        "concat_ws",
        "contains",
        "endswith",
        "initcap",
        "length",
    ),
    *("lower", "lpad", "ltrim", "md5", "regexp_extract", "regexp_replace", "repeat", "replace", "reverse", "rpad"),
    *(
        "rtrim",
        "sha2",
        "split",
        "startswith",
        "substring",
        "trim",
        "upper",
        "coalesce",
        "if",
        "ifnull",
        "nullif",
        "nvl",
    ),
    *(
        "array",
        "array_contains",
        "cardinality",
        "element_at",
        "explode",
        "map",
        "map_keys",
        "map_values",
        "named_struct",
    ),
    *("size", "sort_array", "struct", "get_json_object", "to_json", "cast", "try_cast", "hash"),
)


@dataclass(frozen=True)
class OptionName:
    """A table option: its type, default, meaning, and its values if there are only a few."""

    name: str
    kind: str
    default: str | None
    meaning: str
    allowed: tuple[str, ...]


def option_names() -> tuple[OptionName, ...]:
    """Return all table options, sorted by name."""
    known = (OPTIONS[name] for name in sorted(OPTIONS))
    return tuple(
        OptionName(
            each.name,
            each.kind.partition("(")[0],
            each.default,
            each.description,
            ("true", "false") if each.kind == "bool" else each.allowed,
        )
        for each in known
    )


def function_names() -> tuple[str, ...]:
    """Return the names of functions, sorted."""
    return tuple(sorted({*FUNCTIONS, *_MORE_FUNCTIONS}))


def system_table_names() -> tuple[str, ...]:
    """Return the names of the system tables of a table, such as ``snapshots`` of ``orders$snapshots``."""
    return tuple(SYSTEM_TABLES)
