"""The functions that expressions may call: typing of their arguments and evaluation on Arrow columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from workbench.base.counting import counted
from workbench.base.errors import InvalidExpression, did_you_mean
from workbench.base.modules import pc
from workbench.expr.coercion import cast_to
from workbench.expr.expressions import Expr, Function, Literal
from workbench.expr.kinds import BOOLEAN, INT, STRING, common_type, family, is_numeric
from workbench.expr.nested import build_array, build_struct, struct_arguments
from workbench.expr.types_of import type_of
from workbench.expr.zones import instant_to_local
from workbench.format.types import ArrayType, AtomicType, DataType, to_arrow

_Bind = Callable[[str, tuple[Expr, ...]], tuple[tuple[Expr, ...], DataType]]
_MANY = 1_000_000


@dataclass(frozen=True)
class Spec:
    """A function of ``min_arguments`` to ``max_arguments`` arguments; ``bind`` converts the arguments and determines
    the result's type; ``run`` computes the result.
    """

    min_arguments: int
    max_arguments: int
    bind: _Bind
    run: Callable[[Sequence[Any]], Any]


def bind_function(name: str, arguments: tuple[Expr, ...]) -> Function:
    """Return a call of resolved arguments, converted to the types that the function requires.

    Raises:
        InvalidExpression: If the function does not exist or the arguments do not fit it.
    """
    spec = FUNCTIONS.get(name)
    if spec is None:
        raise InvalidExpression(f"There is no function '{name}'.", did_you_mean(name, FUNCTIONS))
    if not spec.min_arguments <= len(arguments) <= spec.max_arguments:
        is_exact = spec.min_arguments == spec.max_arguments
        wanted = counted(spec.min_arguments, "arguments") if is_exact else f"{spec.min_arguments} or more arguments"
        raise InvalidExpression(f"{name} expects {wanted}, got {len(arguments)}.")
    bound, result = spec.bind(name, arguments)
    return Function(name, bound, result)


def run_function(call: Function, arguments: Sequence[Any]) -> Any:
    """Return the result column of a bound call on evaluated arguments."""
    assert call.type is not None
    result = FUNCTIONS[call.name].run(arguments)
    wanted = to_arrow(call.type)
    return result if result.type == wanted else result.cast(wanted)


def _texts(result: DataType) -> _Bind:
    return lambda _name, arguments: (tuple(cast_to(each, STRING) for each in arguments), result)


def _with_constant_text(name: str, arguments: tuple[Expr, ...]) -> tuple[tuple[Expr, ...], DataType]:
    if not isinstance(arguments[1], Literal):
        raise InvalidExpression(f"The second argument of {name} must be a constant, not {arguments[1]}.")
    return (cast_to(arguments[0], STRING), cast_to(arguments[1], STRING)), BOOLEAN


def _text_or_bytes(_name: str, arguments: tuple[Expr, ...]) -> tuple[tuple[Expr, ...], DataType]:
    data_type = type_of(arguments[0])
    is_bytes = data_type is not None and family(data_type) == "binary"
    return (arguments if is_bytes else (cast_to(arguments[0], STRING),)), INT


def _pad_arguments(name: str, arguments: tuple[Expr, ...]) -> tuple[tuple[Expr, ...], DataType]:
    text, length, *filler = arguments
    if not isinstance(length, Literal) or not isinstance(length.value, int) or length.value < 0:
        raise InvalidExpression(f"The length of {name} must be a constant whole number, not {length}.")
    filling = cast_to(filler[0], STRING) if filler else Literal(" ", STRING)
    if not isinstance(filling, Literal) or filling.value is None or len(filling.value) != 1:
        raise InvalidExpression(f"The text with which {name} pads must be one character, not {filling}.")
    return (cast_to(text, STRING), length, filling), STRING


def _pad(values: Sequence[Any]) -> Any:
    text, length, filling = values
    filled = pc.utf8_rpad(text, length.as_py(), filling.as_py())
    return pc.utf8_slice_codeunits(filled, 0, length.as_py())


def _substring_arguments(name: str, arguments: tuple[Expr, ...]) -> tuple[tuple[Expr, ...], DataType]:
    for each in arguments[1:]:
        if not isinstance(each, Literal) or not isinstance(each.value, int):
            raise InvalidExpression(f"Position and length of {name} must be constant whole numbers, not {each}.")
    return (cast_to(arguments[0], STRING), *arguments[1:]), STRING


def _one_number(name: str, arguments: tuple[Expr, ...]) -> tuple[tuple[Expr, ...], DataType]:
    data_type = type_of(arguments[0])
    if data_type is None or not is_numeric(data_type):
        raise InvalidExpression(f"{name} expects a number, not {arguments[0]}.")
    return arguments, data_type


def _of_moment(*, with_clock: bool) -> _Bind:
    fallback = AtomicType("TIMESTAMP_LTZ", precision=6) if with_clock else AtomicType("DATE")
    allowed = ("timestamp", "timestamp_ltz") if with_clock else ("date", "timestamp", "timestamp_ltz")

    def bind(_name: str, arguments: tuple[Expr, ...]) -> tuple[tuple[Expr, ...], DataType]:
        data_type = type_of(arguments[0])
        fits = data_type is not None and family(data_type) in allowed
        return (arguments if fits else (cast_to(arguments[0], fallback),)), INT

    return bind


def _common_type_arguments(name: str, arguments: tuple[Expr, ...]) -> tuple[tuple[Expr, ...], DataType]:
    target = shared_type(name, arguments)
    assert target is not None
    return tuple(cast_to(each, target) for each in arguments), target


def _elements(name: str, arguments: tuple[Expr, ...]) -> tuple[tuple[Expr, ...], DataType]:
    target = shared_type(name, arguments) or STRING
    return tuple(cast_to(each, target) for each in arguments), ArrayType(target)


def shared_type(name: str, arguments: Sequence[Expr]) -> DataType | None:
    """Return the common type of several values; None if all are NULL.

    Raises:
        InvalidExpression: If there is none.
    """
    shared: DataType | None = None
    for each in arguments:
        data_type = type_of(each)
        if data_type is None:
            continue
        meeting = data_type.as_nullable() if shared is None else common_type(shared, data_type)
        if meeting is None:
            raise InvalidExpression(f"{name} mixes {shared} with {data_type.as_nullable()}.", "Cast one of them.")
        shared = meeting
    return shared


def _local(values: Any) -> Any:
    return instant_to_local(values) if pa.types.is_timestamp(values.type) and values.type.tz else values


def _moment_part(kernel: Callable[[Any], Any]) -> Callable[[Sequence[Any]], Any]:
    return lambda arguments: kernel(_local(arguments[0]))


def _constant_text(kernel: Callable[[Any, str], Any]) -> Callable[[Sequence[Any]], Any]:
    def run(arguments: Sequence[Any]) -> Any:
        text = arguments[1].as_py()
        if text is None:
            return pc.if_else(pc.is_null(arguments[0]), pa.scalar(None, pa.bool_()), pa.scalar(None, pa.bool_()))
        return kernel(arguments[0], text)

    return run


def _substring(arguments: Sequence[Any]) -> Any:
    """Return ``substring(text, position, length)``: positions count from 1, negative ones from the end (Spark)."""
    position = arguments[1].as_py()
    length = arguments[2].as_py() if len(arguments) > 2 else None
    start = position - 1 if position > 0 else position
    stop = None if length is None else start + max(length, 0)
    if start < 0 and stop is not None and stop >= 0:
        stop = None
    if length is not None and length <= 0:
        stop = start
    return pc.utf8_slice_codeunits(arguments[0], start, stop)


def _length(arguments: Sequence[Any]) -> Any:
    values = arguments[0]
    return pc.binary_length(values) if pa.types.is_binary(values.type) else pc.utf8_length(values)


def _first(kernel: Callable[[Any], Any]) -> Callable[[Sequence[Any]], Any]:
    return lambda arguments: kernel(arguments[0])


def _spaces(kernel: Callable[..., Any]) -> Callable[[Sequence[Any]], Any]:
    return lambda arguments: kernel(arguments[0], characters=" ")


FUNCTIONS: dict[str, Spec] = {
    "lower": Spec(1, 1, _texts(STRING), _first(pc.utf8_lower)),
    "upper": Spec(1, 1, _texts(STRING), _first(pc.utf8_upper)),
    "trim": Spec(1, 1, _texts(STRING), _spaces(pc.utf8_trim)),
    "ltrim": Spec(1, 1, _texts(STRING), _spaces(pc.utf8_ltrim)),
    "rtrim": Spec(1, 1, _texts(STRING), _spaces(pc.utf8_rtrim)),
    "length": Spec(1, 1, _text_or_bytes, _length),
    "concat": Spec(
        1, _MANY, _texts(STRING), lambda values: pc.binary_join_element_wise(*values, "", null_handling="emit_null")
    ),
    "rpad": Spec(2, 3, _pad_arguments, _pad),
    "substring": Spec(2, 3, _substring_arguments, _substring),
    "startswith": Spec(2, 2, _with_constant_text, _constant_text(lambda text, part: pc.starts_with(text, part))),
    "endswith": Spec(2, 2, _with_constant_text, _constant_text(lambda text, part: pc.ends_with(text, part))),
    "contains": Spec(2, 2, _with_constant_text, _constant_text(lambda text, part: pc.match_substring(text, part))),
    "abs": Spec(1, 1, _one_number, _first(pc.abs_checked)),
    "coalesce": Spec(1, _MANY, _common_type_arguments, lambda values: pc.coalesce(*values)),
    "year": Spec(1, 1, _of_moment(with_clock=False), _moment_part(pc.year)),
    "quarter": Spec(1, 1, _of_moment(with_clock=False), _moment_part(pc.quarter)),
    "month": Spec(1, 1, _of_moment(with_clock=False), _moment_part(pc.month)),
    "day": Spec(1, 1, _of_moment(with_clock=False), _moment_part(pc.day)),
    "dayofweek": Spec(
        1,
        1,
        _of_moment(with_clock=False),
        _moment_part(lambda values: pc.day_of_week(values, count_from_zero=False, week_start=7)),
    ),
    "dayofyear": Spec(1, 1, _of_moment(with_clock=False), _moment_part(pc.day_of_year)),
    "hour": Spec(1, 1, _of_moment(with_clock=True), _moment_part(pc.hour)),
    "minute": Spec(1, 1, _of_moment(with_clock=True), _moment_part(pc.minute)),
    "second": Spec(1, 1, _of_moment(with_clock=True), _moment_part(pc.second)),
    "named_struct": Spec(2, _MANY, struct_arguments, build_struct),
    "array": Spec(1, _MANY, _elements, build_array),
}
