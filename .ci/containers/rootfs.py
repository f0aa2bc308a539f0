"""Write the root file system of an image, as a tar, out of Debian packages that this machine has installed.

``python3 rootfs.py FILE [--goroot DIR] PACKAGE...`` packs each package with what it depends on and, below
/usr/local/go, a Go installation. It needs dpkg's database, but no network, no package index and no root. Manuals and
translations stay out. The same packages give the same bytes.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import stat
import subprocess
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

EPOCH = 1_700_000_000
"""Every file's time, in seconds: an image of the same files has the same bytes."""

LEFT_OUT = ("usr/share/doc/", "usr/share/info/", "usr/share/locale/", "usr/share/man/")
MERGED = ("bin", "lib", "lib64", "sbin")
FOLDERS = {"app": 0o755, "dev": 0o755, "home": 0o755, "proc": 0o555, "root": 0o700, "run": 0o755, "sys": 0o555}
"""Mount points and homes, and the work folder that verifiers takes for granted: unlike docker, podman makes none."""

SHARED_FOLDERS = ("go/bin", "go/src", "tmp", "var/tmp")
GENERATED = (
    "etc/pam.d/common-account",
    "etc/pam.d/common-auth",
    "etc/pam.d/common-password",
    "etc/pam.d/common-session",
    "etc/pam.d/common-session-noninteractive",
    "etc/ssl/certs/ca-certificates.crt",
)
"""What a package's install script makes, so that no package lists it."""

ALTERNATIVES = Path("/var/lib/dpkg/alternatives")
ACCOUNTS = Path("/usr/share/base-passwd")


@dataclass(frozen=True, kw_only=True)
class Package:
    """An installed package: each entry of ``needs`` lists the names of which one is enough."""

    name: str
    needs: tuple[tuple[str, ...], ...]


def installed() -> dict[str, Package]:
    """Every installed package, under its own name and the names that it provides; its own name wins."""
    layout = "${db:Status-Status}\t${Package}\t${Provides}\t${Pre-Depends}, ${Depends}\n"
    listing = subprocess.run(["dpkg-query", "-W", "-f", layout], capture_output=True, text=True, check=True).stdout
    own: dict[str, Package] = {}
    provided: dict[str, Package] = {}
    for line in listing.splitlines():
        status, name, provides, needs = line.split("\t")
        if status != "installed":
            continue
        own[name] = Package(name=name, needs=tuple(tuple(_names(group, "|")) for group in needs.split(",")))
        provided |= dict.fromkeys(_names(provides, ","), own[name])
    return provided | own


def _names(relation: str, separator: str) -> Iterator[str]:
    """The package names of a relation, without versions and architectures."""
    for part in relation.split(separator):
        if found := re.match(r"\s*([a-z0-9][a-z0-9+.-]*)", part):
            yield found[1]


def closure(packages: dict[str, Package], wanted: Iterable[str]) -> list[str]:
    """The names of ``wanted`` and of all that they depend on, sorted; of alternatives the first that is installed.

    Raises:
        SystemExit: some of ``wanted`` are not installed; the message names them all.
    """
    wanted = list(wanted)
    if missing := sorted(set(wanted) - set(packages)):
        raise SystemExit(f"not installed: {' '.join(missing)}")
    found: set[str] = set()
    queue = [packages[name] for name in wanted]
    while queue:
        package = queue.pop()
        if package.name in found:
            continue
        found.add(package.name)
        for names in package.needs:
            queue += [packages[name] for name in names if name in packages][:1]
    return sorted(found)


@dataclass(kw_only=True)
class RootFs:
    """A tar being written; a name is written once, its parent folders before it."""

    tar: tarfile.TarFile
    names: set[str] = field(default_factory=set)

    def folder(self, name: str, mode: int = 0o755) -> None:
        """A folder of root's."""
        if self._is_new(name):
            self._add(_entry(name, tarfile.DIRTYPE, mode))

    def link(self, name: str, target: str) -> None:
        """A symbolic link."""
        if self._is_new(name):
            entry = _entry(name, tarfile.SYMTYPE, 0o777)
            entry.linkname = target
            self._add(entry)

    def text(self, name: str, content: str, mode: int = 0o644) -> None:
        """A file of root's."""
        if self._is_new(name):
            data = content.encode()
            entry = _entry(name, tarfile.REGTYPE, mode)
            entry.size = len(data)
            self._add(entry, io.BytesIO(data))

    def copy(self, source: Path, name: str, *, owned_by_root: bool = False) -> None:
        """A file, link or folder of this machine, alone; what is no such thing is passed over."""
        mode = source.lstat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode)) or not self._is_new(name):
            return
        entry = self.tar.gettarinfo(source, name)
        entry.mtime, entry.uname, entry.gname = EPOCH, "", ""
        if owned_by_root:
            entry.uid = entry.gid = 0
        if not entry.isreg():
            self._add(entry)
            return
        with source.open("rb") as content:
            self._add(entry, content)

    def _is_new(self, name: str) -> bool:
        if not name or name in self.names:
            return False
        self.folder(os.path.dirname(name))  # noqa: PTH120 - a name in the tar, no path here
        return True

    def _add(self, entry: tarfile.TarInfo, content: io.BufferedIOBase | None = None) -> None:
        self.names.add(entry.name)
        self.tar.addfile(entry, content)


def _entry(name: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.mtime = kind, mode, EPOCH
    return entry


def add_skeleton(root: RootFs) -> None:
    """What Debian's installer makes: the merged /usr, empty folders and the standard accounts."""
    for name in MERGED:
        root.folder(f"usr/{name}")
        root.link(name, f"usr/{name}")
    for name, mode in FOLDERS.items():
        root.folder(name, mode)
    for name in SHARED_FOLDERS:
        root.folder(name, 0o1777)
    users = (ACCOUNTS / "passwd.master").read_text(encoding="ascii").replace(":*:", ":x:")
    groups = (ACCOUNTS / "group.master").read_text(encoding="ascii").replace(":*:", ":x:")
    root.text("etc/passwd", users)
    root.text("etc/group", groups)
    root.text("etc/shadow", re.sub(r"(?m):.*$", ":*:19000:0:99999:7:::", users), 0o600)
    root.text("etc/nsswitch.conf", "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n")


def add_packages(root: RootFs, packages: Iterable[str]) -> None:
    """The packages' files, and the alternatives that are chosen among them."""
    listing = subprocess.run(["dpkg-query", "-L", *packages], capture_output=True, text=True, check=True).stdout
    paths = {_resolved(line) for line in listing.splitlines() if line.startswith("/")}
    paths |= {Path(f"/{name}") for name in GENERATED}
    for path in sorted(paths):
        name = str(path)[1:]
        # Alternatives and local changes may have replaced or removed what the package shipped.
        if not f"{name}/".startswith(LEFT_OUT) and (path.is_symlink() or path.exists()):
            root.copy(path, name)
    for name, link in alternatives():
        chosen = (Path("/etc/alternatives") / name).readlink()
        if str(chosen)[1:] in root.names:
            root.link(f"etc/alternatives/{name}", str(chosen))
            root.link(str(_resolved(link))[1:], f"/etc/alternatives/{name}")


def _resolved(path: str) -> Path:
    """The path below a merged /usr, where the file itself may be a link."""
    return Path(path).parent.resolve() / Path(path).name


def alternatives() -> Iterator[tuple[str, str]]:
    """Each alternative's name and the path of its link."""
    for file in sorted(ALTERNATIVES.iterdir()):
        # The mode, the link, then pairs of a secondary name and its link up to an empty line.
        _mode, link, *rest = file.read_text(encoding="utf-8").splitlines()
        secondary = rest[: rest.index("")]
        for name, path in [(file.name, link), *zip(secondary[::2], secondary[1::2], strict=True)]:
            if (Path("/etc/alternatives") / name).is_symlink():
                yield name, path


def add_go(root: RootFs, goroot: Path) -> None:
    """A Go installation at /usr/local/go, without what makes it a Python package."""
    for path in sorted(goroot.rglob("*")):
        inner = path.relative_to(goroot)
        if "__pycache__" not in inner.parts and inner != Path("__init__.py"):
            root.copy(path, f"usr/local/go/{inner}", owned_by_root=True)


def main() -> None:
    """Parse the command line and write the tar."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("file", type=Path)
    parser.add_argument("packages", nargs="+", metavar="PACKAGE")
    parser.add_argument("--goroot", type=Path)
    options = parser.parse_args()
    packages = closure(installed(), options.packages)
    with tarfile.open(options.file, "w", format=tarfile.GNU_FORMAT, dereference=False) as tar:
        root = RootFs(tar=tar)
        add_skeleton(root)
        add_packages(root, packages)
        if options.goroot:
            add_go(root, options.goroot.resolve(strict=True))
    print(f"{options.file.name}: {len(packages)} packages, {len(root.names)} entries")


if __name__ == "__main__":
    main()
