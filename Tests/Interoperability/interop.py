"""interop.py SEGDL PAGE: fetches the same files by SEGDL from every server, and writes the results into PAGE.

Exit status 1 where a cell is not as it should be. No server stays, however this ends.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import sys

from page import write_page
from relay import Relay
from segdl import Segdl, temporary_folder, union_length
from servers import Place, all_servers

MIB = 1 << 20
LENGTH = 64 * MIB
SEGMENT = 256 * 1024  # segdl's default
# What a rerun may fetch of what is held: 20 sample blocks, and the first segment where HEAD is no use.
PROOF = 20 * 16 * 1024 + SEGMENT
EDGES = [0, 1, SEGMENT - 1, SEGMENT, SEGMENT + 1]
JOBS = [1, 8, 32]
# One is enough for each, and one for the probe; a server with limits refuses some. More than this is hammering.
REQUESTS_PER_JOB = 4
# What is worth telling, and what no limit of a server explains.
TOLD_SECONDS, SLOW_SECONDS = 5, 60


def make_file(root, length):
    """Bytes that tell their place: a stream whose period is no multiple of a segment."""
    block = b"".join(hashlib.sha256(str(number).encode()).digest() for number in range(32771))
    path = os.path.join(root, f"file-{length}")
    content = (block * (length // len(block) + 1))[:length]
    with open(path, "wb") as file:
        file.write(content)
    return hashlib.sha256(content).hexdigest()


def make_certificates(folder):
    def openssl(*arguments):
        new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        command = ["openssl", "req", "-x509", *new_key, *arguments]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)

    openssl("-subj", "/CN=segdl test CA", "-keyout", "ca.key", "-out", "ca.pem")
    openssl(
        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
        "-addext", "basicConstraints=critical,CA:FALSE", "-CA", "ca.pem", "-CAkey", "ca.key",
        "-keyout", "server.key", "-out", "server.pem",
    )
    return [os.path.join(folder, name) for name in ("ca.pem", "server.pem", "server.key")]


def counted(number, noun):
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class Cell:
    """One result: what to print, and whether it is as it should be."""

    def __init__(self, text, is_right):
        self.text, self.is_right = text, is_right


class Row:
    """One server by one scheme."""

    def __init__(self, server, scheme):
        self.server, self.scheme = server, scheme
        self.cells, self.notes, self.refusals = [], [], []

    def add(self, cell, *runs):
        self.cells.append(cell)
        for run in runs:
            self.notes += [note for note in run.notes if note not in self.notes]
            if run.refusal and run.refusal not in self.refusals:
                self.refusals.append(run.refusal)


class Course:
    """All cells of one server by one scheme."""

    def __init__(self, segdl, digests, server, scheme, relay, proxy=None):
        self.segdl, self.digests, self.relay, self.proxy = segdl, digests, relay, proxy
        self.origin = f"{scheme}://127.0.0.1:{relay.port}"
        self.row = Row(server, scheme)

    def run(self):
        for jobs in JOBS:
            self._whole(jobs)
        self._edges()
        self._killed()
        return self.row

    def _fetch(self, length, jobs):
        self.segdl.clear()
        run = self.segdl.fetch(f"{self.origin}/file-{length}", self.relay, jobs, self.proxy)
        return run, run.exit_status == 0 and self.segdl.has_right_file(self.digests[length])

    def _whole(self, jobs):
        run, is_right = self._fetch(LENGTH, jobs)
        outcome = "right" if is_right else f"**exit {run.exit_status}**"
        text = f"{outcome}; {counted(run.connections, 'connection')}"
        # Requests inside TLS can't be counted from outside.
        if self.row.scheme == "http":
            is_too_many = run.requests > REQUESTS_PER_JOB * (jobs + 1)
            text += ", " + (f"**{run.requests} requests**" if is_too_many else counted(run.requests, "request"))
            is_right = is_right and not is_too_many
        if run.seconds > SLOW_SECONDS:
            text += f", **{run.seconds:.0f} s**"
            is_right = False
        elif run.seconds > TOLD_SECONDS:
            text += f", {run.seconds:.0f} s"
        self.row.add(Cell(text, is_right), run)

    def _edges(self):
        wrong = []
        runs = []
        for length in EDGES:
            run, is_right = self._fetch(length, 8)
            runs.append(run)
            if not is_right:
                wrong.append(f"{length}: exit {run.exit_status}")
        self.row.add(Cell("**" + ", ".join(wrong) + "**" if wrong else "right", not wrong), *runs)

    def _killed(self):
        self.segdl.clear()
        url = f"{self.origin}/file-{LENGTH}"
        killed = self.segdl.fetch_and_kill(url, self.relay, 8, LENGTH, self.proxy)
        run = self.segdl.fetch(url, self.relay, 8, self.proxy)
        is_right = run.exit_status == 0 and self.segdl.has_right_file(self.digests[LENGTH])
        if killed.exit_status != -signal.SIGKILL:
            text = f"**not killed: exit {killed.exit_status}**"
            is_right = False
        elif not is_right:
            text = f"**exit {run.exit_status}**"
        else:
            text, is_right = self._resumed(run)
        self.row.add(Cell(text, is_right), killed, run)

    def _resumed(self, run):
        """Whether the second run took no more than what the first had not brought."""
        resumed, received = run.last("finish")["resumed"], run.last("finish")["bytes"]
        text = f"right; {resumed / MIB:.1f} MiB kept, {received / MIB:.1f} fetched"
        missing = LENGTH - resumed
        if not self.row.server.has_ranges:
            return text, received == LENGTH
        is_right = resumed > LENGTH / 8 and received <= missing + PROOF
        if self.row.scheme == "http" and union_length(run.asked) > missing + PROOF:
            return f"{text}, **{union_length(run.asked) / MIB:.1f} asked for**", False
        return text if is_right else f"**{text}**", is_right


def measure(segdl, digests, servers, folder):
    """Starts every server and yields its rows."""
    for server in servers:
        if server.is_proxy and not segdl.has_options("--proxy"):
            continue
        server.start(os.path.join(folder, "log"))
        target = servers[0] if server.is_proxy else server
        proxy = f"http://127.0.0.1:{server.port}" if server.is_proxy else None
        for scheme, port in (("http", target.port), ("https", target.tls_port)):
            if port:
                row = Course(segdl, digests, server, scheme, Relay(port), proxy).run()
                print(server.name, scheme, *(cell.text for cell in row.cells), *row.refusals, sep=" | ", flush=True)
                yield row


def handle_signals(handler):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, handler)


def main(binary, page):
    binary = os.path.abspath(binary)
    folder = temporary_folder()
    # Python installs no handler where SIGINT was ignored at the start, as it is for a shell's background job.
    handle_signals(lambda *_: sys.exit(1))
    servers = []
    try:
        root, target = os.path.join(folder, "root"), os.path.join(folder, "target")
        os.mkdir(root)
        os.mkdir(target)
        authority, certificate, key = make_certificates(folder)
        digests = {length: make_file(root, length) for length in [LENGTH, *EDGES]}
        servers = list(all_servers(Place(folder, root, certificate, key)))
        rows = list(measure(Segdl(binary, authority, target), digests, servers, folder))
        write_page(page, rows)
        sys.exit(0 if all(cell.is_right for row in rows for cell in row.cells) else 1)
    finally:
        handle_signals(signal.SIG_IGN)
        for server in servers:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
