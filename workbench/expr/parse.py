"""Parses SQL text into an expression tree; sqlglot reads it (Spark's dialect); names and types are bound later."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any

from workbench.base.errors import InvalidExpression
from workbench.base.modules import exp, sqlglot
from workbench.expr.chains import flattened, left_chain
from workbench.expr.char_values import BETWEEN, UNPADDED
from workbench.expr.depth import refused_depth
from workbench.expr.expressions import (
    Case,
    Cast,
    Column,
    Comparison,
    Expr,
    Field,
    Function,
    In,
    IsNull,
    Like,
    Literal,
    Negate,
    Not,
    arithmetic,
    conjunction,
    disjunction,
    negated,
    negation,
)

_COMPARISONS = {
    "EQ": "=",
    "NEQ": "<>",
    "LT": "<",
    "LTE": "<=",
    "GT": ">",
    "GTE": ">=",
    "NullSafeEQ": "<=>",
}
_ARITHMETIC = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "Mod": "%", "IntDiv": "div"}
_FUNCTIONS = {
    "Lower": "lower",
    "Upper": "upper",
    "Length": "length",
    "Abs": "abs",
    "Coalesce": "coalesce",
    "Concat": "concat",
    "Substring": "substring",
    "StartsWith": "startswith",
    "EndsWith": "endswith",
    "Contains": "contains",
    "Year": "year",
    "Quarter": "quarter",
    "Month": "month",
    "Day": "day",
    "DayOfMonth": "day",
    "DayOfWeek": "dayofweek",
    "DayOfYear": "dayofyear",
    "Hour": "hour",
    "Minute": "minute",
    "Second": "second",
}
_TYPES = {
    "TEXT": "STRING",
    "VARBINARY": "BYTES",
    "BINARY": "BYTES",
    "TIMESTAMPTZ": "TIMESTAMP_LTZ(6)",
    "TIMESTAMPLTZ": "TIMESTAMP_LTZ(6)",
    "TIMESTAMP": "TIMESTAMP_LTZ(6)",
    "TIMESTAMPNTZ": "TIMESTAMP(6)",
    "TIME": "TIME(3)",
}
_SIMPLE_TYPES = frozenset(("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DATE"))

_WAY_OUT = (
    "Use comparisons, IN, BETWEEN, LIKE, IS NULL, CASE, CAST, or functions such as "
    f"{', '.join(sorted(set(_FUNCTIONS.values())))}; or run a query in a %%paimon cell or an attached Spark session."
)


def parse(text: str) -> Expr:
    """Parse SQL text to an expression whose names are not yet bound.

    Raises:
        InvalidExpression: If the text is not an expression, or has an unsupported part: a subquery, an aggregate, a
            window. The message quotes that part.
    """
    with refused_depth():
        return _convert(_tree(text))


def from_tree(node: exp.Expr) -> Expr:
    """Convert a node of a statement that sqlglot has parsed to an expression whose names are not yet bound.

    As in Spark, TIMESTAMP '…' means CAST('…' AS TIMESTAMP). In text that `parse` reads, however, such a literal has the
    timestamp type that it is compared with.

    Raises:
        InvalidExpression: If the node has an unsupported part; see `parse`.
    """
    with refused_depth():
        return _convert(node.transform(_explicit_cast))


def _explicit_cast(node: exp.Expr) -> exp.Expr:
    # In Spark's dialect, sqlglot reads CAST as a TryCast, and only a typed literal as a Cast.
    if type(node) is exp.Cast and node.to.this.name in ("TIMESTAMP", "TIMESTAMPTZ"):
        return exp.TryCast(this=node.this, to=node.to)
    return node


def as_expr(where: Expr | str) -> Expr:
    """Return a predicate, given as SQL text or built with ``col``, as an expression."""
    return parse(where) if isinstance(where, str) else where


def _tree(text: str) -> exp.Expr:
    try:
        return sqlglot.parse_one(text, dialect=_dialect(), into=exp.Condition)
    except sqlglot.errors.SqlglotError as error:
        spots = [each for each in getattr(error, "errors", []) if each.get("highlight")]
        near = f" near '{spots[0]['highlight']}'" if spots else ""
        raise InvalidExpression(
            f"Cannot parse this condition{near}: {text.strip()}", "Write a SQL condition."
        ) from error


@cache
def _dialect() -> Any:
    from sqlglot.dialects.spark import Spark

    class WorkbenchSpark(Spark):
        class Tokenizer(Spark.Tokenizer):
            # A doubled quote inside a string is one quote, as in Spark 4.
            STRING_ESCAPES = ["\\", "'", '"']  # noqa: RUF012

    return WorkbenchSpark


def _convert(node: exp.Expr) -> Expr:
    kind = type(node).__name__
    if kind in ("And", "Or"):
        parts = [_convert(part) for part in flattened(node, kind)]
        return conjunction(parts) if kind == "And" else disjunction(parts)
    if kind in _COMPARISONS:
        return Comparison(_COMPARISONS[kind], _convert(node.this), _convert(node.expression))
    if kind in _ARITHMETIC:
        return _arithmetic(node)
    if kind == "DPipe":
        return Function("concat", tuple(_convert(part) for part in flattened(node, kind)))
    if kind in _FUNCTIONS:
        return Function(_FUNCTIONS[kind], tuple(_convert(part) for part in _arguments(node)))
    handler = _HANDLERS.get(kind)
    if handler is None:
        raise _refused(node)
    return handler(node)


def _arithmetic(node: exp.Expr) -> Expr:
    first, operators = left_chain(node, _ARITHMETIC)
    return arithmetic(
        _convert(first), *((_ARITHMETIC[type(each).__name__], _convert(each.expression)) for each in operators)
    )


def _arguments(node: exp.Expr) -> list[exp.Expr]:
    names = ("this", "expression", "expressions", "start", "length")
    arguments: list[exp.Expr] = []
    for name in names:
        value = node.args.get(name)
        arguments += value if isinstance(value, list) else [value] if value is not None else []
    return [each.this if type(each).__name__ == "TsOrDsToDate" else each for each in arguments]


def _refused(node: exp.Expr) -> InvalidExpression:
    text = node.sql(dialect="spark")
    if isinstance(node, (exp.Query, exp.Exists)) or node.find(exp.Query):
        what = "a subquery"
    elif isinstance(node, exp.Window):
        what = "a window function"
    elif isinstance(node, exp.AggFunc):
        what = "an aggregate"
    else:
        what = "this expression"
    # The text may have quotes of any kind, so that it stands last, without further ones.
    return InvalidExpression(f"A condition on one table cannot contain {what}: {text}", _WAY_OUT)


def _literal(node: exp.Expr) -> Expr:
    text = str(node.this)
    if node.args.get("is_string"):
        return Literal(text)
    if text.isdigit():
        return Literal(int(text))
    return Literal(float(text)) if "e" in text.lower() else Literal(Decimal(text))


def _column(node: exp.Expr) -> Expr:
    parts = [part for name in ("catalog", "db", "table") if (part := node.args.get(name)) is not None]
    if type(node.this).__name__ == "Star":
        raise _refused(node)
    names = [part.name for part in parts] + [node.name]
    result: Expr = Column(names[0])
    for name in names[1:]:
        result = Field(result, name)
    return result


def _dot(node: exp.Expr) -> Expr:
    if type(node.expression).__name__ != "Identifier":
        raise _refused(node)
    return Field(_convert(node.this), node.expression.name)


def _in(node: exp.Expr) -> Expr:
    if any(node.args.get(source) is not None for source in ("query", "unnest", "field")):
        raise _refused(node)
    if "expressions" not in node.args:
        # Unlike IN (), which is false, the statement ends too early.
        raise InvalidExpression(f"The list of {_convert(node.this)} IN is empty.", "Write IN (value, …).")
    return In(_convert(node.this), tuple(_convert(value) for value in node.args["expressions"]))


def _between(node: exp.Expr) -> Expr:
    if node.args.get("symmetric"):
        raise _refused(node)
    operand = _convert(node.this)
    low, high = _convert(node.args["low"]), _convert(node.args["high"])
    if any(isinstance(bound, Literal) and isinstance(bound.value, str) for bound in (low, high)):
        # The type of the operand, which only the resolver knows, decides how text is compared.
        return Function(BETWEEN, (operand, low, high))
    return conjunction((Comparison(">=", operand, low), Comparison("<=", operand, high)))


def _is(node: exp.Expr) -> Expr:
    if type(node.expression).__name__ == "Null":
        return IsNull(_convert(node.this))
    return Comparison("<=>", _convert(node.this), _convert(node.expression))


def _like(node: exp.Expr, escape: str = "\\") -> Expr:
    operand, pattern = _convert(node.this), _convert(node.expression)
    if type(node).__name__ == "ILike":
        operand, pattern = Function("lower", (operand,)), _lowered(pattern)
    like = Like(operand, pattern, escape)
    return Not(like) if node.args.get("negate") else like


def _lowered(pattern: Expr) -> Expr:
    if isinstance(pattern, Literal) and isinstance(pattern.value, str):
        return Literal(pattern.value.lower())
    return pattern


def _escape(node: exp.Expr) -> Expr:
    escape = str(node.expression.this)
    inner = node.this
    if type(inner).__name__ == "Not":
        return Not(_like(inner.this, escape))
    return _like(inner, escape)


def _cast(node: exp.Expr) -> Expr:
    if node.args.get("safe") or node.args.get("format"):
        raise _refused(node)
    operand, kind = node.this, node.args["to"]
    root = kind.this.name
    is_literal = type(operand).__name__ == "Literal"
    is_text = is_literal and operand.args.get("is_string")
    if is_text and root == "DECIMAL" and "nested" not in kind.args:
        return Literal(Decimal(str(operand.this)))  # 1.5BD
    if is_literal and not is_text and root == "DOUBLE":
        return Literal(float(str(operand.this)))  # 1.5D
    if is_text and type(node).__name__ == "Cast" and root.startswith("TIMESTAMP"):
        return _timestamp_literal(str(operand.this), root)
    return Cast(_convert(operand), _type_name(node, kind))


def _timestamp_literal(text: str, root: str) -> Expr:
    """Return TIMESTAMP '…'. Without a time zone in the text, it has the timestamp type that it is compared with."""
    date, _, clock = text.strip().replace("T", " ", 1).partition(" ")
    fraction = clock.partition(".")[2]
    digits = 9 if len(fraction) - len(fraction.lstrip("0123456789")) > 6 else 6
    has_zone = bool(date) and any(mark in clock.upper() for mark in ("Z", "+", "-", "UTC", "GMT"))
    local = root == "TIMESTAMPNTZ" or (root != "TIMESTAMPLTZ" and not has_zone)
    return Cast(Literal(text), f"TIMESTAMP({digits})" if local else f"TIMESTAMP_LTZ({digits})")


def _type_name(node: exp.Expr, kind: exp.Expr) -> str:
    root = str(kind.this.name)
    if root == "DECIMAL":
        shape = ", ".join(str(each.this.this) for each in kind.expressions)
        return f"DECIMAL({shape})" if shape else "DECIMAL"
    if root in _SIMPLE_TYPES:
        return root
    if root not in _TYPES:
        raise _refused(node)
    return _TYPES[root]


def _case(node: exp.Expr) -> Expr:
    subject = None if node.this is None else _convert(node.this)
    branches = []
    for each in node.args["ifs"]:
        test = _convert(each.this)
        branches.append((test if subject is None else Comparison("=", subject, test), _convert(each.args["true"])))
    default = node.args.get("default")
    return Case(tuple(branches), Literal(None) if default is None else _convert(default))


def _if(node: exp.Expr) -> Expr:
    default = node.args.get("false")
    otherwise = Literal(None) if default is None else _convert(default)
    return Case(((_convert(node.this), _convert(node.args["true"])),), otherwise)


def _nullif(node: exp.Expr) -> Expr:
    value = _convert(node.this)
    one, two = (Function(UNPADDED, (each,)) for each in (value, _convert(node.expression)))
    return Case(((Comparison("=", one, two), Literal(None)),), value)


def _trim(node: exp.Expr) -> Expr:
    if node.args.get("expression") is not None:
        raise _refused(node)
    name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(node.args.get("position") or "").upper(), "trim")
    return Function(name, (_convert(node.this),))


def _anonymous(node: exp.Expr) -> Expr:
    name = str(node.this).lower()
    arguments = tuple(_convert(each) for each in node.expressions)
    if name in ("isnull", "isnotnull") and len(arguments) == 1:
        return IsNull(arguments[0]) if name == "isnull" else Not(IsNull(arguments[0]))
    return Function(name, arguments)


def _struct(node: exp.Expr) -> Expr:
    arguments: list[Expr] = []
    for at, each in enumerate(node.expressions, 1):
        is_named = type(each).__name__ == "PropertyEQ"
        name = each.name if type(each).__name__ in ("PropertyEQ", "Column", "Dot") else f"col{at}"
        arguments += [Literal(name), _convert(each.expression if is_named else each)]
    return Function("named_struct", tuple(arguments))


def _negate(node: exp.Expr) -> Expr:
    operand = _convert(node.this)
    if isinstance(operand, Literal) and isinstance(operand.value, (int, float, Decimal)):
        is_zero = isinstance(operand.value, float) and math.copysign(1, operand.value) > 0 and operand.value == 0
        return Literal(-0.0) if is_zero else Literal(negated(operand.value))
    return Negate(operand)


def _hex(node: exp.Expr) -> Expr:
    digits = str(node.this)
    try:
        return Literal(bytes.fromhex("0" * (len(digits) % 2) + digits))
    except ValueError as error:
        raise InvalidExpression(f"X'{digits}' is not a binary literal.", "Write hexadecimal digits.") from error


_HANDLERS: dict[str, Callable[[Any], Expr]] = {
    "Paren": lambda node: _convert(node.this),
    "Not": lambda node: negation(_convert(node.this)),
    "NullSafeNEQ": lambda node: Not(Comparison("<=>", _convert(node.this), _convert(node.expression))),
    "Literal": _literal,
    "RawString": lambda node: Literal(str(node.this)),
    "HexString": _hex,
    "Boolean": lambda node: Literal(bool(node.this)),
    "Null": lambda _node: Literal(None),
    "Column": _column,
    "Dot": _dot,
    "In": _in,
    "Between": _between,
    "Is": _is,
    "Like": _like,
    "ILike": _like,
    "Escape": _escape,
    "Cast": _cast,
    "TryCast": _cast,
    "Case": _case,
    "If": _if,
    "Nullif": _nullif,
    "Trim": _trim,
    "Neg": _negate,
    "Anonymous": _anonymous,
    "Struct": _struct,
    "Array": lambda node: Function("array", tuple(_convert(each) for each in node.expressions)),
}
