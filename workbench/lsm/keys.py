"""Keys as machine words: the order of any primary key, computed on whole columns.

A key column becomes one or more unsigned 64-bit words whose order is the order of the key (format §9: typed values,
strings as UTF-8 bytes). Words are narrowed to the range they actually use and packed together, so that most keys,
including composite and string keys, become a single word; if that word has room for the row number, one plain sort of
integers gives a stable order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from workbench.base.arrays import BoolArray, Int64Array, UInt8Array, UInt64Array
from workbench.base.modules import pc

_SIGN = np.uint64(1 << 63)
_BINARY = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}


@dataclass(frozen=True)
class KeyGroups:
    """Rows in key order. ``order`` (int64[rows]) holds input row numbers sorted by key, then by age; ``starts``
    (int64[keys]) is the position in ``order`` where each key's rows begin. Every key has at least one row.
    """

    order: Int64Array
    starts: Int64Array

    @property
    def ends(self) -> Int64Array:
        """Return int64[keys]: the end of each key's positions in ``order``."""
        return np.append(self.starts[1:], len(self.order)).astype(np.int64, copy=False)

    def newest(self) -> Int64Array:
        """Return int64[keys]: the last input row of each group."""
        if len(self.starts) == len(self.order):
            return self.order
        return self.order[self.ends - 1]

    def head(self, keys: int) -> KeyGroups:
        """Return the first ``keys`` groups."""
        if keys >= len(self.starts):
            return self
        return KeyGroups(self.order[: self.starts[keys]], self.starts[:keys])


def group_keys(
    keys: Sequence[pa.ChunkedArray], tie_breakers: Sequence[pa.ChunkedArray] = (), age_words: Sequence[UInt64Array] = ()
) -> KeyGroups:
    """Sort rows by ``keys``, equal keys by ``age_words`` and ``tie_breakers``, then by input position, and find the
    groups of equal keys.

    Columns have equal lengths and no nulls in ``keys``. Format §16 defines which row of a key is newest: the caller
    passes runs in the order of their sequence numbers, or the sequence column as a tie breaker.
    """
    key_words = [word for column in keys for word in column_words(column)]
    ages = [*age_words, *(word for column in tie_breakers for word in column_words(column))]
    packed_keys = pack_words(key_words)
    sort_words = pack_words([*key_words, *ages]) if ages else packed_keys
    order = _stable_order(sort_words) if sort_words else np.arange(len(keys[0]), dtype=np.int64)
    return KeyGroups(order, np.flatnonzero(_first_of_key(packed_keys, order)).astype(np.int64))


def match_keys(left: Sequence[pa.ChunkedArray], right: Sequence[pa.ChunkedArray]) -> tuple[Int64Array, Int64Array]:
    """Return int64[keys] twice: the row of each key on either side, -1 where that side does not have it.

    The result is in key order. The keys of each side must be unique, but may be in any order, and no column has nulls.
    """
    rows = len(left[0])
    both = [pa.chunked_array([*one.chunks, *other.chunks], one.type) for one, other in zip(left, right, strict=True)]
    words = pack_words([word for column in both for word in column_words(column)])
    order = _order_of_sorted_parts(words, rows + len(right[0]))
    groups = KeyGroups(order, np.flatnonzero(_first_of_key(words, order)))
    # Rows of the left side come first, and equal keys keep their order.
    first, last = groups.order[groups.starts], groups.newest() - rows
    return np.where(first < rows, first, -1), np.where(last >= 0, last, -1)


def _order_of_sorted_parts(words: Sequence[UInt64Array], rows: int) -> Int64Array:
    if not words:
        return np.arange(rows, dtype=np.int64)
    # A stable sort merges parts that are sorted already.
    return np.argsort(words[0], kind="stable") if len(words) == 1 else _stable_order(words)


def rows_among(rows: Sequence[pa.ChunkedArray], keys: Sequence[pa.ChunkedArray]) -> BoolArray:
    """Return bool[rows]: the rows whose key is one of ``keys``. Columns have no nulls, and keys are compared as in a
    merge."""
    count = len(rows[0])
    both = [
        pa.chunked_array([*mine.chunks, *theirs.chunks], mine.type) for mine, theirs in zip(rows, keys, strict=True)
    ]
    words = pack_words([word for column in both for word in column_words(column)])
    if not words or not len(keys[0]):
        return np.full(count, bool(len(keys[0])))
    if len(words) == 1:
        codes = pa.array(words[0])
    else:
        width = pa.binary(8 * len(words))
        data = pa.py_buffer(np.ascontiguousarray(np.stack(words, axis=1)))
        codes = pa.Array.from_buffers(width, len(words[0]), [None, data])
    found: BoolArray = pc.is_in(codes[:count], value_set=codes[count:]).to_numpy(zero_copy_only=False)
    return found


def column_words(column: pa.ChunkedArray | pa.Array) -> list[UInt64Array]:
    """Return a column as words, the most significant first. Raises ValueError for nulls and TypeError for types without
    order."""
    chunked = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    if chunked.null_count:
        raise ValueError("A key column holds nulls.")
    arrow_type = chunked.type
    if pa.types.is_string(arrow_type) or pa.types.is_binary(arrow_type):
        return _text_words(chunked)
    if pa.types.is_decimal128(arrow_type):
        return _joined([_decimal_words(chunk, arrow_type.precision) for chunk in chunked.chunks])
    return _joined([[_number_word(chunk)] for chunk in chunked.chunks])


def _joined(parts: Sequence[Sequence[UInt64Array]]) -> list[UInt64Array]:
    return [np.concatenate(words) if len(words) > 1 else words[0] for words in zip(*parts, strict=True)]


def _number_word(chunk: pa.Array) -> UInt64Array:
    arrow_type = chunk.type
    if pa.types.is_boolean(arrow_type):
        chunk = chunk.cast(pa.uint8())
    elif pa.types.is_floating(arrow_type):
        return _float_word(chunk.cast(pa.float64()).to_numpy(zero_copy_only=False))
    elif pa.types.is_temporal(arrow_type):
        chunk = chunk.view(pa.int32() if arrow_type.bit_width == 32 else pa.int64())
    elif not pa.types.is_integer(arrow_type):
        raise TypeError(f"Columns of type {arrow_type} cannot be part of a key.")
    values = np.asarray(chunk.to_numpy(zero_copy_only=False), np.int64)
    return values.view(np.uint64) ^ _SIGN


def _float_word(values: npt.NDArray[np.float64]) -> UInt64Array:
    """Order floats like Java's ``Double.compare``: -0.0 before 0.0, NaN last."""
    bits = np.where(np.isnan(values), np.float64("nan"), values).view(np.int64)
    return np.asarray(np.where(bits < 0, ~bits, bits ^ np.int64(-(1 << 63))), np.int64).view(np.uint64)


def _decimal_words(chunk: pa.Array, precision: int) -> list[UInt64Array]:
    data = np.frombuffer(chunk.buffers()[1], dtype=np.uint64)
    pairs = data[2 * chunk.offset : 2 * (chunk.offset + len(chunk))].reshape(-1, 2)
    if precision <= 18:
        return [pairs[:, 0] ^ _SIGN]
    return [pairs[:, 1] ^ _SIGN, np.ascontiguousarray(pairs[:, 0])]


def _text_words(column: pa.ChunkedArray) -> list[UInt64Array]:
    """Return the bytes after the prefix that all values share as words of eight bytes, big endian."""
    chunks = [_text_buffers(chunk) for chunk in column.chunks if len(chunk)]
    if not chunks:
        return [np.zeros(0, np.uint64)]
    prefix = _common_prefix(column)
    longest = max(int(lengths.max()) for _, _, lengths in chunks) - prefix
    words = [_words_of(chunk, prefix, -(-longest // 8)) for chunk in chunks]
    # A missing byte counts as zero, so strings that contain zero bytes need their length as the last word.
    if any((data[: starts[-1] + lengths[-1]] == 0).any() for data, starts, lengths in chunks):
        for parts, (_, _, lengths) in zip(words, chunks, strict=True):
            parts.append(lengths.astype(np.uint64))
    return _joined(words) if words[0] else [np.zeros(len(column), np.uint64)]


def _text_buffers(chunk: pa.Array) -> tuple[UInt8Array, Int64Array, Int64Array]:
    """Return the bytes, and the beginning and length of each value."""
    _, offsets_buffer, data_buffer = chunk.buffers()
    offsets = np.frombuffer(offsets_buffer, dtype=np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
    data = np.frombuffer(data_buffer, dtype=np.uint8) if data_buffer is not None else np.zeros(0, np.uint8)
    first = int(offsets[0])
    data = data[first : int(offsets[-1])]
    starts = offsets.astype(np.int64) - first
    return data, starts[:-1], np.diff(starts)


def _common_prefix(column: pa.ChunkedArray) -> int:
    """Return the length of the prefix that all values share. Usually the first and the last value share no prefix, or
    all others share it too; otherwise the minimum and maximum determine it."""
    shared = _shared_bytes(column[0], column[-1])
    binary = [chunk.view(_BINARY.get(chunk.type, chunk.type)) for chunk in column.chunks]
    if not shared or all(pc.all(pc.starts_with(chunk, shared)).as_py() is not False for chunk in binary):
        return len(shared)
    span = pc.min_max(column)
    return len(_shared_bytes(span["min"], span["max"]))


def _shared_bytes(low: pa.Scalar, high: pa.Scalar) -> bytes:
    first, last = (value.encode() if isinstance(value, str) else value for value in (low.as_py(), high.as_py()))
    differing = (position for position, (left, right) in enumerate(zip(first, last, strict=False)) if left != right)
    return bytes(first[: next(differing, min(len(first), len(last)))])


def _words_of(chunk: tuple[UInt8Array, Int64Array, Int64Array], prefix: int, count: int) -> list[UInt64Array]:
    data, starts, lengths = chunk
    padded = np.concatenate([data, np.zeros(8, np.uint8)])
    every_offset = _words_at(padded, 0, len(padded) - 7, 1)
    step = int(lengths[0]) if (lengths == lengths[0]).all() else 0
    words = []
    for index in range(count):
        skip = prefix + 8 * index
        # If values are equally long, one length applies to all, and they are stored at equal distances.
        missing = np.clip(skip + 8 - (lengths[:1] if step else lengths), 0, 8).astype(np.uint64)
        if skip < step:
            raw = _words_at(padded, skip, len(starts), step).byteswap()
        else:
            raw = every_offset[np.minimum(starts + skip, len(data))].byteswap()
        if not missing.any():
            words.append(raw)
            continue
        shift = missing * np.uint64(8)
        # Shifting a word by its full width is undefined, so rows with nothing left are zeroed separately.
        kept = (raw >> np.minimum(shift, np.uint64(63))) << np.minimum(shift, np.uint64(63))
        words.append(np.where(missing == 8, np.uint64(0), kept))
    return words


def _words_at(data: UInt8Array, first: int, count: int, step: int) -> UInt64Array:
    """Return the eight bytes at ``first``, and at ``count - 1`` multiples of ``step`` bytes after it; all must be
    within ``data``."""
    word = data[first : first + 8].view(np.uint64)
    words: UInt64Array = np.lib.stride_tricks.as_strided(word, shape=(count,), strides=(step,), writeable=False)
    return words


def pack_words(words: Sequence[UInt64Array]) -> list[UInt64Array]:
    """Narrow each word to the range it uses, drop words that are constant, and join neighbors that fit into 64 bits."""
    packed: list[UInt64Array] = []
    room = 0
    for word in words:
        if not len(word):
            return [word]
        spread = word - word.min()
        used = int(np.bitwise_or.reduce(spread))
        if not used:
            continue
        # Strings that end within their last word leave zeros at its end.
        unused = (used & -used).bit_length() - 1
        spread >>= np.uint64(unused)
        bits = used.bit_length() - unused
        if packed and bits <= room:
            packed[-1] = (packed[-1] << np.uint64(bits)) | spread
            room -= bits
        else:
            packed.append(spread)
            room = 64 - bits
    return packed


def _stable_order(words: Sequence[UInt64Array]) -> Int64Array:
    first = words[0]
    rows = len(first)
    row_bits = max(rows - 1, 1).bit_length()
    room = 64 - row_bits - int(first.max(initial=0)).bit_length()
    if len(words) == 1:
        return _tagged_order(first, row_bits) if room >= 0 else np.argsort(first, kind="stable")
    if room <= 0:
        return _settle_ties(words, first, np.argsort(first, kind="stable"))
    # The next word begins in the free bits of the first: if ages follow keys, that distinguishes most rows of a key.
    used = int(words[1].max(initial=0)).bit_length()
    taken = min(room, used)
    lead = (first << np.uint64(taken)) | (words[1] >> np.uint64(used - taken))
    return _settle_ties(words, lead, _tagged_order(lead, row_bits))


def _tagged_order(word: UInt64Array, row_bits: int) -> Int64Array:
    """Sort by a word with one plain sort of integers, which also contain the row number."""
    # In place, because allocating memory costs more here than the work on it.
    tagged = word << np.uint64(row_bits)
    tagged |= np.arange(len(word), dtype=np.uint64)
    tagged.sort()
    tagged &= np.uint64((1 << row_bits) - 1)
    return tagged.view(np.int64)


def _settle_ties(words: Sequence[UInt64Array], lead: UInt64Array, order: Int64Array) -> Int64Array:
    """Sort again, by all words, only the rows that have equal values in ``lead``, the leading bits of the words."""
    ordered = lead[order]
    same = ordered[1:] == ordered[:-1]
    if not same.any():
        return order
    differing = np.zeros_like(same)
    for word in words[1:]:
        taken = word[order]
        differing |= taken[1:] != taken[:-1]
    if not (same & differing).any():
        return order
    tied = np.zeros(len(order), bool)
    tied[1:] |= same
    tied[:-1] |= same
    positions = np.flatnonzero(tied)
    rows = order[positions]
    # lexsort expects its most significant key last, and keeps the input order of equal rows.
    settled = np.lexsort([word[rows] for word in reversed(words)])
    order = order.copy()
    order[positions] = rows[settled]
    return order


def _first_of_key(words: Sequence[UInt64Array], order: Int64Array) -> BoolArray:
    first = np.zeros(len(order), bool)
    if len(order):
        first[0] = True
    for word in words:
        ordered = word[order]
        first[1:] |= ordered[1:] != ordered[:-1]
    return first
