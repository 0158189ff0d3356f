"""A fake of Alibaba Cloud OSS on the port of the argument: the requests that the library sends, with buckets in paths.

It is written from the documentation of the service, and says nothing about the service itself.
"""

from __future__ import annotations

import hashlib
import sys
import threading
import uuid
from datetime import UTC, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.etree import ElementTree
from xml.sax.saxutils import escape

_objects: dict[str, dict[str, tuple[bytes, datetime]]] = {}
_uploads: dict[str, dict[int, bytes]] = {}
_lock = threading.RLock()


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    protocol_version = "HTTP/1.1"
    # Otherwise the operating system delays the end of an answer by 40 ms.
    disable_nagle_algorithm = True

    def _answer(self) -> None:
        parts = urlsplit(self.path)
        bucket, _, key = unquote(parts.path).lstrip("/").partition("/")
        query = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with _lock:
            if bucket not in _objects and not (self.command == "PUT" and not key):
                self._refuse(404, "NoSuchBucket")
            else:
                getattr(self, f"_{self.command.lower()}")(bucket, key, query, body)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _answer  # noqa: N815

    def _put(self, bucket: str, key: str, query: dict[str, str], body: bytes) -> None:
        if not key:
            _objects.setdefault(bucket, {})
            return self._send(200)
        if "uploadId" in query:
            _uploads[query["uploadId"]][int(query["partNumber"])] = body
            return self._send(200, headers={"ETag": _etag(body)})
        if self.headers.get("x-oss-forbid-overwrite", "").lower() == "true" and key in _objects[bucket]:
            return self._refuse(409, "FileAlreadyExists")
        source = self.headers.get("x-oss-copy-source")
        if source is not None:
            source_bucket, _, source_key = unquote(source).lstrip("/").partition("/")
            if source_key not in _objects.get(source_bucket, {}):
                return self._refuse(404, "NoSuchKey")
            body = _objects[source_bucket][source_key][0]
        _objects[bucket][key] = (body, datetime.now(UTC))
        copied = f"<CopyObjectResult><ETag>{_etag(body)}</ETag></CopyObjectResult>" if source is not None else ""
        return self._send(200, copied.encode(), {"ETag": _etag(body)})

    def _get(self, bucket: str, key: str, query: dict[str, str], body: bytes) -> None:  # noqa: ARG002
        if "versioning" in query:
            return self._send(200, b"<VersioningConfiguration></VersioningConfiguration>")
        if "uploads" in query:
            return self._send(200, "".join(f"<UploadId>{each}</UploadId>" for each in _uploads).encode())
        if not key:
            return self._list(bucket, query)
        if key not in _objects[bucket]:
            return self._refuse(404, "NoSuchKey")
        content, modified = _objects[bucket][key]
        headers = {"ETag": _etag(content), "Last-Modified": format_datetime(modified, usegmt=True)}
        asked = self.headers.get("Range")
        if asked is None:
            return self._send(200, content, headers)
        first, _, last = asked.removeprefix("bytes=").partition("-")
        if int(first) >= len(content):
            return self._refuse(416, "InvalidRange")
        return self._send(206, content[int(first) : int(last) + 1 if last else None], headers)

    _head = _get

    def _list(self, bucket: str, query: dict[str, str]) -> None:
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        most, after = int(query.get("max-keys", 100)), query.get("continuation-token", "")
        entries: dict[str, str] = {}
        for key in sorted(_objects[bucket]):
            if key.startswith(prefix):
                rest, found, _ = key[len(prefix) :].partition(delimiter) if delimiter else (key, "", "")
                entries.setdefault(f"{prefix}{rest}{delimiter}" if found else key, "prefix" if found else "object")
        names = [each for each in entries if each > after]
        page = names[:most]
        text = "".join(self._entry(bucket, each, entries[each]) for each in page)
        is_truncated = len(names) > len(page)
        following = f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if is_truncated else ""
        flag = f"<IsTruncated>{str(is_truncated).lower()}</IsTruncated><EncodingType>url</EncodingType>"
        self._send(200, f"<ListBucketResult>{flag}{following}{text}</ListBucketResult>".encode())

    def _entry(self, bucket: str, name: str, kind: str) -> str:
        shown = escape(quote(name))
        if kind == "prefix":
            return f"<CommonPrefixes><Prefix>{shown}</Prefix></CommonPrefixes>"
        content, modified = _objects[bucket][name]
        time = modified.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        facts = f"<Size>{len(content)}</Size><ETag>{_etag(content)}</ETag><LastModified>{time}</LastModified>"
        return f"<Contents><Key>{shown}</Key>{facts}</Contents>"

    def _post(self, bucket: str, key: str, query: dict[str, str], body: bytes) -> None:
        if "delete" in query:
            for each in ElementTree.fromstring(body).iter("Key"):
                _objects[bucket].pop(each.text or "", None)
            return self._send(200, b"<DeleteResult></DeleteResult>")
        if "uploads" in query:
            upload = uuid.uuid4().hex
            _uploads[upload] = {}
            begun = f"<UploadId>{upload}</UploadId>"
            return self._send(200, f"<InitiateMultipartUploadResult>{begun}</InitiateMultipartUploadResult>".encode())
        parts = _uploads.pop(query["uploadId"])
        _objects[bucket][key] = (b"".join(parts[number] for number in sorted(parts)), datetime.now(UTC))
        return self._send(200, b"<CompleteMultipartUploadResult></CompleteMultipartUploadResult>")

    def _delete(self, bucket: str, key: str, query: dict[str, str], body: bytes) -> None:  # noqa: ARG002
        if "uploadId" in query:
            _uploads.pop(query["uploadId"], None)
        else:
            _objects[bucket].pop(key, None)
        self._send(204)

    def _refuse(self, status: int, code: str) -> None:
        self._send(status, f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode())

    def _send(self, status: int, content: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"x-oss-request-id": "fake", "Content-Type": "application/xml", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


def _etag(content: bytes) -> str:
    return f'"{hashlib.md5(content, usedforsecurity=False).hexdigest().upper()}"'


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
