"""Takes checks out, one at a time, and sees whether a test notices (scripts/mutants)."""

import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = sys.argv[1]
WORK = os.path.join(ROOT, ".build-mutants")
SOURCE = os.path.join(WORK, "source")
TESTS = os.path.join(SOURCE, ".build/debug/segdlPackageTests.xctest")
# sysexits.h: EX_UNAVAILABLE, from Swift's testing library.
NO_TESTS = 69
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


def mutated(all_mutants):
    """The sources with all checks made removable, by path; ends where the list does not fit them."""
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
    return texts


def check_suites(all_mutants):
    """Ends where a filter names a suite that is not there: it would pick fewer tests than are meant, in silence."""
    declared = set()
    for folder, _, files in os.walk(os.path.join(ROOT, "Tests")):
        for file in files:
            if file.endswith(".swift"):
                text = read(os.path.join(folder, file))
                suites = re.findall(r"^(?:@Suite\b.* )?(?:struct|final class|extension) (\w+Tests)\b", text, flags=re.M)
                declared.update(suites)
                tests = re.findall(r"\bfunc (\w+)\(", text)
                declared.update(f"{suite}/{test}" for suite in suites for test in tests)
    for name, suites, *_ in all_mutants:
        for suite in suites.split("|"):
            if suite not in declared:
                sys.exit(f"mutant {name}: there is no test {suite}")


def prepare(all_mutants):
    """One copy of the sources with all checks made removable: one build for all mutants."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "Sources", "Tests", "Benchmarks", "Package.swift"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    texts = mutated(all_mutants)
    for path in listed.split("\0"):
        if path.endswith((".swift", ".c", ".h", ".modulemap")) and os.path.exists(os.path.join(ROOT, path)):
            texts.setdefault(path, read(os.path.join(ROOT, path)))
    for folder, _, files in os.walk(SOURCE):
        for path in (os.path.relpath(os.path.join(folder, file), SOURCE) for file in files):
            if path.startswith(("Sources/", "Tests/", "Benchmarks/")) and path not in texts:
                os.remove(os.path.join(SOURCE, path))
    for path, text in texts.items():
        target = os.path.join(SOURCE, path)
        # What has not changed is not built again.
        if not os.path.exists(target) or read(target) != text:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "w", encoding="utf-8") as file:
                file.write(text)


def build():
    with open(os.path.join(WORK, "build.log"), "w", encoding="utf-8") as log:
        command = ["timeout", "-k", "5", "3600", "swift", "build", "--build-tests"]
        if subprocess.run(command, cwd=SOURCE, stdout=log, stderr=subprocess.STDOUT).returncode != 0:
            sys.exit(f"the mutants don't build: {log.name}")


def run_tests(suites, log, seconds, folder, mutant=None):
    """The status of the tests; `None` where they did not end in time. Their temporary folders lie in `folder`."""
    environment = {**os.environ, "TMPDIR": folder}
    environment.pop("SEGDL_MUTANT", None)
    if mutant:
        environment["SEGDL_MUTANT"] = mutant
    # The names as they stand, no longer ones that hold them. Without `swift test`, which would outlive its tests, or they it.
    names = rf"\.({suites})[/(]"
    test = [TESTS, "--testing-library", "swift-testing", "--filter", names]
    with open(os.path.join(WORK, log), "w", encoding="utf-8") as file:
        process = subprocess.Popen(test, cwd=SOURCE, env=environment, stdout=file, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        # With what a test had started and could not end.
        subprocess.run(["pkill", "-KILL", "--session", str(process.pid)], check=False)
        process.wait()
    if status == NO_TESTS:
        sys.exit(f"there is no test in {suites}")
    return status


def failed_tests(log):
    """The tests that failed, as far as the log tells, a few of them: each with its argument, where it has one."""
    issue = r'Test (".*?"|\S+) recorded an issue(?: with \d+ arguments? (.*?))? at [\w+]+\.swift:'
    found = re.findall(issue, read(os.path.join(WORK, log)))
    names = list(dict.fromkeys(f"{name} ({argument})" if argument else name for name, argument in found))
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def check_tests(suites):
    """Ends where a test fails that no check is taken out of, since it would notice nothing; or leaves something behind."""
    with tempfile.TemporaryDirectory(prefix="segdl-mutants-") as folder:
        os.chmod(folder, 0o755)
        status = run_tests(suites, "none.log", 1200, folder)
        if status != 0:
            failed = failed_tests("none.log") or status
            sys.exit(f"Tests fail with all checks in: {failed}; {WORK}/none.log")
        left = {name: sorted(os.listdir(os.path.join(folder, name))) for name in os.listdir(folder)}
        if left:
            sys.exit(f"Tests that passed have left folders, which hold: {left}")


def try_out(name, suites):
    """Whether a test notices that a check is out."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="segdl-mutants-", ignore_cleanup_errors=True) as folder:
        # Some tests become another user.
        os.chmod(folder, 0o755)
        status = run_tests(suites, f"{name}.log", 120, folder, mutant=name)
    noticed_by = failed_tests(f"{name}.log") or ("no end" if status is None else "a crash")
    result = f"noticed: {noticed_by}" if status != 0 else "SURVIVED"
    print(f"{name:28} {time.monotonic() - start:4.0f} s  {result}", flush=True)
    return status != 0


def main():
    chosen = sys.argv[2:]
    all_mutants = list(mutants())
    check_suites(all_mutants)
    if chosen == ["--fit"]:
        mutated(all_mutants)
        return
    unknown = set(chosen) - {mutant[0] for mutant in all_mutants}
    if unknown:
        sys.exit(f"no such mutant: {', '.join(sorted(unknown))}")
    prepare(all_mutants)
    build()
    tried = [(name, suites) for name, suites, *_ in all_mutants if not chosen or name in chosen]
    check_tests("|".join(sorted({suite for _, suites in tried for suite in suites.split("|")})))
    survivors = [name for name, suites in tried if not try_out(name, suites)]
    if survivors:
        sys.exit(f"No test notices that these checks are out: {', '.join(survivors)}")


main()
