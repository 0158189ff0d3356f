"""The Paimon bucket of a row, computed inside the JVM without passing rows to Python.

The bucket is the hash of the key's BinaryRow bytes (format §9, §11). Spark's ``hash`` of a BINARY whose length is a
multiple of four is the same Murmur3 with the same seed, so it is enough to build those bytes with SQL functions. All
text below is Spark SQL, valid with ANSI mode on or off; only the cast that turns words into bytes needs the mode off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from workbench.base.errors import Unsupported
from workbench.format.types import AtomicType, DataField
from workbench.spark.session import get_session

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

_COMPACT_DECIMAL = 18
_COMPACT_TIMESTAMP = 3
_INLINE_BYTES = 7
_TWO_TO_64 = f"{2**64}BD"
_ZERO_WORD = f"X'{'00' * 8}'"
# Padding bytes is cheaper than padding text because no characters are counted.
_BY_TEXT = "lpad(unhex(hex({})), 8, X'00')"
_BY_CAST = "cast({} AS BINARY)"


def bucket_expression(bucket_key_fields: Sequence[DataField], num_buckets: int) -> Column:
    """Return the bucket of each row as a Spark column (INT, 0 to ``num_buckets - 1``).

    This is the ``default`` bucket function (§11.2). FLOAT and DOUBLE keys call a Java method, which Spark treats as
    nondeterministic: use the column in a projection.

    Args:
        bucket_key_fields: The fields of the bucket key; the DataFrame must have columns of their names and exact
            Spark types.
        num_buckets: The number of buckets of the table.

    Returns:
        The column expression.

    Raises:
        Unsupported: If Spark or Paimon cannot hash the type of a key (TIME, nested types …).

    Example:
        >>> frame.select("*", bucket_expression(table.schema.fields[:1], 4).alias("bucket"))
    """
    return binary_row_expression(bucket_key_fields, f"abs(hash({{}}) % {num_buckets})")


def binary_row_expression(fields: Sequence[DataField], around: str = "{}") -> Column:
    """Return the SQL text ``around`` as a Spark column, with ``{}`` replaced by the BinaryRow bytes of ``fields``.

    On classic Spark, a single cast turns a word into bytes. ANSI mode does not allow this cast, so the expression is
    parsed in a copy of the session without ANSI mode. Spark Connect sends the SQL text itself.

    Raises:
        Unsupported: If Spark or Paimon cannot hash the type of a field.
    """
    from pyspark.sql import Column, functions
    from pyspark.sql.utils import is_remote

    if is_remote():
        return functions.expr(around.format(binary_row_sql(fields)))
    session = get_session()
    parsed = _parsed_leniently(session, around.format(_RowText(_BY_CAST).row(fields)))
    jvm: Any = session._jvm
    return Column(jvm.org.apache.spark.sql.classic.ExpressionUtils.column(parsed))


@lru_cache(maxsize=64)
def _parsed_leniently(session: SparkSession, text: str) -> Any:
    """Return the expression for SQL text, parsed without ANSI mode; cached because copying a session is expensive."""
    jvm: Any = session._jvm
    sessions = jvm.org.apache.spark.sql.SparkSession
    lenient = session._jsparkSession.cloneSession()
    lenient.conf().set("spark.sql.ansi.enabled", "false")
    sessions.setActiveSession(lenient)
    try:
        return lenient.sessionState().sqlParser().parseExpression(text)
    finally:
        sessions.setActiveSession(session._jsparkSession)


def binary_row_sql(fields: Sequence[DataField]) -> str:
    """Return SQL text, valid in every session, for the BinaryRow bytes (BINARY, without arity prefix) of ``fields``
    (§9)."""
    return _RowText(_BY_TEXT).row(fields)


@dataclass(frozen=True)
class _Piece:
    """One field of the row: its slot as a function of the tail's offset, and its tail in the variable part, if any."""

    slot: Callable[[str], str]
    tail: str | None = None
    tail_size: str = "0"


@dataclass(frozen=True)
class _RowText:
    """Generator of SQL text for the bytes of rows; ``to_bytes`` is the text for the big-endian bytes of a word."""

    to_bytes: str

    def row(self, fields: Sequence[DataField]) -> str:
        """Return the text for the bytes of a row."""
        null_words = (len(fields) + 63 + 8) // 64
        parts = [self._null_word(fields, word) for word in range(null_words)]
        tails: list[str] = []
        offset = str(8 * (null_words + len(fields)))
        for field in fields:
            piece = self._piece(field)
            parts.append(piece.slot(offset))
            if piece.tail is not None:
                tails.append(piece.tail)
                offset = f"{offset} + {piece.tail_size}"
        return f"concat({', '.join([*parts, *tails])})"

    def _piece(self, field: DataField) -> _Piece:
        column = quoted(field.name)
        data_type = field.type
        if not isinstance(data_type, AtomicType):
            raise _not_hashable(field)
        if data_type.root in ("CHAR", "VARCHAR", "BINARY", "VARBINARY"):
            return self._bytes_piece(column)
        if data_type.root == "DECIMAL" and (data_type.precision or 0) > _COMPACT_DECIMAL:
            return self._big_decimal_piece(column, data_type.scale or 0)
        if data_type.root in ("TIMESTAMP", "TIMESTAMP_LTZ"):
            return self._timestamp_piece(column, data_type)
        value = _slot_value(field, column, data_type)
        return _Piece(lambda _: self._little_endian(f"coalesce({value}, 0L)"))

    def _timestamp_piece(self, column: str, data_type: AtomicType) -> _Piece:
        micros = _ntz_micros(column) if data_type.root == "TIMESTAMP" else f"unix_micros({column})"
        nanos_of_milli = f"coalesce(pmod({micros}, 1000L) * 1000L, 0L)"
        millis = f"coalesce(({micros} - pmod({micros}, 1000L)) div 1000L, 0L)"
        if data_type.precision is not None and data_type.precision <= _COMPACT_TIMESTAMP:
            return _Piece(lambda _: self._little_endian(millis))
        # A null keeps its eight bytes in the variable part, as Paimon's generated writers do (§9).
        return _Piece(
            lambda offset: self._little_endian(_pointer(offset, nanos_of_milli)), self._little_endian(millis), "8"
        )

    def _big_decimal_piece(self, column: str, scale: int) -> _Piece:
        """Return a large DECIMAL: minimal big-endian two's complement in sixteen bytes, which a null occupies too.

        The unscaled number is computed from text, since no decimal operation keeps all 38 digits at every scale, and is
        split into two words.
        """
        unscaled = f"cast(translate(format_number({column}, {scale}), ',.', '') AS DECIMAL(38, 0))"
        low_word = f"pmod({unscaled}, {_TWO_TO_64})"
        high = f"({unscaled} div {_TWO_TO_64} - if({unscaled} % {_TWO_TO_64} < 0, 1L, 0L))"
        low = f"cast(if({low_word} < {2**63}BD, {low_word}, {low_word} - {_TWO_TO_64}) AS BIGINT)"
        fits_one_word = f"{high} = shiftright({low}, 63)"
        size = f"if({fits_one_word}, {_byte_length(low)}, 8 + {_byte_length(high)})"
        minimal = f"substring(concat({self._big_endian(high)}, {self._big_endian(low)}), -({size}), {size})"
        size_byte = f"substring(X'{bytes(range(17)).hex()}', coalesce({size}, 0) + 1, 1)"
        return _Piece(
            lambda offset: (
                f"concat({size_byte}, X'000000', substring({self._little_endian(f'cast({offset} AS BIGINT)')}, 1, 4))"
            ),
            f"coalesce(rpad({minimal}, 16, X'00'), X'{'00' * 16}')",
            "16",
        )

    def _bytes_piece(self, column: str) -> _Piece:
        size = f"octet_length({column})"
        data = f"cast({column} AS BINARY)"
        padded = f"shiftleft(shiftright({size} + 7, 3), 3)"
        inline = f"concat(rpad({data}, 7, X'00'), substring(X'8081828384858687', {size} + 1, 1))"
        is_long = f"{size} > {_INLINE_BYTES}"

        def slot(offset: str) -> str:
            pointer = self._little_endian(_pointer(offset, size))
            return f"CASE WHEN isnull({column}) THEN {_ZERO_WORD} WHEN {is_long} THEN {pointer} ELSE {inline} END"

        return _Piece(
            slot,
            f"CASE WHEN {is_long} THEN rpad({data}, {padded}, X'00') ELSE X'' END",
            f"(CASE WHEN {is_long} THEN {padded} ELSE 0 END)",
        )

    def _null_word(self, fields: Sequence[DataField], word: int) -> str:
        """Return one word of the header: a byte for the row kind (always 0 here), then one bit per field."""
        bits = [
            f"if(isnull({quoted(field.name)}), {_signed(1 << ((index + 8) % 64))}, 0L)"
            for index, field in enumerate(fields)
            if field.type.nullable and (index + 8) // 64 == word
        ]
        return self._little_endian(f"({' | '.join(bits)})") if bits else _ZERO_WORD

    def _little_endian(self, word: str) -> str:
        swapped = " | ".join(
            f"shiftleft(shiftrightunsigned({word}, {8 * byte}) & 255L, {56 - 8 * byte})" for byte in range(8)
        )
        return self._big_endian(f"({swapped})")

    def _big_endian(self, word: str) -> str:
        return self.to_bytes.format(word)


def _slot_value(field: DataField, column: str, data_type: AtomicType) -> str:
    """Return the eight bytes of a fixed-size value as a BIGINT, null for a null."""
    match data_type.root:
        case "BOOLEAN":
            return f"cast({column} AS BIGINT)"
        case "TINYINT":
            return f"(cast({column} AS BIGINT) & 255L)"
        case "SMALLINT":
            return f"(cast({column} AS BIGINT) & 65535L)"
        case "INT":
            return f"(cast({column} AS BIGINT) & 4294967295L)"
        case "BIGINT":
            return column
        case "DATE":
            return f"(cast(unix_date({column}) AS BIGINT) & 4294967295L)"
        case "FLOAT":
            bits = f"java_method('java.lang.Float', 'floatToRawIntBits', coalesce({column}, 0F))"
            return f"(if(isnull({column}), 0L, cast({bits} AS BIGINT)) & 4294967295L)"
        case "DOUBLE":
            bits = f"java_method('java.lang.Double', 'doubleToRawLongBits', coalesce({column}, 0D))"
            return f"if(isnull({column}), 0L, cast({bits} AS BIGINT))"
        case "DECIMAL":
            return f"cast({column} * {10 ** (data_type.scale or 0)}BD AS BIGINT)"
        case _:
            raise _not_hashable(field)


def _ntz_micros(column: str) -> str:
    """Return the epoch microseconds of a local time; unlike a cast, this does not use the session time zone."""
    since = f"cast({column} - timestamp_ntz'1970-01-01 00:00:00' AS INTERVAL SECOND)"
    return f"cast(cast({since} AS DECIMAL(18, 6)) * 1000000BD AS BIGINT)"


def _byte_length(word: str) -> str:
    """Return how many bytes the two's complement of a BIGINT needs, including the sign bit."""
    return f"(shiftright(length(bin({word} ^ shiftright({word}, 63))), 3) + 1)"


def _pointer(offset: str, low: str) -> str:
    return f"(shiftleft(cast({offset} AS BIGINT), 32) | {low})"


def _signed(word: int) -> str:
    """Return a BIGINT literal with these 64 bits; the smallest BIGINT cannot be written as a number."""
    return "(-9223372036854775807L - 1L)" if word == 1 << 63 else f"{word}L"


def quoted(name: str) -> str:
    """Return a column name as an SQL identifier."""
    return "`" + name.replace("`", "``") + "`"


def _not_hashable(field: DataField) -> Unsupported:
    return Unsupported(
        f"Column '{field.name}' of type {field.type} cannot be a bucket key in Spark.",
        "Write this table with t.write instead.",
    )
