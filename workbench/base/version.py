"""The version of this library, as recorded in wheels and snapshots."""

VERSION = "0.1.0"
