"""Fonts for the browser tests: a wide family and a narrow one, the same on every machine.

They come with Matplotlib. The browser cannot see the fonts of the machine. So a page that fits only
with the fonts of some machines fails on all of them.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import matplotlib as mpl

WIDE = "DejaVu Sans"
NARROW = "STIXGeneral"
FILES = ("DejaVuSans.ttf", "DejaVuSans-*", "STIXGeneral*")
FOLDER = Path(mpl.get_data_path()) / "fonts" / "ttf"

_CONFIG = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>{fonts}</dir>
  <cachedir>{cache}</cachedir>
  <match target="pattern">
    <test name="family" compare="not_eq"><string>{narrow}</string></test>
    <edit name="family" mode="assign" binding="strong"><string>{wide}</string></edit>
  </match>
</fontconfig>
"""


def write_config(folder: Path) -> Path:
    """Write a Fontconfig file that maps every family except the narrow one to the wide one."""
    fonts = folder / "fonts"
    fonts.mkdir()
    for path in (path for pattern in FILES for path in FOLDER.glob(pattern)):
        shutil.copy(path, fonts)
    text = _CONFIG.format(fonts=fonts, cache=folder / "cache", wide=WIDE, narrow=NARROW)
    config = folder / "fonts.conf"
    config.write_text(text, encoding="utf-8")
    return config
