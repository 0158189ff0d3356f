"""Real data as a lake: the flights that left New York in 2013, as a change stream into Paimon tables."""

from workbench.demo.board import advance_board
from workbench.demo.stream import BoardStream, stream_board

__all__ = ["BoardStream", "advance_board", "stream_board"]
