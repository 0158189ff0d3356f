"""Amazon S3 and storages with its protocol."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from workbench.base.errors import CatalogError
from workbench.storage.stores.object_store import ObjectStoreFileIO, Page
from workbench.storage.stores.options import (
    Arguments,
    HadoopFileSystem,
    StoreOption,
    argument,
    arguments_of,
    hadoop_options,
    is_true,
)
from workbench.storage.stores.watched import Endpoint

# Paimon reads each S3 option under three prefixes; Hadoop's own spelling is last, as the most general.
S3_PREFIXES = ("s3.", "s3a.", "fs.s3a.")
_ROLE, _PROVIDER = "fs.s3a.assumed.role.arn", "fs.s3a.aws.credentials.provider"
_TOKENS = "fs.s3a.assumed.role.sts.endpoint"
_ROLES = "org.apache.hadoop.fs.s3a.auth"
# Hadoop's durations; without a unit, they are seconds.
_DURATION = re.compile(r"(?P<number>\d+)(?P<unit>[smhd]?)")
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}


class S3FileIO(ObjectStoreFileIO):
    """S3 behind s3fs."""

    def read_bytes(self, path: str) -> bytes:
        """Read the whole file in one request; s3fs would request its size first, to read parts at the same time."""
        return bytes(self._files.cat_file(path, max_concurrency=1))

    def _pages(self, path: str, prefix: str) -> Iterator[Page]:
        """List a directory in one request for 1,000 names; s3fs would also list its parent if there are none."""
        bucket, key, _ = self._files.split_path(path)
        if not bucket:
            yield from super()._pages(path, prefix)
            return
        given = {"Bucket": bucket, "Prefix": f"{key}/{prefix}" if key else prefix, "Delimiter": "/"}
        list_page = partial(self._files.inner.call_s3, "list_objects_v2")
        token = None
        while token or "ContinuationToken" not in given:
            page = self._files.request(partial(list_page, **given), path)
            token = given["ContinuationToken"] = page.get("NextContinuationToken")
            files = page.get("Contents", ())
            directories = page.get("CommonPrefixes", ())
            yield (
                [
                    *({**each, "name": f"{bucket}/{each['Key']}", "size": each["Size"]} for each in files),
                    *({"name": f"{bucket}/{each['Prefix']}", "type": "directory"} for each in directories),
                ],
                not token,
            )

    def _put_marker(self, path: str) -> None:
        self._request("put_object", path, Body=b"")

    def _delete_marker(self, path: str) -> None:
        self._request("delete_object", path)

    def _request(self, method: str, path: str, **given: Any) -> None:
        # Methods of s3fs drop the slash at the end of a path.
        bucket, key, _ = self._files.split_path(path)
        if key:
            self._files.call_s3(method, Bucket=bucket, Key=f"{key}/", **given)


def s3_file_io(file_system: Any, arguments: Arguments) -> S3FileIO:
    """Return the storage; servers other than Amazon's may ignore the condition of a write."""
    return S3FileIO(file_system, verify_condition="endpoint_url" in arguments)


def s3_endpoint(file_system: Any, arguments: Arguments) -> Endpoint:  # noqa: ARG001
    """Return the server: Amazon's, or the one of the option."""
    url = arguments.get("endpoint_url", "https://s3.amazonaws.com")
    return Endpoint(urlsplit(url).netloc, url)


def _put_path_style(arguments: Arguments, value: str) -> None:
    argument("config_kwargs", "s3", "addressing_style")(arguments, "path" if is_true(value) else "virtual")


def _put_duration(arguments: Arguments, value: str) -> None:
    match = _DURATION.fullmatch(value.strip().lower())
    if match is None:
        raise CatalogError(
            f"Option 'assumed.role.session.duration' cannot be '{value}'.", "Write seconds, or a time such as 30m."
        )
    argument("role", "DurationSeconds")(arguments, int(match["number"]) * _UNITS[match["unit"]])


def _put_proxy(arguments: Arguments, value: str) -> None:
    proxies = {"http": f"http://{value}", "https": f"http://{value}"}
    argument("config_kwargs", "proxies")(arguments, proxies)


def _put_proxy_port(arguments: Arguments, value: str) -> None:
    proxies = arguments.get("config_kwargs", {}).get("proxies", {})
    proxies.update({kind: f"{address}:{value}" for kind, address in proxies.items()})


S3_OPTIONS = (
    StoreOption(
        ("endpoint",),
        "The address of the server, with or without `https://`",
        argument("endpoint_url"),
        hadoop="fs.s3a.endpoint",
    ),
    StoreOption(
        ("connection.ssl.enabled",),
        "`false` for `http:` if the address has no scheme",
        argument("use_ssl"),
        hadoop="fs.s3a.connection.ssl.enabled",
    ),
    StoreOption(
        ("endpoint.region", "region"),
        "The region of the bucket",
        argument("client_kwargs", "region_name"),
        hadoop="fs.s3a.endpoint.region",
    ),
    StoreOption(("access-key", "access.key"), "The access key", argument("key"), hadoop="fs.s3a.access.key"),
    StoreOption(("secret-key", "secret.key"), "The secret key", argument("secret"), hadoop="fs.s3a.secret.key"),
    StoreOption(
        ("session.token", "session-token"),
        "The token of temporary credentials",
        argument("token"),
        hadoop="fs.s3a.session.token",
    ),
    StoreOption(("profile",), "A profile of `~/.aws/config`, which may assume a role", argument("profile")),
    StoreOption(
        ("aws.credentials.provider",),
        "`…AnonymousAWSCredentialsProvider` for requests without a key, `…AssumedRoleCredentialProvider` for a role",
        argument("provider"),
        hadoop=_PROVIDER,
    ),
    StoreOption(
        ("assumed.role.arn",),
        "A role to assume with the credentials",
        argument("role", "RoleArn"),
        hadoop=_ROLE,
    ),
    StoreOption(
        ("assumed.role.session.name",),
        "The name of the role's sessions in logs",
        argument("role", "RoleSessionName"),
        hadoop="fs.s3a.assumed.role.session.name",
    ),
    StoreOption(
        ("assumed.role.session.duration",),
        "How long a session lasts, such as `30m`",
        _put_duration,
        hadoop="fs.s3a.assumed.role.session.duration",
    ),
    StoreOption(
        ("assumed.role.external.id",),
        "The id that the role requires",
        argument("role", "ExternalId"),
        hadoop="fs.s3a.assumed.role.external.id",
    ),
    StoreOption(
        ("assumed.role.policy",),
        "A policy in JSON that restricts the role",
        argument("role", "Policy"),
        hadoop="fs.s3a.assumed.role.policy",
    ),
    StoreOption(
        ("assumed.role.sts.endpoint",),
        "The address of the token service",
        argument("sts", "endpoint_url"),
        hadoop=_TOKENS,
    ),
    StoreOption(
        ("assumed.role.sts.endpoint.region",),
        "The region of the token service",
        argument("sts", "region_name"),
        hadoop="fs.s3a.assumed.role.sts.endpoint.region",
    ),
    StoreOption(
        ("path.style.access", "path-style-access"),
        "`true` for buckets in the path of the URL",
        _put_path_style,
        hadoop="fs.s3a.path.style.access",
    ),
    StoreOption(("proxy.host",), "The host of a proxy", _put_proxy, hadoop="fs.s3a.proxy.host"),
    StoreOption(("proxy.port",), "The port of the proxy", _put_proxy_port, hadoop="fs.s3a.proxy.port"),
    StoreOption(
        ("ssl.ca-bundle",), "A file with the certificates of a private CA", argument("client_kwargs", "verify")
    ),
)


def s3_arguments(options: Mapping[str, str]) -> Arguments:
    """Return the arguments of s3fs for Paimon's options, in all spellings."""
    arguments = _finished(arguments_of(S3_OPTIONS, S3_PREFIXES, options))
    provider = arguments.pop("provider", "")
    if "Anonymous" in provider:
        arguments["anon"] = True
    if provider and "AssumedRole" not in provider:
        # As in Hadoop, where the provider decides whether the options of a role matter.
        arguments.pop("role", None)
    return arguments


def s3_hadoop(options: Mapping[str, str]) -> HadoopFileSystem:
    """Return S3A, which is Hadoop's file system for S3."""
    found, missing = hadoop_options(S3_OPTIONS, S3_PREFIXES, options)
    if _ROLE in found:
        found.setdefault(_PROVIDER, f"{_ROLES}.AssumedRoleCredentialProvider")
    if _TOKENS in found:
        # Hadoop adds the scheme itself.
        found[_TOKENS] = found[_TOKENS].removeprefix("https://")
        missing += [_TOKENS] if "://" in found[_TOKENS] else []
    return HadoopFileSystem("s3a", found, missing)


def s3_files(arguments: Arguments) -> Any:
    """Return the file system. Credentials other than keys in the options are looked up again when they expire."""
    # Loads the client.
    from workbench.storage.stores.s3_files import open_s3_files

    return open_s3_files(arguments)


def obs_arguments(options: Mapping[str, str]) -> Arguments:
    """Return the arguments of s3fs for the options of Huawei's OBS, which has the protocol of S3."""
    return _finished(arguments_of(OBS_OPTIONS, OBS_PREFIXES, options))


def cos_arguments(options: Mapping[str, str]) -> Arguments:
    """Return the arguments of s3fs for the options of Tencent's COS, which has the protocol of S3."""
    arguments = _finished(arguments_of(COS_OPTIONS, COS_PREFIXES, options))
    region = arguments.get("client_kwargs", {}).get("region_name")
    if region and "endpoint_url" not in arguments:
        arguments["endpoint_url"] = f"https://cos.{region}.myqcloud.com"
    return arguments


OBS_PREFIXES = ("fs.obs.",)
OBS_OPTIONS = (
    StoreOption(("endpoint",), "The address of the server", argument("endpoint_url")),
    StoreOption(("access.key",), "The access key", argument("key")),
    StoreOption(("secret.key",), "The secret key", argument("secret")),
    StoreOption(("session.token",), "The token of temporary credentials", argument("token")),
)
COS_PREFIXES = ("fs.cosn.",)
COS_OPTIONS = (
    StoreOption(("bucket.region", "userinfo.region"), "The region", argument("client_kwargs", "region_name")),
    StoreOption(("bucket.endpoint_suffix",), "The address of the server", argument("endpoint_url")),
    StoreOption(("userinfo.secretId",), "The access key", argument("key")),
    StoreOption(("userinfo.secretKey",), "The secret key", argument("secret")),
    StoreOption(("userinfo.sessionToken",), "The token of temporary credentials", argument("token")),
)


def _finished(arguments: Arguments) -> Arguments:
    """Return the arguments with the scheme of the address, and without repetition by botocore."""
    encrypted = is_true(arguments.pop("use_ssl", "true"))
    endpoint = arguments.get("endpoint_url")
    if endpoint and "://" not in endpoint:
        arguments["endpoint_url"] = f"{'https' if encrypted else 'http'}://{endpoint}"
    # Requests are repeated by `WatchedFileSystem`, which knows how long that may take.
    argument("config_kwargs", "retries")(arguments, {"max_attempts": 0})
    return arguments
