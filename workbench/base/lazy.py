"""Attributes and modules that are computed or loaded when they are first read."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class cached_property(Generic[Value]):  # noqa: N801 - named like the one of functools
    """Compute an attribute once per instance, like `functools.cached_property` does since Python 3.12.

    In Python 3.11, `functools.cached_property` holds one lock for all instances of a class while it computes. In this
    library, such values are read from files: with that lock, a scan would open its files one after the other.

    Two threads that read the attribute of the same instance at the same time may both compute it; both results must be
    equal.
    """

    def __init__(self, function: Callable[[Any], Value]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> cached_property[Value]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...

    def __get__(self, instance: object | None, owner: type) -> cached_property[Value] | Value:
        if instance is None:
            return self
        value = self._function(instance)
        instance.__dict__[self._name] = value
        return value


class LazyModule(ModuleType):
    """Stand-in for a module, which is imported when an attribute is first read. Further reads of an attribute are as
    fast as on the module itself."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self.__name__), name)
        setattr(self, name, value)
        return value
