"""What the simulator counted while kernels ran, by source line: as a table, and as the source with the counts beside it."""

from __future__ import annotations

import html
import linecache
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Line:
    """Counts of one line of a kernel. An access is what the lanes of a warp do at once.

    sectors: 32-byte pieces of global memory touched; ideal_sectors: as many as hold the bytes asked for. wavefronts: cycles of the
    banks of shared memory; ideal_wavefronts: what they would be without conflicts. instructions: executed by threads, by class.
    """

    kernel: str
    file: str
    line: int
    global_accesses: int
    sectors: int
    ideal_sectors: int
    shared_accesses: int
    wavefronts: int
    ideal_wavefronts: int
    barriers: int
    instructions: dict[str, int] = field(default_factory=dict)

    @property
    def coalescing(self) -> float | None:
        """Sectors touched over sectors needed: 1 is best; None without global accesses."""
        return self.sectors / self.ideal_sectors if self.ideal_sectors else None

    @property
    def conflicts(self) -> int:
        """Cycles that bank conflicts cost."""
        return self.wavefronts - self.ideal_wavefronts

    @property
    def source(self) -> str:
        return linecache.getline(self.file, self.line).rstrip("\n") if self.line else ""


HEADINGS = ("line", "instructions", "sectors", "over ideal", "wavefronts", "conflicts", "barriers")


class Profile:
    """The lines of every kernel that ran. `print(profile)` is the table; `write_html(path)` the annotated source."""

    def __init__(self, lines: list[dict]):
        self.lines = sorted((Line(**line) for line in lines), key=lambda each: (each.kernel, each.file, each.line))

    def __iter__(self):
        return iter(self.lines)

    def at(self, text: str) -> Line:
        """The one line whose source contains `text`."""
        found = [line for line in self.lines if text in line.source]
        if len(found) != 1:
            raise LookupError(f"{len(found)} counted lines contain {text!r}")
        return found[0]

    def __str__(self) -> str:
        rows = []
        for kernel in dict.fromkeys(line.kernel for line in self.lines):
            rows += [(f"kernel {kernel}",), HEADINGS]
            rows += [(*_cells(line), line.source.strip()) for line in self.lines if line.kernel == kernel]
        widths = [max((len(row[i]) for row in rows if len(row) > 1), default=0) for i in range(len(HEADINGS))]
        return "\n".join(
            row[0] if len(row) == 1 else "  ".join([*(cell.rjust(w) for cell, w in zip(row, widths, strict=False)), *row[len(HEADINGS) :]])
            for row in rows
        )

    def write_html(self, path) -> None:
        """A page of the kernels' files: each line with its counts, coloured by its share of the instructions."""
        page = ["<!doctype html><meta charset=utf-8><title>Phobos profile</title>", f"<style>{STYLE}</style>"]
        for file in dict.fromkeys(line.file for line in self.lines if line.line):
            counted = {line.line: line for line in self.lines if line.file == file}
            most = max(sum(line.instructions.values()) for line in counted.values()) or 1
            page += [f"<h1>{html.escape(file)}</h1><table><tr>", *(f"<th>{h}</th>" for h in HEADINGS), "<th>source</th></tr>"]
            for number, text in enumerate(linecache.getlines(file), 1):
                line = counted.get(number)
                cells = _cells(line) if line else (str(number), *[""] * (len(HEADINGS) - 1))
                share = sum(line.instructions.values()) / most if line else 0
                classes = ", ".join(f"{count:,} {name}" for name, count in line.instructions.items()) if line else ""
                page.append(f'<tr style="background: rgba(230, 120, 0, {0.4 * share:.3f})" title="{html.escape(classes)}">')
                page += [f"<td>{cell}</td>" for cell in cells]
                page.append(f"<td class=source>{html.escape(text.rstrip())}</td></tr>")
            page.append("</table>")
        with open(path, "w", encoding="utf-8") as out:
            out.write("\n".join(page) + "\n")


STYLE = """
body { font-family: sans-serif; margin: 2em } h1 { font-size: 1em }
table { border-collapse: collapse } th { font-weight: normal; color: #666; padding: 0 1em 0.5em 0; text-align: right }
td { padding: 0 1em 0 0; text-align: right; font-variant-numeric: tabular-nums } td.source { text-align: left; white-space: pre; font-family: monospace }
"""


def _cells(line: Line) -> tuple[str, ...]:
    def number(value: int) -> str:
        return f"{value:,}" if value else ""

    over = f"{line.coalescing:.2f}" if line.coalescing else ""
    executed = number(sum(line.instructions.values()))
    return (
        str(line.line), executed, number(line.sectors), over, number(line.wavefronts), number(line.conflicts), number(line.barriers),
    )  # fmt: skip
