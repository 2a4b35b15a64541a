#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the release build of nlldiff and says whether each figure meets its goal.

usage: bench.py ROOT OUTPUT_FOLDER    (scripts/bench calls this)
"""

import datetime
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(sys.argv[1]).resolve()
OUTPUT = pathlib.Path(sys.argv[2]).resolve()
BIN = ROOT / "build" / "release" / "bin"
NLLDIFF = BIN / "nlldiff"


def fail(sentence):
    sys.exit(f"bench: {sentence}")


def start_to_end_ms(arguments, runs=20):
    """Milliseconds of whole processes, after warm-up; hyperfine's where it is here."""
    command = [str(NLLDIFF), *arguments]
    if shutil.which("hyperfine"):
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            subprocess.run(["hyperfine", "-N", "--warmup", "3", "--runs", str(runs), "--export-json", file.name,
                            " ".join(command)], cwd=ROOT, check=True, capture_output=True)
            return [1e3 * t for t in json.load(file)["results"][0]["times"]]
    times = []
    for _ in range(runs + 3):
        begin = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        times.append(1e3 * (time.perf_counter() - begin))
    return times[3:]


def case_lines(results):
    """The lines of cases, without the header and the summary. The last line may still be growing."""
    lines = []
    for line in results.read_text().splitlines() if results.exists() else []:
        try:
            lines.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return [line for line in lines if "verdict" in line]


def run_cases(path):
    """One `nlldiff run`: seconds to the first result and to the end, and what became of the cases."""
    with tempfile.TemporaryDirectory() as folder:
        results, errors = pathlib.Path(folder) / "results.jsonl", pathlib.Path(folder) / "stderr"
        command = [NLLDIFF, "run", path, "--device", "cpu", "--no-progress", "--results", results]
        begin = time.perf_counter()
        with errors.open("wb") as stderr:
            process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=stderr)
        first = None
        while process.poll() is None:
            if first is None and case_lines(results):
                first = time.perf_counter() - begin
            time.sleep(0.005 if first is None else 0.02)
        seconds = time.perf_counter() - begin
        cases = case_lines(results)
        if process.returncode not in (0, 1) or not cases:
            fail(f"nlldiff run {path} ended with {process.returncode}: {errors.read_text(errors='replace')}")
        verdicts = {}
        for case in cases:
            verdicts[case["verdict"]] = verdicts.get(case["verdict"], 0) + 1
        return {"first_s": first or seconds, "seconds": seconds, "cases": len(cases), "verdicts": verdicts}


def simt_figures():
    """What nlldiff_simt_bench prints: a JSON object of figures in traced threads a second and core."""
    program = BIN / "nlldiff_simt_bench"
    if not program.exists():
        fail(f"{program.relative_to(ROOT)} is missing; it is a target of src/simt")
    return json.loads(subprocess.run([program], check=True, capture_output=True, text=True).stdout)


def machine():
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
                 platform.machine())
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = next((line.split("=", 1)[1].strip().strip('"') for line in open("/etc/os-release")
                   if line.startswith("PRETTY_NAME=")), platform.platform())
    return {"cpu": model, "cores": len(os.sched_getaffinity(0)), "memory_gib": round(memory_gib, 1), "system": system,
            "version": subprocess.run([NLLDIFF, "--version"], capture_output=True, text=True).stdout.strip(),
            "date": datetime.date.today().isoformat()}


def figure(name, value, unit, goal, at_most):
    met = None if goal is None else (value <= goal if at_most else value >= goal)
    return {"name": name, "value": round(value, 3), "unit": unit, "goal": goal, "at_most": at_most, "met": met}


def measure():
    figures = [figure(f"nlldiff {' '.join(arguments)}", statistics.median(start_to_end_ms(arguments)), "ms", 50, True)
               for arguments in (["--help"], ["list", "cases/"])]
    smoke, ci = run_cases("cases/smoke"), run_cases("cases/ci")
    figures += [figure("first result of nlldiff run cases/smoke", smoke["first_s"], "s", 2, True),
                figure("nlldiff run cases/smoke", smoke["seconds"], "s", 10, True),
                figure("nlldiff run cases/ci", ci["seconds"], "s", 60, True),
                figure("cases a second in cases/ci, four traced runs each", ci["cases"] / ci["seconds"], "1/s", 500, False)]
    goals = {"traced_threads_per_second": 15e6, "traced_threads_per_second_with_barrier": 4e6}
    figures += [figure("simt " + name.replace("_", " "), value, "1/s", goals.get(name), False)
                for name, value in simt_figures().items() if isinstance(value, (int, float))]
    return {"command": "scripts/bench", "machine": machine(), "figures": figures, "smoke": smoke, "ci": ci}


def markdown(report):
    about = report["machine"]
    lines = ["# nlldiff's own speed", "", f"`{report['command']}`, {about['date']}: {about['version']} on {about['cpu']}, "
             f"{about['cores']} cores, {about['memory_gib']} GiB, {about['system']}.", "",
             f"cases/ci: {report['ci']['cases']} cases, {report['ci']['verdicts']}.", "",
             "| what | measured | goal | met |", "|---|---:|---:|---|"]
    for f in report["figures"]:
        goal = "" if f["goal"] is None else f"{'<=' if f['at_most'] else '>='} {f['goal']:,.0f} {f['unit']}"
        met = {True: "yes", False: "**no**", None: ""}[f["met"]]
        value = f"{f['value']:,.0f}" if f["value"] >= 1000 else f"{f['value']:.3g}"
        lines.append(f"| {f['name']} | {value} {f['unit']} | {goal} | {met} |")
    return "\n".join(lines) + "\n"


def main():
    report = measure()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    (OUTPUT / "bench.json").write_text(json.dumps(report, indent=2) + "\n")
    (OUTPUT / "bench.md").write_text(markdown(report))
    print(markdown(report), end="")


if __name__ == "__main__":
    main()
