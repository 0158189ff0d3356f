"""Options that users set: unknown names, near matches and wrong values."""

from __future__ import annotations

import pytest

from workbench.base.errors import InvalidSchema, UnknownOption
from workbench.metadata.definition.option_checks import check_user_options, stored_option_warnings


def test_good_user_options_pass() -> None:
    check_user_options(
        {
            "bucket": 4,
            "write-only": True,
            "merge-engine": "deduplicate",
            "target-file-size": "64 mb",
            "fields.a.aggregate-function": "sum",
            "fields.a.stats-mode": "truncate(8)",
            "parquet.block.size": "1",
            "compaction.small-file-ratio": 0.5,
            "file.format.per.level": "0:avro",
            "first-row.ignore-delete": "true",
        }
    )


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("bukcet", "'bucket'"),
        ("buckets", "'bucket'"),
        ("Bucket", "'bucket'"),
        ("merge-engin", "'merge-engine'"),
        ("merge_engine", "'merge-engine'"),
        ("mergeEngine", "'merge-engine'"),
        ("primary-keys", "'primary-key'"),
        ("write-bufer-size", "'write-buffer-size'"),
        ("target-file-size-mb", "'target-file-size'"),
        ("file.formt", "'file.format'"),
        ("Scan.mode", "'scan.mode'"),
        ("scan.my-own", "There is no option"),
        ("tag.owner", "There is no option"),
        ("fields.a.nope", "There is no option"),
        ("fields.x.agregate-function", "'fields.x.aggregate-function'"),
        ("file-index.", "There is no option"),
        ("", "There is no option"),
    ],
)
def test_unknown_user_options_get_the_near_match(name: str, near: str) -> None:
    with pytest.raises(UnknownOption) as caught:
        check_user_options({name: "1"})
    assert name in str(caught.value)
    assert near in str(caught.value)


@pytest.mark.parametrize(
    "name",
    [
        "my.own",
        "owner",
        "owner.team",
        "our.own.note",
        "team",
        "comment",
        "comment2",
        "created.by",
        "created_at",
        "cost-center",
        "retention",
        "consumer",
        "version",
        "description",
        "pii",
        "x",
        "connector",
        "spark.sql.note",
        "completely-unheard-of",
        "größe",
    ],
)
def test_properties_of_the_users_own_are_kept(name: str) -> None:
    check_user_options({name: "anything"})
    assert stored_option_warnings({name: "anything"}) == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("bucket", "x", "whole number"),
        ("bucket", "3000000000", "whole number"),
        ("bucket", "1_0", "whole number"),
        ("write-only", "yes", "true or false"),
        ("target-file-size", "1 xb", "size such as"),
        ("snapshot.time-retained", "soon", "duration such as"),
        ("compaction.small-file-ratio", "half", "a number"),
        ("metadata.stats-mode", "truncate(0)", "truncate(n)"),
        ("fields.a.stats-mode", "some", "truncate(n)"),
        ("num-levels", "0", "at least 1"),
        ("compaction.offpeak.start.hour", "24", "0 to 23"),
        ("file.format.per.level", "orc", "pairs"),
        ("bucket", None, "a string, a number or a boolean"),
    ],
)
def test_wrong_user_values_say_what_is_allowed(name: str, value: object, said: str) -> None:
    with pytest.raises(InvalidSchema) as caught:
        check_user_options({name: value})
    assert name in str(caught.value)
    assert str(value) in str(caught.value)
    assert said in str(caught.value)


def test_least_kept_may_not_exceed_most_kept() -> None:
    with pytest.raises(InvalidSchema, match=r"'snapshot\.num-retained\.min' is 10"):
        check_user_options({"snapshot.num-retained.max": "5"})
    check_user_options({"snapshot.num-retained.max": "5", "snapshot.num-retained.min": "5"})


PARTIAL = {"merge-engine": "partial-update"}
REMOVED = "partial-update.remove-record-on-delete"


@pytest.mark.parametrize(
    ("options", "one", "other"),
    [
        (
            {"merge-engine": "aggregation", "aggregation.remove-record-on-delete": "true"},
            "aggregation.remove-record-on-delete",
            "fields.v.ignore-retract",
        ),
        ({**PARTIAL, REMOVED: "true"}, REMOVED, "ignore-delete"),
        ({**PARTIAL, REMOVED: "true"}, REMOVED, "fields.g,h.sequence-group"),
        (
            {**PARTIAL, "fields.g.sequence-group": "v", "partial-update.remove-record-on-sequence-group": "g"},
            "partial-update.remove-record-on-sequence-group",
            "ignore-delete",
        ),
    ],
)
def test_a_deleted_row_does_one_thing(options: dict[str, str], one: str, other: str) -> None:
    check_user_options(options)
    value = "v" if other.endswith("group") else "true"
    with pytest.raises(InvalidSchema, match=f"'{one}' and '{other}' cannot both"):
        check_user_options({**options, other: value})


def test_a_tree_of_one_level_is_refused() -> None:
    with pytest.raises(InvalidSchema, match="'num-levels' cannot be 1"):
        check_user_options({"num-levels": 1})
    check_user_options({"num-levels": 2})


def test_stored_unknown_options_are_warned_about() -> None:
    stored = {"bucket": "1", "bukcet": "2", "scan.zzz-qqq": "1", "fields.a.distinct": "true", "my.own": "x"}
    warnings = stored_option_warnings(stored)
    assert len(warnings) == 2, "a property of the user's own needs no warning"
    assert "'bukcet'" in warnings[0]
    assert "Did you mean 'bucket'?" in warnings[0]
    assert warnings[1] == "The table has the unknown option 'scan.zzz-qqq'."
