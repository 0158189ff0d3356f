"""Table options in one place: the catalogue, their typed values with defaults, and what is allowed."""

from __future__ import annotations

from workbench.format.core_options import CoreOptions
from workbench.format.option_catalogue import OPTIONS, PATTERNS, Option, OptionPattern, find_option
from workbench.format.option_checks import check_supported, check_user_options, stored_option_warnings
from workbench.format.option_support import Support
from workbench.format.option_values import option_text, parse_duration, parse_memory, parse_option

__all__ = [
    "OPTIONS",
    "PATTERNS",
    "CoreOptions",
    "Option",
    "OptionPattern",
    "Support",
    "check_supported",
    "check_user_options",
    "find_option",
    "option_text",
    "parse_duration",
    "parse_memory",
    "parse_option",
    "stored_option_warnings",
]
