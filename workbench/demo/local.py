"""Loads the demo without Spark: Arrow reads the CSV files."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from workbench.demo.events import GAINED
from workbench.demo.plan import CHANGE, Load
from workbench.demo.tables import FLIGHTS, CsvTable

if TYPE_CHECKING:
    from workbench.table.table import Table


class ArrowLoader:
    """Writes rows of the CSV files into tables, in this process."""

    @cached_property
    def _flights(self) -> pa.Table:
        return FLIGHTS.source.read()

    def load(self, load: Load, flights: Table) -> None:
        """Write one load as a commit. Rows are complete: values not known yet are null."""
        rows = changes(self._flights, load)
        if GAINED in flights.arrow_schema.names and {"dep_delay", "arr_delay"} <= set(rows.column_names):
            rows = rows.append_column(GAINED, pc.subtract(rows["dep_delay"], rows["arr_delay"]))
        flights.write(rows, row_kind=CHANGE)

    def copy(self, demo_table: CsvTable, table: Table) -> None:
        """Write a whole file as a commit."""
        table.write(demo_table.source.read())


def changes(flights: pa.Table, load: Load) -> pa.Table:
    """Return the rows of one load with the column `CHANGE`."""
    month, day = pc.field("month"), pc.field("day")
    chosen = month.isin(load.months) & (day >= load.first_day) & (day <= load.last_day)
    if load.phase.has_left is not None:
        left = pc.field("dep_time").is_valid()
        chosen = chosen & (left if load.phase.has_left else ~left)
    rows = flights.filter(chosen).drop_columns(list(load.phase.unknown))
    return rows.append_column(CHANGE, pa.repeat(load.phase.row_kind, rows.num_rows))
