"""The width of text in DejaVu Sans, the widest of the usual sans-serif fonts.

An SVG does not wrap its lines, and the fonts on the reader's machine are unknown. Lines that fit in
DejaVu Sans fit in Arial, Helvetica, Liberation Sans, Noto Sans and Roboto too.
"""

from __future__ import annotations

EM = 2048
FIRST = " "
REGULAR = (
    651, 821, 942, 1716, 1303, 1946, 1597, 563, 799, 799, 1024, 1716, 651, 739, 651, 690, 1303,
    1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 690, 690, 1716, 1716, 1716, 1087, 2048,
    1401, 1405, 1430, 1577, 1294, 1178, 1587, 1540, 604, 604, 1343, 1141, 1767, 1532, 1612, 1235,
    1612, 1423, 1300, 1251, 1499, 1401, 2025, 1403, 1251, 1403, 799, 690, 799, 1716, 1024, 1024,
    1255, 1300, 1126, 1300, 1260, 721, 1300, 1298, 569, 569, 1186, 569, 1995, 1298, 1253, 1300,
    1300, 842, 1067, 803, 1298, 1212, 1675, 1212, 1212, 1075, 1303, 690, 1303, 1716,
)  # fmt: skip
BOLD = (
    713, 934, 1067, 1716, 1425, 2052, 1786, 627, 936, 936, 1071, 1716, 778, 850, 778, 748, 1425,
    1425, 1425, 1425, 1425, 1425, 1425, 1425, 1425, 1425, 819, 819, 1716, 1716, 1716, 1188, 2048,
    1585, 1561, 1503, 1700, 1399, 1399, 1681, 1714, 762, 762, 1587, 1305, 2038, 1714, 1741, 1501,
    1741, 1577, 1475, 1397, 1663, 1585, 2259, 1579, 1483, 1485, 936, 748, 936, 1716, 1024, 1024,
    1382, 1466, 1214, 1466, 1389, 891, 1466, 1458, 702, 702, 1362, 702, 2134, 1458, 1407, 1466,
    1466, 1010, 1219, 979, 1458, 1335, 1892, 1321, 1335, 1192, 1458, 748, 1458, 1716,
)  # fmt: skip
"""The widths of the ASCII characters, starting with the space, in units of 1/EM em."""


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a line; every character outside ASCII counts as one em.

    >>> width("10", 2048), width("10", 2048, bold=True), width("\N{BULLET}", 12)
    (2606.0, 2850.0, 12.0)
    """
    widths = BOLD if bold else REGULAR
    places = (ord(character) - ord(FIRST) for character in text)
    ems = sum(widths[at] if 0 <= at < len(widths) else EM for at in places)
    return ems * size / EM


def wrap(text: str, wide: float, size: float) -> list[str]:
    """Wrap a text between words to fit a width; split a word that is too long.

    >>> wrap("hit, not double", 60, 12), wrap("aaaaaaaaaa", 40, 12)
    (['hit, not', 'double'], ['aaaaa', 'aaaaa'])
    """
    lines = [""]
    for word in text.split():
        line = f"{lines[-1]} {word}".lstrip()
        if width(line, size) <= wide:
            lines[-1] = line
        else:
            lines += _cut(word, wide, size)
    return [line for line in lines if line]


def _cut(word: str, wide: float, size: float) -> list[str]:
    pieces = [""]
    for character in word:
        if width(pieces[-1] + character, size) > wide:
            pieces.append("")
        pieces[-1] += character
    return pieces
