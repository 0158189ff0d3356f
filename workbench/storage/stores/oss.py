"""Alibaba Cloud OSS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from workbench.storage.stores.object_store import ObjectStoreFileIO
from workbench.storage.stores.options import Arguments, StoreOption, argument, arguments_of, is_true
from workbench.storage.stores.watched import Endpoint

OSS_PREFIXES = ("fs.oss.",)
OSS_OPTIONS = (
    StoreOption(("endpoint",), "The address of the server", argument("endpoint")),
    StoreOption(("region",), "The region, if it is not part of the address", argument("region")),
    StoreOption(("accessKeyId",), "The access key", argument("key")),
    StoreOption(("accessKeySecret",), "The secret key", argument("secret")),
    StoreOption(("securityToken",), "The token of temporary credentials", argument("token")),
    StoreOption(("path.style.access",), "`true` for buckets in the path of the URL", argument("path_style")),
)


class OssFileIO(ObjectStoreFileIO):
    """OSS. Its condition of writes has no effect in buckets that keep versions."""

    def put_if_absent(self, path: str, data: bytes) -> bool:
        """Create a complete file if there is none."""
        if self._checks_versions:
            self._checks_versions = False
            self.supports_put_if_absent = not self._files.is_versioned(path)
        return super().put_if_absent(path, data)

    _checks_versions = True

    def _delete_marker(self, path: str) -> None:
        self._files.delete_marker(path)


def oss_arguments(options: Mapping[str, str]) -> Arguments:
    """Return the arguments of `oss_files` for the options of Paimon."""
    return arguments_of(OSS_OPTIONS, OSS_PREFIXES, options)


def oss_files(arguments: Arguments) -> Any:
    """Return the file system; its client sends each request once, because `WatchedFileSystem` repeats them."""
    import alibabacloud_oss_v2 as oss

    from workbench.storage.stores.oss_files import OssFiles

    config = oss.config.load_default()
    config.endpoint = arguments.get("endpoint")
    config.region = arguments.get("region") or _region(config.endpoint or "")
    config.use_path_style = is_true(arguments.get("path_style", "false"))
    config.retryer = oss.retry.NopRetryer()
    config.credentials_provider = _credentials(oss, arguments)
    return OssFiles(oss.Client(config))


def _credentials(oss: Any, arguments: Arguments) -> Any:
    if "key" in arguments:
        return oss.credentials.StaticCredentialsProvider(
            arguments["key"], arguments.get("secret", ""), arguments.get("token")
        )
    return oss.credentials.EnvironmentVariableCredentialsProvider()


def _region(endpoint: str) -> str:
    """Return the region in ``oss-cn-hangzhou.aliyuncs.com``, with or without ``-internal``."""
    host = urlsplit(endpoint if "://" in endpoint else f"//{endpoint}").hostname or ""
    first = host.split(".")[0]
    return first.removeprefix("oss-").removesuffix("-internal") if first.startswith("oss-") else "cn-hangzhou"


def oss_file_io(file_system: Any, arguments: Arguments) -> OssFileIO:  # noqa: ARG001
    """Return the storage."""
    return OssFileIO(file_system)


def oss_endpoint(file_system: Any, arguments: Arguments) -> Endpoint:  # noqa: ARG001
    """Return the server of the option, or of the region."""
    given = arguments.get("endpoint") or f"oss-{arguments.get('region', 'cn-hangzhou')}.aliyuncs.com"
    url = given if "://" in given else f"https://{given}"
    return Endpoint(urlsplit(url).netloc, url)
