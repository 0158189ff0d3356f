"""Numbers in directory names, as Java prints them."""

import pytest

from workbench.format.types.java_text import java_number_text


@pytest.mark.parametrize(
    ("value", "single", "text"),
    [
        (5e-324, False, "4.9E-324"),
        (2.0**-149, True, "1.4E-45"),
        (-5e-324, False, "-4.9E-324"),
        (1e10, False, "1.0E10"),
        (2e-5, False, "2.0E-5"),
        (0.5, False, "0.5"),
        (1.2345e-7, False, "1.2345E-7"),
        (100.0, True, "100.0"),
    ],
)
def test_numbers(value: float, single: bool, text: str) -> None:
    assert java_number_text(value, single) == text
