"""nginx, Caddy, HAProxy and systemd's checker, unpacked from Debian packages without root."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess

from tools.console import ROOT

FOLDER = ROOT / ".tools" / "debian"
PACKAGES = (
    *("nginx", "caddy"),
    *("haproxy", "liblua5.3-0", "libopentracing-c-wrapper0", "libopentracing1"),
    *("systemd", "libsystemd-shared", "libkmod2", "libcryptsetup12", "libdevmapper1.02.1"),
    *("libip4tc2", "libjson-c5", "libargon2-1", "libapparmor1", "libseccomp2"),
)


def find(name):
    """Return the path of a program and the environment to run it in."""
    _unpack()
    folders = [FOLDER / "usr/sbin", FOLDER / "usr/bin", FOLDER / "bin"]
    path = shutil.which(name, path=os.pathsep.join(map(str, folders)))
    assert path, f"no package of {PACKAGES} has {name}"
    libraries = sorted({str(library.parent) for library in FOLDER.rglob("*.so*")})
    return path, os.environ | {"LD_LIBRARY_PATH": os.pathsep.join(libraries)}


def _unpack():
    """Download and unpack the packages once, in whichever test process comes first."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (FOLDER / "ready").exists():
            return
        packages = FOLDER / "packages"
        for folder in (packages, FOLDER / "lists/partial", FOLDER / "cache/archives/partial"):
            folder.mkdir(parents=True, exist_ok=True)
        _apt("update", folder=packages)
        _apt("download", *PACKAGES, folder=packages)
        for package in packages.glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", package, FOLDER], check=True)
        (FOLDER / "ready").touch()


def _apt(*command, folder):
    """Run apt-get in separate folders, as an ordinary user."""
    options = {
        "Dir::State": FOLDER,
        "Dir::State::lists": FOLDER / "lists",
        "Dir::Cache": FOLDER / "cache",
        "APT::Sandbox::User": "",
        "Debug::NoLocking": "1",
    }
    settings = [f"-o{name}={value}" for name, value in options.items()]
    subprocess.run(
        ["apt-get", "--quiet", *settings, *command],
        cwd=folder,
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
