#!/bin/sh
# The browser of the browser tests, from Debian's packages where this may install them; without one those tests are skipped.
command -v chromium >/dev/null || command -v chromium-browser >/dev/null && exit
if command -v apt-get >/dev/null; then
    as_root=$([ "$(id -u)" -eq 0 ] || echo "sudo --non-interactive")
    export DEBIAN_FRONTEND=noninteractive
    $as_root apt-get update -q && $as_root apt-get install -q -y --no-install-recommends chromium fonts-dejavu-core && exit
fi
echo "There is no chromium, and it could not be installed: the browser tests are skipped." >&2
