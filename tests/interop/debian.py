"""Programs of Debian's packages: those of the machine, or unpacked without installing the packages."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.interop.provision import CACHE, lock, run, unavailable

# Programs that Debian does not link into the path.
_DIRECTORIES = ("/usr/sbin", *map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)))


@dataclass(frozen=True)
class Programs:
    """Where programs are, and the environment that they need."""

    root: Path | None = None
    """The directory with the unpacked packages; None if the machine has the programs."""

    environment: Mapping[str, str] = field(default_factory=dict)
    """Additional variables."""

    def find(self, name: str) -> str | None:
        """Return the path of a program, None if there is none."""
        if self.root is None:
            return shutil.which(name, path=os.pathsep.join([os.environ["PATH"], *_DIRECTORIES]))
        found = [each for each in self.root.glob(f"usr/**/{name}") if each.parent.name in ("bin", "sbin")]
        return str(found[0]) if found else None

    def path(self, name: str) -> str:
        """Return the path of a program that exists."""
        found = self.find(name)
        assert found is not None, f"there is no {name}"
        return found


def programs(packages: Sequence[str], names: Sequence[str]) -> Programs:
    """Return where the programs ``names`` of Debian's ``packages`` are; skip the test if they cannot be fetched."""
    installed = Programs()
    if all(map(installed.find, names)):
        return installed
    root = CACHE / "debian" / packages[0]
    with lock(f"debian-{packages[0]}"):
        if not (root / "done").exists():
            _unpack(packages, root)
    libraries = sorted({str(each.parent) for each in root.rglob("*.so.*")})
    return Programs(root, {"LD_LIBRARY_PATH": os.pathsep.join(libraries)})


def _unpack(packages: Sequence[str], root: Path) -> None:
    """Unpack packages, and those that they need and the machine does not have."""
    if not shutil.which("apt-get"):
        unavailable(f"{packages[0]} is not installed, and there is no apt-get")
    simulated = run(["apt-get", "install", "--simulate", "--no-install-recommends", *packages])
    if simulated.returncode != 0:
        if os.getuid() == 0:
            run(["apt-get", "update", "-q"])
        simulated = run(["apt-get", "install", "--simulate", "--no-install-recommends", *packages])
    wanted = re.findall(r"^Inst (\S+)", simulated.stdout, re.MULTILINE)
    downloads = root / "download"
    downloads.mkdir(parents=True, exist_ok=True)
    fetched = run(["sh", "-c", 'cd "$0" && apt-get download "$@"', downloads, *wanted])
    archives = sorted(downloads.glob("*.deb"))
    if simulated.returncode or fetched.returncode or not archives:
        unavailable(f"cannot fetch {packages[0]}: {(simulated.stdout + fetched.stdout)[-300:].strip()}")
    for archive in archives:
        assert run(["dpkg", "-x", archive, root]).returncode == 0
    shutil.rmtree(downloads)
    (root / "done").touch()
