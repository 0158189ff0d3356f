"""The definition of an endpoint: a path, a typed request, the type of the answer, and how the worker reads it.

Both the server and its worker import the endpoints. Only the worker may load code that reads tables, so
`Endpoint.value` and `Endpoint.read` import it when they are called.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

from workbench.server.protocol import Answer, Workbench

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs

RequestType = TypeVar("RequestType")
Fact = int | str | None
Facts = list[Fact]
Method = Literal["GET", "POST", "DELETE"]


@dataclass(frozen=True)
class Reading:
    """An answer that has been prepared but not read yet.

    ``facts`` identify the answer; None if they are unknown. A client that has an answer with the same facts gets 304.
    ``is_lasting`` returns whether an answer depends only on the facts; an answer that reports a damaged file does not,
    because the file may be repaired.
    """

    collect: Callable[[], object]
    facts: tuple[Facts, ...] | None = None
    status: HTTPStatus = HTTPStatus.OK
    is_lasting: Callable[[Any], bool] = lambda _: True


class Client(Protocol):
    """The client of one request, as `Endpoint.handle` sees it."""

    @property
    def workbench(self) -> Workbench:
        """The server extension."""
        ...

    async def ask_worker(self) -> Answer:
        """Return the worker's answer to the request; the worker stops if the client disconnects."""
        ...


async def ask_worker(_request: Any, client: Client) -> Answer:
    """Answer a request with what the worker reads."""
    return await client.ask_worker()


@dataclass(frozen=True)
class Endpoint(Generic[RequestType]):
    """An endpoint of the server.

    Args:
        name: The name of the endpoint in the server, the worker and the browser.
        path: The path below ``paimon-workbench/`` with ``{field}`` for fields of the request; the other fields come
            from the query, or from the body of a POST. None if only the server itself sends the request.
        request: The dataclass of its requests.
        value: Imports and returns the type of its answer: a dataclass, or NoneType if the answer is empty.
        read: Prepares the answer in the worker; None if the server answers without the worker.
        method: The HTTP method.
        handle: Answers a request in the server, by default by asking the worker.
    """

    name: str
    path: str | None
    request: type[RequestType]
    value: Callable[[], Any]
    read: Callable[[RequestType, OpenCatalogs], Reading] | None
    method: Method = "GET"
    handle: Callable[[RequestType, Client], Awaitable[Answer]] = ask_worker
