"""Runs of the real program, and what is read off them."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

from servers import BOUND_TO_PARENT

TIMEOUT = 120


class Run:
    """One run that has ended: what `--progress json` said, and what the relay saw."""

    def __init__(self, exit_status, output, relay, seconds):
        self.exit_status, self.seconds = exit_status, seconds
        self.events = [json.loads(line) for line in output.splitlines() if line.startswith("{") and line.endswith("}")]
        self.connections, self.requests = relay.connections, relay.requests
        self.asked, self.received = relay.asked, relay.received

    def last(self, event):
        return next((one for one in reversed(self.events) if one["event"] == event), {})

    @property
    def notes(self):
        return [one["message"] for one in self.events if one["event"] == "note"]

    @property
    def refusal(self):
        return self.last("error").get("message", "")


class Segdl:
    """The program, with a folder to download into."""

    def __init__(self, path, authority, folder):
        self.path, self.authority, self.folder = path, authority, folder

    def fetch(self, url, relay, jobs, proxy=None):
        """Downloads to the end."""
        relay.reset()
        start = time.monotonic()
        process = self._start(url, jobs, proxy)
        try:
            output, _ = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
        return Run(process.returncode, output, relay, time.monotonic() - start)

    def fetch_and_kill(self, url, relay, jobs, length, proxy=None):
        """Downloads slowly, and kills the program when half of the file has come."""
        # Slow enough that the journal has been synced several times by then.
        relay.reset(bytes_per_second=length / 2)
        process = self._start(url, jobs, proxy)
        deadline = time.monotonic() + TIMEOUT
        while relay.received < length / 2 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        output, _ = process.communicate()
        return Run(process.returncode, output, relay, 0)

    def _start(self, url, jobs, proxy):
        options = ["--progress", "json", "-j", str(jobs), "--cacert", self.authority, "-o", "file"]
        if proxy:
            options += ["--proxy", proxy]
        environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        return subprocess.Popen(
            [*BOUND_TO_PARENT, self.path, *options, url],
            cwd=self.folder, env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )

    def has_right_file(self, digest):
        """Whether the folder holds the file that is wanted and nothing else."""
        if os.listdir(self.folder) != ["file"]:
            return False
        with open(os.path.join(self.folder, "file"), "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == digest

    def has_options(self, name):
        text = subprocess.run([self.path, "--help"], capture_output=True, text=True, check=True).stdout
        return name in text

    def clear(self):
        shutil.rmtree(self.folder)
        os.mkdir(self.folder)


def union_length(ranges):
    """How many bytes lie in at least one of the ranges."""
    total = end = 0
    for one in sorted(ranges, key=lambda one: one.start):
        total += max(0, one.stop - max(one.start, end))
        end = max(end, one.stop)
    return total


def temporary_folder():
    folder = tempfile.mkdtemp(prefix="segdl-interop-")
    # Some servers give up root, and have to read the files.
    os.chmod(folder, 0o755)
    return folder
