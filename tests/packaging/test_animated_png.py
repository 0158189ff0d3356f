"""Animated PNG files, such as the picture of the README."""

from __future__ import annotations

import struct
import zlib

import pytest

from tests.browser.apng import SIGNATURE, Frame, animated, chunk, chunks


def gray(level: int, width: int = 2) -> bytes:
    """A PNG of one row."""
    header = struct.pack(">IIBBBBB", width, 1, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes([0] + [level] * width))
    return SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def test_frames_follow_one_another_with_their_times() -> None:
    png = animated([Frame(gray(1), 400), Frame(gray(2), 1200), Frame(gray(3), 90)])
    parts = list(chunks(png))
    kinds = [kind for kind, _ in parts]
    assert kinds == [b"IHDR", b"acTL", b"fcTL", b"IDAT", b"fcTL", b"fdAT", b"fcTL", b"fdAT", b"IEND"]
    controls = [struct.unpack(">IIIIIHHBB", data) for kind, data in parts if kind == b"fcTL"]
    assert [(each[0], each[1:3], each[5] / each[6]) for each in controls] == [
        (0, (2, 1), 0.4),
        (1, (2, 1), 1.2),
        (3, (2, 1), 0.09),
    ]
    numbers = [struct.unpack(">I", data[:4])[0] for kind, data in parts if kind == b"fdAT"]
    assert numbers == [2, 4]
    pictures = [zlib.decompress(data[4:])[1] for kind, data in parts if kind == b"fdAT"]
    assert pictures == [2, 3]


def test_frames_have_one_size() -> None:
    with pytest.raises(ValueError, match="differ in size"):
        animated([Frame(gray(1), 1), Frame(gray(1, width=3), 1)])
