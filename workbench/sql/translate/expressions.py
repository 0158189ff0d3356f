"""Translates expressions: resolves their names, infers types bottom-up, and emits what the allow-list has."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench.base.modules import exp
from workbench.expr.chains import flattened, left_chain
from workbench.sql.translate import kinds, literals, moments, operators, types
from workbench.sql.translate.casts import cast
from workbench.sql.translate.char_values import list_with_char_padding, unpadded, with_foldable
from workbench.sql.translate.dialect import Shown, shown
from workbench.sql.translate.forms import FORMS, FUNCTIONS
from workbench.sql.translate.functions import call
from workbench.sql.translate.functions_moments import EXTRACTED
from workbench.sql.translate.logic import logic
from workbench.sql.translate.scope import Scope, field_of
from workbench.sql.translate.values import CAST_NUMBER, NotTranslated, Typed, combined, error, text
from workbench.sql.translate.windows import window_call

# Arguments of a node that say nothing about its meaning.
_SILENT = frozenset(("safe", "typed", "_type", "coalesce", "over"))
_BARE = frozenset(("current_date", "current_timestamp", "localtimestamp"))
Subquery = Callable[[Any, Scope, str], Typed]


class Expressions:
    """Translates the expressions of one scope; ``subquery`` translates the queries in them."""

    def __init__(
        self,
        scope: Scope,
        clock: moments.Now,
        subquery: Subquery,
        named_windows: Mapping[str, Any] | None = None,
    ) -> None:
        self.scope = scope
        self.now = clock
        self.translate_query = subquery
        self.named_windows = named_windows

    def of(self, node: Any) -> Typed:
        """Return the translation.

        Raises:
            NotTranslated: If a part of the expression is not in the allow-list.
            InvalidExpression: If a name cannot be resolved.
        """
        construct: Any = Shown(node)
        value = literals.literal(node)
        if value is not None:
            return value
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise NotTranslated(f"`{construct}`", f"{type(node).__name__} expressions are not supported on DuckDB")
        result: Typed = method(node, construct)
        return result

    def condition(self, node: Any) -> Typed:
        """Return a condition of WHERE, HAVING or ON."""
        value = self.of(node)
        if value.is_null:
            return Typed("CAST(NULL AS BOOLEAN)", types.BOOLEAN)
        if value.type != types.BOOLEAN:
            raise NotTranslated(f"`{shown(node)}`", "a condition that is not BOOLEAN is not supported on DuckDB")
        return value

    def _values_of(self, nodes: Sequence[Any]) -> list[Typed]:
        return [self.of(node) for node in nodes]

    def _compared(self, nodes: Sequence[Any]) -> list[Typed]:
        return with_foldable(self._values_of(nodes), nodes)

    def _only(self, node: Any, construct: str, *known: str) -> None:
        """Refuse a node with an argument that is not handled."""
        for name, value in node.args.items():
            if value and name not in known and name not in _SILENT:
                raise NotTranslated(f"`{construct}`", f"{name.upper().replace('_', ' ')} is not supported on DuckDB")

    # --- names ----------------------------------------------------------------------------------------------------

    def _column(self, node: Any, construct: str) -> Typed:
        parts = [part.name for part in node.parts]
        if len(parts) == 1 and parts[0].lower() in _BARE and not self._is_column(parts):
            return moments.now(parts[0].lower(), self.now, construct)
        value, rest = self.scope.resolve(parts)
        for name in rest:
            value = field_of(value, name, construct)
        if not types.is_readable(value.type):
            raise NotTranslated(f"`{construct}`", f"its type {value.type} is not supported on DuckDB")
        return value

    def _is_column(self, parts: Sequence[str]) -> bool:
        return any(named.name.lower() == parts[0].lower() for named in self.scope.visible)

    def _dot(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this", "expression")
        return field_of(self.of(node.this), node.expression.name, construct)

    def _paren(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this")
        return self.of(node.this)

    # --- logic ----------------------------------------------------------------------------------------------------

    def _and(self, node: Any, construct: str) -> Typed:
        return self._logic("AND", node, construct)

    def _or(self, node: Any, construct: str) -> Typed:
        return self._logic("OR", node, construct)

    def _logic(self, word: str, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this", "expression")
        return logic(word, [self.condition(each) for each in node.flatten()])

    def _not(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this")
        operand = self.condition(node.this)
        return combined(f"(NOT {operand.sql})", types.BOOLEAN, (operand,))

    def _compare(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this", "expression")
        operator = _COMPARISONS[type(node).__name__]
        return operators.comparison(operator, self._compared((node.this, node.expression)), construct)

    _eq = _neq = _lt = _lte = _gt = _gte = _nullsafeeq = _nullsafeneq = _compare

    def _is(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this", "expression")
        value = self.of(node.this)
        if isinstance(node.expression, exp.Null):
            return combined(f"({value.sql} IS NULL)", types.BOOLEAN, (value,))
        if isinstance(node.expression, exp.Boolean) and value.type == types.BOOLEAN:
            word = "TRUE" if node.expression.this else "FALSE"
            return combined(f"({value.sql} IS NOT DISTINCT FROM {word})", types.BOOLEAN, (value,))
        raise NotTranslated(f"`{construct}`", "this form of IS is not supported on DuckDB")

    def _in(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this", "expressions", "query")
        if node.args.get("query") is not None:
            return self._in_query(node, construct)
        values = list_with_char_padding(self._compared((node.this, *node.expressions)))
        if values[0].type == types.NULL:
            raise NotTranslated(f"`{construct}`", "IN of NULL is not supported on DuckDB")
        values, target = operators.to_common_type(values, construct)
        if not types.is_scalar(target):
            raise NotTranslated(f"`{construct}`", "IN is supported on DuckDB only for scalars")
        listed = ", ".join(value.sql for value in values[1:])
        return combined(f"({values[0].sql} IN ({listed}))", types.BOOLEAN, values)

    def _in_query(self, node: Any, construct: str) -> Typed:
        value, query = self.of(node.this), self.translate_query(node.args["query"], self.scope, "IN")
        if value.type != query.type or not types.is_scalar(value.type):
            raise NotTranslated(f"`{construct}`", "IN of a subquery of another type is not supported on DuckDB")
        return combined(f"({value.sql} IN {query.sql})", types.BOOLEAN, (value, query))

    def _exists(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this")
        return self.translate_query(node.this, self.scope, "EXISTS")

    def _subquery(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this")
        return self.translate_query(node.this, self.scope, "scalar")

    def _between(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this", "low", "high")
        value, low, high = self._values_of((node.this, node.args["low"], node.args["high"]))
        bounds = (
            operators.comparison(">=", (value, low), construct, pads_char=False),
            operators.comparison("<=", (value, high), construct, pads_char=False),
        )
        return logic("AND", bounds)

    def _like(self, node: Any, construct: str, escape: str = "\\") -> Typed:
        self._only(node, construct, "this", "expression", "negate")
        value, pattern = self._values_of((node.this, node.expression))
        if value.type != types.STRING or not kinds.TEXT_LITERAL.accepts(pattern):
            raise NotTranslated(f"`{construct}`", "LIKE is supported on DuckDB only for a STRING and a literal pattern")
        quoted = re.escape(escape)
        if re.fullmatch(rf"(?:[^{quoted}]|{quoted}[%_{quoted}])*", str(pattern.constant), re.DOTALL) is None:
            raise NotTranslated(f"`{construct}`", "the pattern escapes a character that needs no escape")
        sql = f"({value.sql} LIKE {pattern.sql} ESCAPE {text(escape)})"
        return combined(f"(NOT {sql})" if node.args.get("negate") else sql, types.BOOLEAN, (value,))

    def _escape(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this", "expression")
        escape = node.expression
        if not isinstance(node.this, exp.Like) or not isinstance(escape, exp.Literal) or len(escape.name) != 1:
            raise NotTranslated(f"`{construct}`", "this form of ESCAPE is not supported on DuckDB")
        return self._like(node.this, construct, escape.name)

    # --- arithmetic -----------------------------------------------------------------------------------------------

    def _arithmetic(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this", "expression")
        if len(left_chain(node, _ARITHMETIC)[1]) > operators.LONGEST_NESTED:
            return self._long_chain(node, construct)
        operator = _ARITHMETIC[type(node).__name__]
        if isinstance(node.expression, exp.Interval) and operator in "+-":
            return moments.shifted_by(self.of(node.this), operator, node.expression, construct)
        return operators.arithmetic(operator, self._values_of((node.this, node.expression)), construct)

    def _long_chain(self, node: Any, construct: str) -> Typed:
        first, nodes = left_chain(node, _ARITHMETIC)
        steps = [(_ARITHMETIC[type(each).__name__], self.of(each.expression)) for each in nodes]
        return operators.long_arithmetic(self.of(first), steps, construct)

    _add = _sub = _mul = _div = _mod = _intdiv = _arithmetic

    def _neg(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this")
        return operators.negated(self.of(node.this), construct)

    def _bits(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this", "expression")
        return operators.bitwise(_BITS[type(node).__name__], self._values_of((node.this, node.expression)), construct)

    _bitwiseand = _bitwiseor = _bitwisexor = _bits

    def _bitwisenot(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this")
        value = self.of(node.this)
        if not types.is_integer(value.type):
            raise NotTranslated(f"`{construct}`", "`~` is supported on DuckDB only for integers")
        return combined(f"(~{value.sql})", value.type, (value,))

    def _dpipe(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this", "expression")
        operands = flattened(node, "DPipe")
        if len(operands) > operators.LONGEST_NESTED:
            return operators.long_concatenation(self._values_of(operands), construct)
        return operators.concatenated(self._values_of((node.this, node.expression)), construct)

    # --- casts and choices ----------------------------------------------------------------------------------------

    def _cast(self, node: Any, construct: str) -> Typed:
        if isinstance(node, exp.TryCast) and node.args.get("safe"):
            raise NotTranslated(f"`{construct}`", "TRY_CAST is not supported on DuckDB")
        self._only(node, construct, "this", "to")
        value = unpadded(cast(self.of(node.this), literals.type_of(node.to, construct), construct))
        if isinstance(node.this, exp.Literal) and types.is_integer(value.type):
            return replace(value, constant=CAST_NUMBER)
        return value

    _trycast = _cast

    def _case(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this", "ifs", "default")
        subject = None if node.this is None else self.of(node.this)
        conditions = []
        for branch in node.args["ifs"]:
            if subject is None:
                conditions.append(self.condition(branch.this))
            else:
                values = with_foldable((subject, self.of(branch.this)), (node.this, branch.this))
                conditions.append(operators.comparison("=", values, construct))
        default = node.args.get("default") or exp.Null()
        results = self._values_of([*(branch.args["true"] for branch in node.args["ifs"]), default])
        return _chosen(conditions, results, construct)

    def _if(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this", "true", "false")
        other = node.args.get("false") or exp.Null()
        return _chosen([self.condition(node.this)], self._values_of((node.args["true"], other)), construct)

    # --- functions ------------------------------------------------------------------------------------------------

    def _anonymous(self, node: Any, construct: str) -> Typed:
        name = str(node.this).lower()
        self._only(node, construct, "this", "expressions")
        if name in moments.NOW and not node.expressions:
            return moments.now(name, self.now, construct)
        values = self._values_of(node.expressions)
        if name in FORMS:
            return FORMS[name](values, construct)
        return call(FUNCTIONS, name, values, construct)

    def _window(self, node: Any, construct: str) -> Typed:
        if self.named_windows is None:
            raise NotTranslated(f"`{construct}`", "a window function is not supported on DuckDB for this clause")
        return window_call(node, self, self.named_windows)

    def _substring(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this", "start", "length")
        values = [self.of(node.args[name]) for name in ("this", "start", "length") if node.args.get(name) is not None]
        return call(FUNCTIONS, "substring", values, construct)

    def _trim(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this", "position")
        name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(node.args.get("position")).upper(), "trim")
        return call(FUNCTIONS, name, [self.of(node.this)], construct)

    def _extract(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this", "expression")
        name = EXTRACTED.get(str(node.this.name).lower())
        if name is None:
            raise NotTranslated(f"`{construct}`", f"EXTRACT({node.this.name} …) is not supported on DuckDB")
        return call(FUNCTIONS, name, [self.of(node.expression)], construct)

    def _strposition(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this", "substr")
        return call(FUNCTIONS, "position", self._values_of((node.args["substr"], node.this)), construct)

    def _bracket(self, node: Any, construct: str) -> Typed:
        self._only(node, construct, "this", "expressions")
        value, index = self._values_of((node.this, node.expressions[0]))
        if not kinds.ARRAY.accepts(value) or not kinds.INT.accepts(index):
            raise NotTranslated(f"`{construct}`", "`[]` is supported on DuckDB only for arrays of scalars and an INT")
        outside = error("INVALID_ARRAY_INDEX", "The index is out of bounds.")
        sql = (
            f"CASE WHEN {value.sql} IS NULL OR {index.sql} IS NULL THEN NULL "
            f"WHEN {index.sql} < 0 OR {index.sql} >= len({value.sql}) THEN {outside} "
            f"ELSE list_extract({value.sql}, CAST({index.sql} AS BIGINT) + 1) END"
        )
        return combined(sql, value.type.value_type, (value, index))


def _chosen(conditions: Sequence[Typed], results: Sequence[Typed], construct: str) -> Typed:
    """Return CASE with the results converted to their common type; the last result belongs to ELSE."""
    converted, target = operators.to_common_type(results, construct)
    if target == types.NULL:
        raise NotTranslated(f"`{construct}`", "a choice between NULLs is not supported on DuckDB")
    branches = [
        f"WHEN {condition.sql} THEN {value.sql}" for condition, value in zip(conditions, converted, strict=False)
    ]
    sql = f"CASE {' '.join(branches)} ELSE {converted[-1].sql} END"
    return combined(sql, target, (*conditions, *converted))


_COMPARISONS = {
    "EQ": "=",
    "NEQ": "<>",
    "LT": "<",
    "LTE": "<=",
    "GT": ">",
    "GTE": ">=",
    "NullSafeEQ": "IS NOT DISTINCT FROM",
    "NullSafeNEQ": "IS DISTINCT FROM",
}
_ARITHMETIC = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "Mod": "%", "IntDiv": "div"}
_BITS = {"BitwiseAnd": "&", "BitwiseOr": "|", "BitwiseXor": "^"}
