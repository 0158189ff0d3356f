"""Lists, reads and writes files of tables with pypaimon's virtual file system, and prints what it found as JSON."""

import json
import sys

from pypaimon.filesystem.pvfs import PaimonVirtualFileSystem


def main():
    request = json.loads(sys.argv[1])
    files = PaimonVirtualFileSystem({**request["options"], "warehouse": "unused"})
    home = request["home"]
    paths = request["places"]
    listed = {path: files.ls(path, detail=False) for path in paths}
    others = [f"{home}/u", f"{home}/lists/no", f"{home}/lists/ours"]
    known = {path: files.exists(path) for path in (*paths, *others)}
    with files.open(f"{home}/lists/ours") as file:
        read = file.read().decode()
    with files.open(f"{home}/lists/theirs", "wb") as file:
        file.write(b"of pypaimon")
    files.mkdir(f"{home}/more/in")
    with files.open(f"{home}/more/in/file", "wb") as file:
        file.write(b"of pypaimon")
    print(json.dumps({"listed": listed, "exists": known, "read": read}))


main()
