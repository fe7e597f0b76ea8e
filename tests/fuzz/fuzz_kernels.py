#!/usr/bin/env python3
"""Random kernels on the host simulator, or on a GPU, beside NumPy evaluations of their tile phase and of their text.

    tests/fuzz/fuzz_kernels.py --count 5000 --seed 1            kernels 1 to 5000, on the simulator with its checks
    tests/fuzz/fuzz_kernels.py --count 5000 --target cuda --jobs 16
    tests/fuzz/fuzz_kernels.py --case 17 --show                 one of them, its text printed
    tests/fuzz/fuzz_kernels.py --file found.py                  a kernel that was kept

A kernel that fails is made smaller while it fails in the same way, and printed as a file that --file takes. The exit status is 1 if any
did. What the compiler refuses is counted by message: documented limits, or faults of the generator.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
TIMEOUT_S = 30  # of one kernel: what takes longer hangs


def ends_worker(kind: str, target: str) -> bool:
    """A GPU's context may be lost with a fault."""
    return kind == "fault" and target == "cuda"


def serve(target: str) -> None:
    """A worker: for each line, a request; for each request, a line."""
    from fuzz import cases, generator

    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else is printed does not mix with the replies
    import phobos._phobos  # noqa: F401 - if this fails, it does before anything is asked

    replies.write("ready\n")
    replies.flush()
    for line in sys.stdin:
        request = json.loads(line)
        case = cases.read(request["text"]) if "text" in request else generator.case(request["number"])
        for name, value in request["settings"].items():
            setattr(case, name, value)
        try:
            verdict = cases.run(case, target)
        except Exception as error:
            import traceback

            verdict = cases.Verdict("fault", f"{traceback.format_exc(limit=-4)}", f"{type(error).__name__}")
        reply = {"kind": verdict.kind, "text": verdict.text, "phase": verdict.phase, "known": verdict.known, "case": str(case)}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()
        if ends_worker(verdict.kind, target):
            return


class Worker:
    """A process that runs kernels, and is started again when one ends it."""

    def __init__(self, target: str, settings: dict):
        self.target, self.settings, self.process = target, settings, None

    def start(self) -> None:
        command = [sys.executable, __file__, "--serve", "--target", self.target]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said = collections.deque(maxlen=30)
        process, said = self.process, self.said
        threading.Thread(target=lambda: said.extend(process.stderr), daemon=True).start()
        if not process.stdout.readline():
            process.wait()
            raise RuntimeError("a worker does not start:\n" + "".join(said))

    def run(self, **request) -> dict:
        if self.process is None or self.process.poll() is not None:
            self.start()
        late = threading.Timer(TIMEOUT_S, self.process.kill)
        late.start()
        try:
            self.process.stdin.write(json.dumps(request | {"settings": self.settings}) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            late.cancel()
            reply = json.loads(line)
            if ends_worker(reply["kind"], self.target):
                self.process.wait()  # else the next kernel is sent to a process that is about to end
            return reply
        status = self.process.wait()
        hangs = not late.is_alive()
        late.cancel()
        text = "".join(self.said) or f"ended with status {status}"
        return {"kind": "fault", "phase": "hang" if hangs else "crash", "text": text, "known": 0, "case": self.case_text(request)}

    def case_text(self, request) -> str:
        """Of a kernel that ended its worker."""
        from fuzz import cases, generator

        return request.get("text") or str(generator.case(request["number"])) if cases else ""

    def close(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait()


def summary(reply: dict) -> str:
    """A reply's first line that says something, without what differs between kernels."""
    lines = [line for line in reply["text"].splitlines() if line.strip()]
    told = next((line for line in lines if "error:" in line or "Assertion" in line), lines[-1] if lines else "")
    if reply["phase"] in ("values", "front end"):
        told = "wrong value"
    told = re.sub(r"^.*?(error:|Assertion)", r"\1", told)
    return re.sub(r"`[^`]*`|\[[\d, ]*\]|-?\d+", "_", told)[:140]


def run_all(numbers, workers: list[Worker], report) -> None:
    pending, lock = collections.deque(numbers), threading.Lock()

    def work(worker: Worker) -> None:
        while True:
            with lock:
                if not pending:
                    return worker.close()
                number = pending.popleft()
            reply = worker.run(number=number)
            with lock:
                report(number, reply)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="the first kernel's number")
    parser.add_argument("--case", type=int, help="only the kernel of this number")
    parser.add_argument("--file", type=pathlib.Path, help="a kernel in a file")
    parser.add_argument("--arch", help="for this chip; otherwise the kernel's number decides")
    parser.add_argument("--target", choices=["host", "cuda"], default="host")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--show", action="store_true", help="print the kernel")
    parser.add_argument("--no-shrink", action="store_true", help="print a kernel that fails as it is")
    parser.add_argument("--keep-going", type=int, default=10, metavar="N", help="print at most N kernels that fail")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    import conftest  # noqa: F401 - where the package is

    if options.serve:
        serve(options.target)
        return 0
    settings = {"arch": options.arch} if options.arch else {}
    if options.target == "cuda" and not options.arch:
        settings["arch"] = gpu_arch()
    if options.file or options.case is not None:
        worker = Worker(options.target, settings)
        request = {"text": options.file.read_text()} if options.file else {"number": options.case}
        reply = worker.run(**request)
        worker.close()
        if options.show:
            print(reply["case"])
        print(f"{reply['kind']} {reply['phase']}\n{reply['text']}".rstrip())
        return reply["kind"] == "fault"

    counts: collections.Counter = collections.Counter()
    messages: collections.Counter = collections.Counter()
    examples: dict = {}
    known: list[float] = []
    begin = time.monotonic()

    def report(number: int, reply: dict) -> None:
        counts[reply["kind"]] += 1
        known.append(reply["known"])
        if reply["kind"] in ("ok", "undecided"):
            return
        key = reply["kind"], reply["phase"], summary(reply)
        messages[key] += 1
        if reply["kind"] == "fault":
            print(f"kernel {number}: {key[1]}: {key[2]}", file=sys.stderr)
        examples.setdefault(key, (number, reply))

    run_all(range(options.seed, options.seed + options.count), [Worker(options.target, settings) for _ in range(options.jobs)], report)
    seconds = time.monotonic() - begin
    total = sum(counts.values())
    print(f"{total} kernels in {seconds:.0f} s ({seconds / total * 1e3:.0f} ms each): {dict(counts)}")
    decided = [share for share in known if share > 0]
    print(f"elements of results that are known: {sum(decided) / max(len(decided), 1):.1%}")
    for key, count in messages.most_common():
        print(f"{count:5} {key[0]} {key[1]}: {key[2]} (kernel {examples[key][0]})")
    failures = [(number, reply) for key, (number, reply) in examples.items() if key[0] == "fault"]
    for number, reply in failures[: options.keep_going]:
        show_failure(number, reply, options, settings)
    return 1 if failures else 0


def show_failure(number: int, reply: dict, options, settings: dict) -> None:
    from fuzz import shrink

    if not options.no_shrink:
        worker = Worker(options.target, settings)
        reply = shrink.smallest(reply, lambda text: worker.run(text=text), summary)
        worker.close()
    print(f"\n# --- kernel {number}: {reply['phase']}\n{reply['text'].rstrip()}\n\n{reply['case']}")


def gpu_arch() -> str:
    import phobos

    return phobos.devices()[0].chip


if __name__ == "__main__":
    sys.exit(main())
