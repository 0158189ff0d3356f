"""The version of this library, as wheels and snapshots carry it."""

VERSION = "0.1.0"
