"""Converts columns of a DataFrame to the types of a table at every depth."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, functions
from pyspark.sql import types as spark

from workbench.base.errors import SchemaMismatch
from workbench.format.types.field_matching import fields_by_name, fields_by_position
from workbench.spark.table_columns import relaxed

_NESTED = (spark.ArrayType, spark.MapType, spark.StructType)
_MOMENTS = (spark.DateType, spark.TimestampType, spark.TimestampNTZType)


@dataclass(frozen=True)
class Conversion:
    """How values are converted to the types of a table.

    Args:
        by_name: Whether nested fields are matched by name, and not by position.
        casts: Whether values are converted as by CAST, also where Spark's INSERT refuses them.
        fills: Whether values may lack fields, which become NULL.
    """

    by_name: bool = True
    casts: bool = False
    fills: bool = False

    def column(self, column: Column, given: spark.DataType, target: spark.DataType, path: str) -> Column:
        """Return the column, converted from the type ``given`` to ``target``.

        Raises:
            SchemaMismatch: If fields do not match, or a type cannot be stored; ``path`` is the name of the column.
        """
        if relaxed(given) == relaxed(target):
            return column
        if isinstance(given, spark.StructType) and isinstance(target, spark.StructType):
            return self._struct(column, given, target, path)
        if isinstance(given, spark.ArrayType) and isinstance(target, spark.ArrayType):
            item, wanted = given.elementType, target.elementType
            return functions.transform(column, lambda each: self.column(each, item, wanted, f"{path}.element"))
        if isinstance(given, spark.MapType) and isinstance(target, spark.MapType):
            return self._map(column, given, target, path)
        is_plain = not isinstance(given, _NESTED) and not isinstance(target, _NESTED)
        if not can_store(given, target) and not (self.casts and is_plain):
            raise SchemaMismatch(
                f"Column '{path}' is {target.simpleString()}, which cannot hold {given.simpleString()}.",
                f"Cast it first: CAST({path} AS {target.simpleString()})." if is_plain else None,
            )
        return column.cast(target)

    def _struct(self, column: Column, given: spark.StructType, target: spark.StructType, path: str) -> Column:
        if self.by_name:
            order = fields_by_name(given.names, target.names, path, fills=self.fills)
        else:
            order = fields_by_position(given.names, target.names, path)
        sources = dict(zip(order, given.fields, strict=True))
        values = []
        for number, field in enumerate(target.fields):
            source = sources.get(number)
            if source is None:
                value = functions.lit(None).cast(field.dataType)
            else:
                value = self.column(
                    column.getField(source.name), source.dataType, field.dataType, f"{path}.{field.name}"
                )
            values.append(value.alias(field.name))
        return functions.when(column.isNotNull(), functions.struct(*values))

    def _map(self, column: Column, given: spark.MapType, target: spark.MapType, path: str) -> Column:
        if relaxed(given.keyType) != relaxed(target.keyType):
            column = functions.transform_keys(
                column, lambda key, _: self.column(key, given.keyType, target.keyType, f"{path}.key")
            )
        return functions.transform_values(
            column, lambda _, value: self.column(value, given.valueType, target.valueType, f"{path}.value")
        )


def can_store(given: spark.DataType, target: spark.DataType) -> bool:
    """Return whether Spark's INSERT casts one type to another with ANSI mode on."""
    if isinstance(given, spark.NullType) or given == target:
        return True
    if isinstance(target, spark.ArrayType):
        return isinstance(given, spark.ArrayType) and can_store(given.elementType, target.elementType)
    if isinstance(target, spark.MapType):
        return (
            isinstance(given, spark.MapType)
            and can_store(given.keyType, target.keyType)
            and can_store(given.valueType, target.valueType)
        )
    if isinstance(target, spark.StructType):
        return (
            isinstance(given, spark.StructType)
            and len(given.fields) == len(target.fields)
            and all(can_store(a.dataType, b.dataType) for a, b in zip(given.fields, target.fields, strict=True))
        )
    if isinstance(given, spark.ArrayType | spark.MapType | spark.StructType):
        return False
    if isinstance(target, spark.NumericType):
        return isinstance(given, spark.NumericType)
    if isinstance(target, spark.StringType):
        return not isinstance(given, spark.BinaryType | spark.VariantType)
    return isinstance(target, _MOMENTS) and isinstance(given, _MOMENTS)
