"""Builds the wheel of this package (PEP 517, PEP 427); nothing has to be
downloaded for it. A build of the library beside it (ORRERY_LIBRARY, else
build/liborrery.so) goes into the wheel, which is for machines like this one
then; without one it is pure Python, and the library is looked for when it is
imported."""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sysconfig
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
# h5py is needed too; Debian's goes by a name that pip does not know.
METADATA = """\
Metadata-Version: 2.1
Name: orrery
Version: {version}
Summary: Packet-level simulation of networks for machine learning
License: GPL-3.0-or-later
Requires-Python: >=3.10
Requires-Dist: numpy
Requires-Dist: xarray
"""
WHEEL = """\
Wheel-Version: 1.0
Generator: orrery
Root-Is-Purelib: {pure}
Tag: {tag}
"""


def version():
    header = HERE.parent / "include/orrery/orrery.h"
    text = header.read_text() if header.exists() else ""
    found = re.search(r'#define ORR_VERSION "(.*)"', text)
    return found[1] if found else (HERE / "VERSION").read_text().strip()


def library():
    """The bytes of the library without what only debuggers read; or None."""
    path = os.environ.get("ORRERY_LIBRARY") or \
        HERE.parent / "build/liborrery.so"
    if not os.path.exists(path):
        return None
    with tempfile.TemporaryDirectory() as there:
        out = pathlib.Path(there) / "liborrery.so"
        subprocess.run(["strip", "--strip-unneeded", "-o", out, path],
                       check=True)
        return out.read_bytes()


def build_wheel(folder, config_settings=None, metadata_directory=None):
    info = f"orrery-{version()}.dist-info"
    files = {f"orrery/{p.name}": p.read_bytes()
             for p in sorted((HERE / "orrery").iterdir())
             if p.suffix in (".py", ".typed")}
    shared = library()
    tag = "py3-none-any"
    if shared:
        files["orrery/liborrery.so"] = shared
        tag = "py3-none-" + re.sub("[-.]", "_", sysconfig.get_platform())
    files[f"{info}/METADATA"] = METADATA.format(version=version()).encode()
    files[f"{info}/WHEEL"] = WHEEL.format(
        tag=tag, pure=str(not shared).lower()).encode()
    record = "".join(
        "{},sha256={},{}\n".format(name, base64.urlsafe_b64encode(
            hashlib.sha256(data).digest()).decode().rstrip("="), len(data))
        for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = f"orrery-{version()}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(folder) / wheel, "w",
                         zipfile.ZIP_DEFLATED) as z:
        for name, data in files.items():
            z.writestr(name, data)
    return wheel


def build_sdist(folder, config_settings=None):
    import tarfile
    name = f"orrery-{version()}"
    (HERE / "VERSION").write_text(version() + "\n")
    with tarfile.open(pathlib.Path(folder) / f"{name}.tar.gz", "w:gz") as t:
        for p in ["pyproject.toml", "backend.py", "VERSION"]:
            t.add(HERE / p, f"{name}/{p}")
        for p in sorted((HERE / "orrery").iterdir()):
            if p.suffix == ".py" or p.name == "py.typed":
                t.add(p, f"{name}/orrery/{p.name}")
    (HERE / "VERSION").unlink()
    return f"{name}.tar.gz"
