"""What may go wrong, as exceptions that know the place."""
from __future__ import annotations

from ._library import Report

__all__ = ["Error", "ConfigError", "RunError", "CallError"]


class Error(Exception):
    """A failure of orrery.

    Attributes
    ----------
    message : str
        One sentence.
    file, line, col : str or None, int, int
        The place in the user's file that it is about; lines and columns count
        from 1, 0 means that there is none.
    hint : str
        What to try, or empty.
    excerpt : str
        The line of the file that `col` points into, or empty.
    code : int
        `enum orr_err` of orrery/orrery.h.
    """

    def __init__(self, message: str, file: str | None = None, line: int = 0,
                 col: int = 0, hint: str = "", excerpt: str = "",
                 code: int = 0):
        self.message, self.file, self.line, self.col = message, file, line, col
        self.hint, self.excerpt, self.code = hint, excerpt, code
        super().__init__(self._text())

    def _text(self) -> str:
        place = ":".join([self.file or ""] +
                         [str(n) for n in (self.line, self.col) if n])
        lines = [f"{place}: {self.message}" if place else self.message]
        if self.excerpt:
            lines.append("    " + self.excerpt)
            if self.col:
                lines.append("    " + " " * (self.col - 1) + "^")
        if self.hint:
            lines.append("hint: " + self.hint)
        return "\n".join(lines)


    def about(self, path: str, name: str) -> Error:
        """The same, where a file that the user never saw goes by a name."""
        kind = type(self)
        return kind(self.message.replace(path, name),
                    name if self.file == path else self.file, self.line,
                    self.col, self.hint, self.excerpt, self.code)


class ConfigError(Error):
    """The configuration, or an input file, is wrong (ORR_ECONFIG)."""


class RunError(Error):
    """The run could not finish (ORR_ERUN); what it wrote is there."""


class CallError(Error):
    """A call that the library does not allow (ORR_ECALL)."""


_CONFIG, _MEMORY, _RUN, _INTERRUPTED, _CALL = 1, 2, 4, 5, 7


def raise_for(code: int, why: Report) -> None:
    """Raises what a code stands for; nothing for ORR_OK."""
    if code == 0:
        return
    message = why.message.decode(errors="replace")
    if code == _MEMORY:
        raise MemoryError(message)
    if code == _INTERRUPTED:
        raise KeyboardInterrupt
    kind = {_CONFIG: ConfigError, _RUN: RunError,
            _CALL: CallError}.get(code, Error)
    raise kind(message, why.file.decode(errors="replace") or None, why.line,
               why.col, why.hint.decode(errors="replace"),
               why.excerpt.decode(errors="replace"), code)
