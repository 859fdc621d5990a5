"""Progress in a notebook: what a kernel shows of it. Run by python.bats."""
import sys

import nbclient
import nbformat

RUN = """
import orrery
ring = {"topology": {"kind": "ring", "hosts": 4,
                     "link": {"rate": "100Gbps", "delay": "1us"}},
        "flows": [{"src": 0, "dst": 2, "size": "8GB"}]}
r = orrery.run(ring, records=False, progress=True, set=SET)
assert r.status == STATUS, r.status
print(r.summary["counters"]["packet_hops"])
"""


def shown(status: str, settings: dict) -> tuple[list[str], str]:
    """The lines of stderr that stay, and what was printed."""
    source = RUN.replace("SET", repr(settings)).replace("STATUS", repr(status))
    book = nbformat.v4.new_notebook()
    book.cells = [nbformat.v4.new_code_cell(source)]
    nbclient.NotebookClient(book, timeout=300).execute()
    text = {"stderr": "", "stdout": ""}
    for output in book.cells[0].outputs:
        text[output.name] += output.text
    assert text["stderr"].count("\r") >= 1, text
    assert text["stderr"].endswith("\n"), text
    return [line.rpartition("\r")[2].rstrip()
            for line in text["stderr"].split("\n")[:-1]], text["stdout"].strip()


def main() -> None:
    lines, hops = shown("complete", {})
    assert len(lines) == 1, lines
    assert lines[0].startswith("100.0 % simulated "), lines
    assert lines[0].endswith(f" ms, {int(hops):,} packet-hops"), lines
    # one that is stopped on its way says so by where it is left
    lines, _ = shown("partial", {"stop": "400ms"})
    assert len(lines) == 1 and not lines[0].startswith("100"), lines


if __name__ == "__main__":
    sys.exit(main())
