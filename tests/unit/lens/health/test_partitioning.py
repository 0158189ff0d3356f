"""Tables of very many, or of many small buckets and partitions; small tables are left alone."""

from __future__ import annotations

import pytest

from tests.unit.lens.health.defects import Place
from workbench.base.texts import size_text
from workbench.lens.health.facts import BucketFacts, HealthFacts
from workbench.lens.health.health import Diagnosis, diagnose
from workbench.lens.verdict import describe_verdict

KIB, MIB = 1 << 10, 1 << 20


def diagnosed(
    place: Place, partitions: int, buckets: int, size: int, files: int = 1, tiny: int = 0, **options: str
) -> Diagnosis:
    keyed = options.pop("keyed", "") == "yes"
    schema = place.table(keyed=keyed, partitioned=True, **options).schema
    facts = [
        BucketFacts(
            id=f"{p}:{b}",
            partition=p.to_bytes(4, "big"),
            bucket=b,
            label=f"dt=p{p}, bucket {b}",
            total_buckets=buckets,
            runs=1,
            files=files,
            small=files,
            full_files=1,
            size=size,
            largest_run=size,
            rows=10,
            tiny=tiny,
        )
        for p in range(partitions)
        for b in range(buckets)
    ]
    return diagnose(HealthFacts("db.t", schema, 0, buckets=tuple(facts)))


@pytest.mark.parametrize(
    ("partitions", "size", "found"),
    [
        (20_000, KIB, {"partitions:many": "attention"}),
        (10_001, 512 * MIB, {"partitions:many": "attention"}),
        (10_000, 512 * MIB, {}),
        (365, KIB, {"partitions:small": "attention"}),
        (365, 32 * MIB, {"partitions:small": "notice"}),
        (365, 64 * MIB, {}),
        (49, KIB, {}),
        (1, KIB, {}),
    ],
)
def test_partitions(place: Place, partitions: int, size: int, found: dict[str, str]) -> None:
    diagnosis = diagnosed(place, partitions, 1, size)
    assert dict(zip(diagnosis.ids(), [each.severity for _, each in diagnosis.findings], strict=True)) == found
    for _, finding in diagnosis.findings:
        assert size_text(size) in finding.title
        assert "INSERT INTO db.t_coarser" in finding.advice


@pytest.mark.parametrize(
    ("partitions", "buckets", "size", "found"),
    [
        (15, 4, 86 * KIB, {"bucket-count": "attention"}),
        (1, 60, 86 * KIB, {"bucket-count": "notice"}),
        (15, 4, 32 * MIB, {"bucket-count": "notice"}),
        (15, 4, 100 * MIB, {}),
        (12, 2, KIB, {}),
        (12, 4, KIB, {}),
    ],
)
def test_buckets(place: Place, partitions: int, buckets: int, size: int, found: dict[str, str]) -> None:
    diagnosis = diagnosed(place, partitions, buckets, size, keyed="yes", bucket=str(buckets))
    assert dict(zip(diagnosis.ids(), [each.severity for _, each in diagnosis.findings], strict=True)) == found
    for _, finding in diagnosis.findings:
        assert "CALL sys.rescale" in finding.steps[-1].sql("db.t")


@pytest.mark.parametrize(("tiny", "found"), [(10, set()), (11, {"tiny-files"})])
def test_files_of_the_median_bucket(place: Place, tiny: int, found: set[str]) -> None:
    diagnosis = diagnosed(place, 1, 3, 40 * MIB, files=20, tiny=tiny, keyed="yes", bucket="3")
    assert set(diagnosis.ids()) == found


def test_the_verdict_of_the_page_says_so(place: Place) -> None:
    from tests.unit.lens.health.defects import many_tiny_buckets
    from workbench.lens.buckets import collect_files

    table = many_tiny_buckets(place)
    verdict = describe_verdict(table.schema, collect_files(table.store, table.version))
    assert verdict is not None
    assert verdict.condition == "fair"
    assert "The median of" in verdict.text
