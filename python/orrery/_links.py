"""Links of records by name, by the rules of topo/link_names.h."""
from __future__ import annotations

from collections.abc import Iterable, Sequence


def _readings(text: str, signs: Iterable[str]) -> set[str]:
    """What "a SIGN b" is called in a record, for each place of a sign."""
    names = set()
    for sign in signs:
        at = text.find(sign)
        while at >= 0:
            names.add(f"{text[:at].strip()} -> {text[at + len(sign):].strip()}")
            at = text.find(sign, at + 1)
    return names


def find(text: str, names: Sequence[str]) -> int:
    """Which of the names it means; KeyError: none of them, or several."""
    names = [str(name) for name in names]
    for signs in ((" > ", " -> "), (">", "->", "-")):
        wanted = _readings(text, signs)
        found = [i for i, name in enumerate(names) if name in wanted]
        if len(found) == 1:
            return found[0]
        if found:
            raise KeyError(f"{text!r} names {len(found)} links: "
                           + ", ".join(names[i] for i in found[:4]))
    raise KeyError(f"there is no link {text!r}; names are as in "
                   f"{names[0] if names else 'a > b'!r}")
