"""Takes checks out, one at a time, and sees whether a test notices (scripts/mutants)."""

import os
import re
import subprocess
import sys
import time

ROOT = sys.argv[1]
WORK = os.path.join(ROOT, ".build-mutants")
SOURCE = os.path.join(WORK, "source")
CORE = "Sources/SegmentedDownloadCore/Mutant.swift"
HELPER = """internal import Glibc

private let active = getenv("SEGDL_MUTANT").map { String(cString: $0) }

package func isMutant(_ name: String) -> Bool { active == name }
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def mutants():
    """The blocks of mutants.txt: name, suites, file, text as it stands, text that it becomes."""
    blocks = re.split(r"^@ ", read(os.path.join(ROOT, "Tests/Mutants/mutants.txt")), flags=re.M)[1:]
    for block in blocks:
        head, path, rest = block.split("\n", 2)
        name, suites = head.split(" ", 1)
        old, new = re.match(r"- (.*?)\n\+ (.*?)\n(?=\n|#|\Z)", rest, flags=re.S).groups()
        yield name, suites, path, old, new


def off(name):
    return f'isMutant("{name}")'


def imported(path, text):
    """With the module that `isMutant` is in, where the library's file does without."""
    line = "internal import SegmentedDownloadCore\n"
    return line + text if path.startswith("Sources/SegmentedDownload/") and line not in text else text


def prepare(all_mutants):
    """One copy of the sources with all checks made removable: one build for all mutants."""
    listed = subprocess.run(["git", "ls-files", "-z", "Sources", "Tests", "Benchmarks", "Package.swift"], cwd=ROOT,
                            check=True, capture_output=True, text=True).stdout
    texts = {CORE: HELPER}
    last = {}
    for name, _, path, old, new in all_mutants:
        text = texts.get(path) or imported(path, read(os.path.join(ROOT, path)))
        # A check whose line another mutant has changed already is named by what that one made of it.
        before = last.get(path)
        marked = old.replace("OFF", off(before)) if before else old
        if text.count(marked) != 1:
            sys.exit(f"mutant {name}: its text stands {text.count(marked)} times in {path}:\n{marked}")
        if "OFF2" in new:
            made = new.replace("OFF2", off(name)).replace("OFF", off(before))
        else:
            made = new.replace("OFF", off(name))
        texts[path] = text.replace(marked, made)
        last[path] = name
    for path in listed.split("\0"):
        if path.endswith((".swift", ".c", ".h", ".modulemap")) and os.path.exists(os.path.join(ROOT, path)):
            texts.setdefault(path, read(os.path.join(ROOT, path)))
    for path, text in texts.items():
        target = os.path.join(SOURCE, path)
        # What has not changed is not built again.
        if not os.path.exists(target) or read(target) != text:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "w", encoding="utf-8") as file:
                file.write(text)


def swift(arguments, mutant=None, log=None):
    environment = dict(os.environ)
    environment.pop("SEGDL_MUTANT", None)
    if mutant:
        environment["SEGDL_MUTANT"] = mutant
    command = ["timeout", "-k", "5"] + arguments
    with open(os.path.join(WORK, log), "w", encoding="utf-8") as file:
        return subprocess.run(command, cwd=SOURCE, env=environment, stdout=file, stderr=subprocess.STDOUT).returncode


def main():
    chosen = sys.argv[2:]
    all_mutants = list(mutants())
    unknown = set(chosen) - {mutant[0] for mutant in all_mutants}
    if unknown:
        sys.exit(f"no such mutant: {', '.join(sorted(unknown))}")
    prepare(all_mutants)
    if swift(["3600", "swift", "build", "--build-tests"], log="build.log") != 0:
        sys.exit(f"the mutants don't build: {WORK}/build.log")
    survivors = []
    for name, suites, *_ in all_mutants:
        if chosen and name not in chosen:
            continue
        start = time.monotonic()
        test = ["300", "swift", "test", "--skip-build", "--disable-xctest", "--filter", suites]
        status = swift(test, mutant=name, log=f"{name}.log")
        result = "noticed" if status != 0 else "SURVIVED"
        if status == 124:
            result = "noticed (never ends)"
        if status == 0:
            survivors.append(name)
        print(f"{result:21} {name:28} {time.monotonic() - start:5.0f} s", flush=True)
    if survivors:
        sys.exit(f"No test notices that these checks are out: {', '.join(survivors)}")


main()
