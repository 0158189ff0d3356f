"""Alibaba Cloud OSS as a file system of fsspec; the one that fsspec names has no conditional writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import alibabacloud_oss_v2 as oss
from fsspec.spec import AbstractBufferedFile, AbstractFileSystem

from workbench.storage.stores.watched import repeat_while_busy

# The codes of objects that do not exist, and of those that exist although a write forbids that.
_MISSING = {"NoSuchKey", "SymlinkTargetNotExist"}
_EXISTS = "FileAlreadyExists"
_PAGE = 1000
_NOT_FOUND, _BEYOND_THE_END = 404, 416


class OssFiles(AbstractFileSystem):  # type: ignore[misc]
    """Buckets of OSS. Paths are ``bucket/key``.

    Args:
        client: The client of the service.
    """

    protocol = "oss"
    cachable = False  # codespell:ignore cachable

    def __init__(self, client: oss.Client) -> None:
        super().__init__(use_listings_cache=False)
        self.client = client

    def split_path(self, path: str) -> tuple[str, str]:
        """Return the bucket and the key of a path."""
        bucket, _, key = self._strip_protocol(path).partition("/")
        return bucket, key

    def is_versioned(self, path: str) -> bool:
        """Return whether the bucket keeps old versions of objects, so that it ignores the condition of writes."""
        bucket, _ = self.split_path(path)
        answer = self.send("get_bucket_versioning", oss.GetBucketVersioningRequest(bucket=bucket), path)
        return bool(answer.version_status)

    def send(self, operation: str, request: Any, path: str) -> Any:
        """Return the answer to a request.

        Raises:
            FileNotFoundError: There is no such object.
            FileExistsError: The request forbids that there is one.
        """
        try:
            return getattr(self.client, operation)(request)
        except oss.exceptions.OperationError as error:
            failed = error
        # Raised in the handler, the cause would lose the errors that it was raised from.
        cause = _cause(failed)
        code = getattr(cause, "code", None)
        if code in _MISSING or (getattr(cause, "status_code", 0) == _NOT_FOUND and code != "NoSuchBucket"):
            raise FileNotFoundError(path)
        if code == _EXISTS:
            raise FileExistsError(path)
        raise cause

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """Return the size, time and type of an object or of a prefix."""
        bucket, key = self.split_path(path)
        if key:
            with suppress(FileNotFoundError):
                found = self.send("head_object", oss.HeadObjectRequest(bucket=bucket, key=key), path)
                return _file(f"{bucket}/{key}", found.content_length, found.last_modified, found.etag)
        prefix = f"{key.rstrip('/')}/" if key else ""
        if key and not any(self._pages(bucket, prefix, "", 1)):
            raise FileNotFoundError(path)
        return {"name": f"{bucket}/{key}".rstrip("/"), "type": "directory", "size": 0}

    def ls(self, path: str, detail: bool = True, prefix: str = "", **_: Any) -> list[Any]:
        """Return the objects and prefixes directly below a path."""
        bucket, key = self.split_path(path)
        below = f"{key.rstrip('/')}/{prefix}" if key else prefix
        entries = list(self._pages(bucket, below, "/", _PAGE))
        return entries if detail else [each["name"] for each in entries]

    def find(self, path: str, *, detail: bool = False, prefix: str = "", **_: Any) -> Any:
        """Return all objects below a path, or only those whose names begin with ``prefix``."""
        bucket, key = self.split_path(path)
        below = f"{key.rstrip('/')}/{prefix}" if key else prefix
        entries = {each["name"]: each for each in self._pages(bucket, below, "", _PAGE)}
        return entries if detail else sorted(entries)

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **_: Any) -> bytes:
        """Return the bytes of an object, or of a range of it."""
        bucket, key = self.split_path(path)
        given = {} if start is None else {"range_header": f"bytes={start}-{'' if end is None else end - 1}"}
        try:
            found = self.send("get_object", oss.GetObjectRequest(bucket=bucket, key=key, **given), path)
        except oss.exceptions.ServiceError as error:
            if error.status_code == _BEYOND_THE_END:
                return b""
            raise
        return bytes(found.body.read())

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **_: Any) -> None:
        """Write an object; with mode ``create``, only if there is none."""
        bucket, key = self.split_path(path)
        # The slash at the end of a path marks a directory.
        key += "/" if path.endswith("/") and not key.endswith("/") else ""
        forbids = {"forbid_overwrite": True} if mode == "create" else {}
        self.send("put_object", oss.PutObjectRequest(bucket=bucket, key=key, body=value, **forbids), path)

    def cp_file(self, path1: str, path2: str, **_: Any) -> None:
        """Copy an object."""
        source_bucket, source_key = self.split_path(path1)
        bucket, key = self.split_path(path2)
        source = {"source_bucket": source_bucket, "source_key": source_key}
        self.send("copy_object", oss.CopyObjectRequest(bucket=bucket, key=key, **source), path1)

    def rm_file(self, path: str) -> None:
        """Delete an object; OSS does not report whether it existed."""
        bucket, key = self.split_path(path)
        self.send("delete_object", oss.DeleteObjectRequest(bucket=bucket, key=key), path)

    def rm(self, path: str, recursive: bool = False, **_: Any) -> None:
        """Delete an object, or all objects below a path."""
        bucket = self.split_path(path)[0]
        names = self.find(path) if recursive else [self._strip_protocol(path)]
        for start in range(0, len(names), _PAGE):
            keys = [oss.DeleteObject(key=each.partition("/")[2]) for each in names[start : start + _PAGE]]
            request = oss.DeleteMultipleObjectsRequest(bucket=bucket, objects=keys, quiet=True)
            self.send("delete_multiple_objects", request, path)

    def delete_marker(self, path: str) -> None:
        """Delete the empty object that marks a directory."""
        bucket, key = self.split_path(path)
        self.send("delete_object", oss.DeleteObjectRequest(bucket=bucket, key=f"{key}/"), path)

    def _open(self, path: str, mode: str = "rb", **named: Any) -> OssFile:
        return OssFile(self, path, mode, **named)

    def _pages(self, bucket: str, prefix: str, delimiter: str, page: int) -> Iterator[dict[str, Any]]:
        token = None
        while True:
            request = oss.ListObjectsV2Request(
                bucket=bucket, prefix=prefix, delimiter=delimiter or None, max_keys=page, continuation_token=token
            )
            answer = self.send("list_objects_v2", request, f"{bucket}/{prefix}")
            for each in answer.contents or ():
                yield _file(f"{bucket}/{each.key}", each.size, each.last_modified, each.etag)
            for each in answer.common_prefixes or ():
                yield {"name": f"{bucket}/{each.prefix.rstrip('/')}", "type": "directory", "size": 0}
            token = answer.next_continuation_token
            if not answer.is_truncated:
                return


class OssFile(AbstractBufferedFile):  # type: ignore[misc]
    """An object that is read in ranges, or written in parts."""

    def _fetch_range(self, start: int, end: int) -> bytes:
        content: bytes = self.fs.cat_file(self.path, start, end)
        return content

    def _initiate_upload(self) -> None:
        bucket, key = self.fs.split_path(self.path)
        self._parts: list[oss.UploadPart] = []
        request = oss.InitiateMultipartUploadRequest(bucket=bucket, key=key)
        begun = self.fs.send("initiate_multipart_upload", request, self.path)
        self._upload = {"bucket": bucket, "key": key, "upload_id": begun.upload_id}

    def _upload_chunk(self, final: bool = False) -> bool:
        number = len(self._parts) + 1
        request = oss.UploadPartRequest(**self._upload, part_number=number, body=self.buffer.getvalue())
        # The service knows the number of the part, so that it never has it twice.
        sent = repeat_while_busy(lambda: self.fs.send("upload_part", request, self.path))
        self._parts.append(oss.UploadPart(part_number=number, etag=sent.etag))
        if final:
            parts = oss.CompleteMultipartUpload(parts=self._parts)
            whole = oss.CompleteMultipartUploadRequest(**self._upload, complete_multipart_upload=parts)
            self.fs.send("complete_multipart_upload", whole, self.path)
        return True

    def discard(self) -> None:
        """Remove the parts that were sent."""
        if self.offset is not None:
            self.fs.send("abort_multipart_upload", oss.AbortMultipartUploadRequest(**self._upload), self.path)


def _file(name: str, size: int | None, modified: Any, etag: str | None) -> dict[str, Any]:
    return {"name": name, "type": "file", "size": size or 0, "last_modified": modified, "etag": etag}


def _cause(error: BaseException) -> BaseException:
    """Return the error of the service or of the network inside those of the client."""
    inner = getattr(error, "unwrap", lambda: None)()
    return _cause(inner) if isinstance(inner, BaseException) else error
