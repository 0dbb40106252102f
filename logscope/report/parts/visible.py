"""Log text is data from strangers: what does not print is shown as an escape, in every format."""

from __future__ import annotations


def visible(text: str) -> str:
    r"""Give `text` with everything that does not print as an escape: `\n`, `\x1b`, `\u202e`.

    That takes control characters, format characters (those that turn the direction of writing
    among them), lone surrogates and every white space but the blank.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escape(char) for char in text)


def visible_lines(text: str) -> list[str]:
    """Give the lines of a record, with tabs as blanks and everything else made visible."""
    return [visible(line.removesuffix("\r").expandtabs(4)) for line in text.split("\n")]


def _escape(char: str) -> str:
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char)
    if short:
        return short
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
