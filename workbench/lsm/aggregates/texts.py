"""`listagg`: joined strings, oldest first."""

from __future__ import annotations

import pyarrow as pa

from workbench.base.arrays import BoolArray, Int64Array
from workbench.base.modules import pc
from workbench.lsm.aggregates.accumulator import Accumulator

# The characters for which Java's Character.isWhitespace is true: no-break spaces are not among them.
_BLANKS = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a"
    "\u2028\u2029\u205f\u3000"
)


class ListAgg(Accumulator):
    """A string for each key. Blank strings are skipped. ``distinct``: parts that already occur are not added."""

    def __init__(
        self,
        name: str,
        function: str,
        column: pa.Array,
        keys: int,
        *,
        ignores_retracts: bool = False,
        delimiter: str = ",",
        distinct: bool = False,
    ):
        super().__init__(name, function, column, keys, ignores_retracts=ignores_retracts)
        self._delimiter = delimiter
        self._distinct = distinct
        self._texts = pa.nulls(keys, column.type)

    def agg(self, rows: Int64Array, where: BoolArray | None) -> None:
        values = self.column.take(pa.array(rows))
        self._put(self._joined(self._texts.slice(0, len(rows)), values), where)

    def agg_many(self, key: int, rows: Int64Array) -> None:
        texts = pa.concat_arrays([self._texts.slice(key, 1), self.column.take(pa.array(rows))])
        parts = texts.filter(_not_blank(texts)).to_pylist()
        if parts:
            text = self._with_new_parts(*parts) if self._distinct else self._delimiter.join(parts)
            joined = pa.array([text], self._texts.type)
            self._texts = pa.concat_arrays([self._texts.slice(0, key), joined, self._texts.slice(key + 1)])

    def agg_reversed(self, rows: Int64Array, where: BoolArray | None) -> None:
        values = self.column.take(pa.array(rows))
        self._put(self._joined(values, self._texts.slice(0, len(rows))), where)

    def assign(self, rows: Int64Array, where: BoolArray | None) -> None:
        self._put(self.column.take(pa.array(rows)), where)

    def clear(self, count: int, where: BoolArray | None) -> None:
        self._put(pa.nulls(count, self.column.type), where)

    def _values(self) -> pa.Array:
        return self._texts

    def _put(self, texts: pa.Array, where: BoolArray | None) -> None:
        if where is not None:
            texts = pc.if_else(pa.array(where), texts, self._texts.slice(0, len(texts)))
        self._texts = pa.concat_arrays([texts, self._texts.slice(len(texts))])

    def _joined(self, texts: pa.Array, added: pa.Array) -> pa.Array:
        if self._distinct:
            both = pc.invert(pc.or_(_blank(texts), _blank(added)))
            joined = pa.array(
                [
                    self._with_new_parts(text, more) if needed else None
                    for text, more, needed in zip(texts.to_pylist(), added.to_pylist(), both.to_pylist(), strict=True)
                ],
                texts.type,
            )
        else:
            joined = pc.binary_join_element_wise(texts, added, self._delimiter)
        return pc.if_else(_blank(added), texts, pc.if_else(_blank(texts), added, joined))

    def _with_new_parts(self, text: str, *added: str) -> str:
        non_null = set(self._parts(text))
        new = []
        for part in (part for each in added for part in self._parts(each)):
            if part.strip(_BLANKS) and part not in non_null:
                non_null.add(part)
                new.append(part)
        return self._delimiter.join([text, *new])

    def _parts(self, text: str) -> list[str]:
        # As in Java: with an empty delimiter, strings are split at spaces.
        return text.split(self._delimiter or " ")


def _not_blank(texts: pa.Array) -> pa.BooleanArray:
    return pc.invert(_blank(texts))


def _blank(texts: pa.Array) -> pa.BooleanArray:
    """Return a mask of the strings that are null or only white space."""
    return pc.fill_null(pc.equal(pc.binary_length(pc.utf8_trim(texts, characters=_BLANKS)), 0), True)
