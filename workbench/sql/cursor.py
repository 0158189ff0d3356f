"""A cursor over the tokens of a statement, for the grammars that sqlglot does not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from workbench.base.errors import InvalidExpression
from workbench.base.modules import exp
from workbench.expr.dialect import tokens_of
from workbench.sql.literals import literal_value
from workbench.sql.parts import parse_tree
from workbench.sql.statements import TableRef, TimeTravel

# The change of the nesting depth after a token.
_BRACKETS = {"(": 1, "[": 1, ")": -1, "]": -1}


class Cursor:
    """The tokens of one statement and a position among them.

    Args:
        text: The statement.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = tokens_of(text)
        self._next = 0

    @property
    def is_at_end(self) -> bool:
        """Whether all tokens have been read."""
        return self._next >= len(self._tokens)

    def peek(self, ahead: int = 0) -> str:
        """Return the text of an upcoming token in upper case; '' after the end, and for quoted names and strings."""
        place = self._next + ahead
        if place >= len(self._tokens) or self._is_quoted(self._tokens[place]):
            return ""
        return str(self._tokens[place].text).upper()

    def accept(self, *words: str) -> bool:
        """Step over the words if they follow, and return whether they did."""
        if any(self.peek(ahead) != word for ahead, word in enumerate(words)):
            return False
        self._next += len(words)
        return True

    def choose(self, *words: str) -> str | None:
        """Step over the next token if it is one of the words, and return it; otherwise return None."""
        return next((word for word in words if self.accept(word)), None)

    def expect(self, *words: str) -> None:
        """Step over the words. Raises InvalidExpression if they do not follow."""
        for word in words:
            if not self.accept(word):
                self.fail(f"expected {word}")

    def expect_end(self) -> None:
        """Check that nothing follows. Raises InvalidExpression if something does."""
        if not self.is_at_end:
            self.fail("expected the end of the statement")

    def fail(self, problem: str) -> NoReturn:
        """Raise InvalidExpression with the current position in the text."""
        if self.is_at_end:
            end = len(self.text.rstrip())
            raise InvalidExpression(f"The statement ends too early: {problem}.").at(end, end + 1)
        token = self._tokens[self._next]
        shown = self.text[token.start : token.end + 1]
        line, column = self._place(token.start)
        raise InvalidExpression(
            f"The statement cannot be parsed near '{shown}' (line {line}, column {column}): {problem}."
        ).at(token.start, token.end + 1)

    def name(self) -> str:
        """Step over an identifier, with or without backquotes, and return it."""
        if self.is_at_end:
            self.fail("expected a name")
        token = self._tokens[self._next]
        is_word = token.token_type.name == "IDENTIFIER" or str(token.text).replace("_", "a").replace("$", "a").isalnum()
        if token.token_type.name in ("STRING", "NUMBER") or not is_word:
            self.fail("expected a name")
        self._next += 1
        return str(token.text)

    def dashed_name(self) -> str:
        """Step over a name that may have hyphens and dots, such as ``2026-11-01``, and return it."""
        begin = self._next
        if not self.is_at_end and self._tokens[begin].token_type.name == "IDENTIFIER":
            return self.name()
        while not self.is_at_end and self.peek() not in (",", "(", ")", "=") and self._is_joined(begin):
            self._next += 1
        if begin == self._next:
            self.fail("expected a name")
        return self._between(begin, self._next)

    def path(self) -> tuple[str, ...]:
        """Step over names with dots between them, and return the names."""
        names = [self.name()]
        while self.accept("."):
            names.append(self.name())
        return tuple(names)

    def table(self) -> TableRef:
        """Step over the name of a table, without a version."""
        begin = self._next
        parts = self.path()
        span = (self._tokens[begin].start, self._tokens[self._next - 1].end + 1)
        return TableRef(parts, None, span)

    def string(self) -> str:
        """Step over a string literal and return its value."""
        if self.is_at_end or self._tokens[self._next].token_type.name != "STRING":
            self.fail("expected a string in quotes")
        self._next += 1
        return str(self._tokens[self._next - 1].text)

    def has_string(self) -> bool:
        """Return whether a string literal follows."""
        return not self.is_at_end and self._tokens[self._next].token_type.name == "STRING"

    def integer(self) -> int:
        """Step over a whole number and return it."""
        word = self.peek()
        if not word.isdecimal():
            self.fail("expected a whole number")
        self._next += 1
        return int(word)

    def version(self) -> TimeTravel:
        """Step over what follows ``VERSION AS OF``: a snapshot id, or the name of a tag in quotes."""
        return TimeTravel("tag", self.string()) if self.has_string() else TimeTravel("snapshot", self.integer())

    def key(self) -> str:
        """Step over the key of a property: a string, or names with dots and hyphens between them."""
        if self.has_string():
            return self.string()
        begin = self._next
        while not self.is_at_end and self.peek() not in ("=", ",", ")"):
            self._next += 1
        if begin == self._next:
            self.fail("expected the key of a property")
        return self._between(begin, self._next)

    def properties(self) -> dict[str, str]:
        """Step over ``('key' = 'value', …)`` and return the properties."""
        found: dict[str, str] = {}
        self.expect("(")
        while True:
            key = self.key()
            if key in found:
                raise InvalidExpression(f"The property '{key}' is set twice.", "Keep one of its values.")
            self.accept("=")
            found[key] = self.property_value()
            if not self.accept(","):
                break
        self.expect(")")
        return found

    def property_value(self) -> str:
        """Step over the value of a property: a string, a number or a word."""
        if self.has_string():
            return self.string()
        begin = self._next
        while not self.is_at_end and self.peek() not in (",", ")"):
            self._next += 1
        if begin == self._next:
            self.fail("expected a value")
        return self._between(begin, self._next)

    def keys(self) -> list[str]:
        """Step over ``('key', …)`` and return the keys."""
        self.expect("(")
        found = [self.key()]
        while self.accept(","):
            found.append(self.key())
        self.expect(")")
        return found

    def partition(self) -> dict[str, Any]:
        """Step over ``(column = literal, …)`` and return the values by column."""
        self.expect("(")
        found: dict[str, Any] = {}
        while True:
            column = self.name()
            self.expect("=")
            found[column] = self.literal(",", ")")
            if not self.accept(","):
                break
        self.expect(")")
        return found

    @property
    def is_named_argument(self) -> bool:
        """Whether a name and ``=>`` follow."""
        place = self._next + 1
        return place < len(self._tokens) and self._tokens[place].text == "=>"

    def literal(self, *ends: str) -> Any:
        """Step over a literal that ends before one of the tokens ``ends``, and return its Python value."""
        return literal_value(self.expression(*ends))

    def expression(self, *ends: str) -> exp.Expression:
        """Step over an expression that ends before one of the tokens ``ends`` outside of parentheses."""
        text = self.text_until(*ends)
        tree = parse_tree(f"SELECT {text}")
        if len(tree.expressions) != 1:
            self.fail("expected one expression")
        return tree.expressions[0]  # type: ignore[no-any-return]

    def type_text(self, *ends: str) -> str:
        """Step over a type and everything after it, up to one of the tokens ``ends``, and return the text."""
        return self.text_until(*ends, brackets={**_BRACKETS, "<": 1, ">": -1, ">>": -2})

    def text_until(self, *ends: str, brackets: Mapping[str, int] = _BRACKETS) -> str:
        """Step over everything before one of the tokens ``ends`` outside of brackets, and return its text."""
        begin, depth = self._next, 0
        while not self.is_at_end and not (depth == 0 and self.peek() in ends):
            depth += brackets.get(self.peek(), 0)
            self._next += 1
        if begin == self._next:
            self.fail("expected an expression")
        return self._between(begin, self._next)

    def rest(self) -> str:
        """Step over all that remains, and return its text."""
        return self.text_until()

    def _between(self, begin: int, end: int) -> str:
        return self.text[self._tokens[begin].start : self._tokens[end - 1].end + 1]

    def _place(self, position: int) -> tuple[int, int]:
        before = self.text[:position]
        return before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1

    def _is_joined(self, begin: int) -> bool:
        """Return whether no space separates the next token from the previous one; always True for ``begin``."""
        return self._next == begin or self._tokens[self._next - 1].end + 1 == self._tokens[self._next].start

    @staticmethod
    def _is_quoted(token: Any) -> bool:
        return token.token_type.name in ("STRING", "IDENTIFIER")
