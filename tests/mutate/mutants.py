"""All small changes of one C file that mutate.py may try."""

import re

# What is no code: its characters become blanks, lines stay where they are.
NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    r"|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*",
    re.S | re.M,
)
SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "/", "/": "*",
    "+=": "-=", "-=": "+=", "true": "false", "false": "true",
}
TOKEN = re.compile(
    r"->|\+\+|--|<<=|>>=|<<|>>|[<>=!+*/-]=|&&|\|\||[<>+*/!-]"
    r"|\d[\w.]*(?:e[+-]\d+)?|\w+",
    re.I,
)
# Two words, or a word and a pointer: a declaration.
DECLARES = re.compile(
    r"(?:const|static|unsigned|struct|enum|union|typedef|extern|volatile"
    r"|ORR_ASSERT|_Static_assert)\b|\w+\s+\**\w+\s*(?:=|;|\[|,|\()"
)
STAYS = re.compile(r"(?:return|goto|case|default)\b")
# A leak is what the sanitizers find, and no test of `make test` looks for it.
RELEASES = re.compile(r"^\w*(?:free|fini|close|destroy|release|put)\w*\s*\(")


def blank(text):
    """The text with blanks for comments, strings and directives."""
    return NO_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def regions(code):
    """(from, to, kind) of bodies of functions and of initializers."""
    depth = begin = since = 0
    kind = None
    for m in re.finditer(r"[{};]", code):
        at, c = m.start(), m.group()
        if c == "{":
            if depth == 0:
                head = code[since:at].rstrip()
                begin = at
                kind = (
                    "body" if head.endswith(")")
                    else "data" if head.endswith("=") or "enum" in head
                    else None
                )
            depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0 and kind:
                yield begin, at, kind
        if depth == 0:
            since = at + 1


def closing(code, at):
    """Where the bracket at `at` is closed."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] == "(") - (code[i] == ")")
        if depth == 0:
            return i
    return at


def conditions(code, begin, end):
    """if (X), while (X) -> if (!(X)), while (!(X))."""
    for m in re.finditer(r"\b(?:if|while)\s*\(", code[begin:end]):
        at = begin + m.end() - 1
        to = closing(code, at)
        yield at, to + 1, lambda s: "(!" + s + ")"


def removals(code, begin, end):
    """Assignments and calls that stand as statements, without which it is."""
    depth, since = 0, begin + 1
    for i in range(begin + 1, end):
        c = code[i]
        depth += (c == "(") - (c == ")")
        if depth or c not in ";{}":
            continue
        if c == ";":
            at = since
            while True:
                m = re.compile(
                    r"\s*(?:else\b(?!\s*if)|(?:else\s+)?(?:if|for|while)\s*(?=\())"
                ).match(code, at)
                if not m:
                    break
                at = m.end()
                if code[at : at + 1] == "(":
                    at = closing(code, at) + 1
            at += len(code[at:i]) - len(code[at:i].lstrip())
            said = code[at:i]
            if (
                re.match(r"[\w*(+-]", said)
                and not DECLARES.match(said + ";")
                and not STAYS.match(said)
                and not RELEASES.match(said)
                and re.search(r"[=(]|\+\+|--|^(?:break|continue)$", said)
            ):
                yield at, i, lambda s: ""
        since = i + 1


def change(token, before):
    """What a token may become."""
    if token == "!":
        return [""]
    if token in SWAPS:
        # A sign, a pointer or what is pointed to is no operator of two.
        if token in "+-*" and not re.search(r"[\w)\]]\s*$", before):
            return []
        if token in "+-*" and re.search(r"\b(?:sizeof|return|case)\s*$", before):
            return []
        return [SWAPS[token]]
    if re.match(r"\d", token):
        value = re.fullmatch(r"(\d+)([uUlL]*)", token)
        if not value:
            return ["(%s + 1)" % token] if "x" not in token.lower() else []
        if len(value[1]) > 1 and value[1][0] == "0":
            return [] # octal: the mode of a file
        n = int(value[1])
        # -1 says that there is none, and -2 would say the same
        if re.search(r"(?:^|[^\w)\] ])\s*-$", before) or re.search(
            r"(?:return|[=(,?:])\s*-$", before
        ):
            return ["%d%s" % (n - 1, value[2])] if n else []
        return ["%d%s" % (k, value[2]) for k in (n + 1, n - 1) if k >= 0]
    return []


def tokens(code, begin, end, kind):
    for m in TOKEN.finditer(code, begin, end):
        if kind == "data" and not re.match(r"\d|true|false", m.group()):
            continue
        before = code[max(0, m.start() - 40) : m.start()]
        if re.search(r"\w+ \**\w+\[$", before) and not re.search(
            r"(?:return|else) \w+\[$", before
        ):
            continue # how much room an array has
        for new in change(m.group(), before):
            yield m.start(), m.end(), lambda s, new=new: new


class Mutant:
    def __init__(self, file, text, begin, end, new):
        self.file = file
        self.line = text.count("\n", 0, begin) + 1
        self.text = text[:begin] + new + text[end:]
        first = text.rfind("\n", 0, begin) + 1
        last = text.find("\n", end)
        self.old = " ".join(text[first:last].split())
        self.new = " ".join((text[first:begin] + new + text[end:last]).split())


def mutants_of(file):
    """The mutants of a file, in the order of its lines."""
    with open(file, encoding="utf-8") as f:
        text = f.read()
    code = blank(text)
    found = []
    for begin, end, kind in regions(code):
        found += tokens(code, begin, end, kind)
        if kind == "body":
            found += conditions(code, begin, end)
            found += removals(code, begin, end)
    return [
        Mutant(file, text, b, e, f(text[b:e]))
        for b, e, f in sorted(found, key=lambda x: x[:2])
    ]
