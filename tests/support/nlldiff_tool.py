# SPDX-License-Identifier: Apache-2.0
"""Drives the built nlldiff as a user does, and reads its results file. Standard library only."""

import json
import os
import pathlib
import subprocess
import tempfile

TOOL = os.environ["NLLDIFF_TOOL"]
ROOT = pathlib.Path(os.environ["NLLDIFF_ROOT"])


class Run:
    """One `nlldiff run`: its exit code, its text, and its results by case name."""

    def __init__(self, process, lines):
        self.exit_code = process.returncode
        self.stdout = process.stdout
        self.stderr = process.stderr
        self.header = lines[0] if lines else {}
        self.summary = lines[-1] if len(lines) > 1 else {}
        self.results = lines[1:-1]

    def by_name(self, name):
        return next(result for result in self.results if result["case"]["name"] == name)

    def verdicts(self):
        return {result["case"]["name"]: result["verdict"] for result in self.results}

    def kinds(self):
        """The kinds of findings, each with the names of its cases."""
        kinds = {}
        for result in self.results:
            for finding in result.get("findings", []):
                kinds.setdefault(finding["kind"], []).append(result["case"]["name"])
        return kinds

    def __str__(self):
        return f"exit {self.exit_code}\n{self.stdout[-3000:]}\n{self.stderr[-3000:]}"


def call(*arguments, limit_s=100):
    """nlldiff with these arguments, in the source tree; output decoded, whatever its bytes."""
    return subprocess.run([TOOL, *map(str, arguments)], cwd=ROOT, capture_output=True, timeout=limit_s,
                          encoding="utf-8", errors="backslashreplace", check=False)


def run(*arguments, limit_s=100):
    """`nlldiff run` on the CPU, with the results that it wrote."""
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder, "results.jsonl")
        device = [] if "--device" in arguments else ["--device", "cpu"]
        process = call("run", *arguments, *device, "--no-progress", "--results", results, limit_s=limit_s)
        text = results.read_text(encoding="utf-8") if results.exists() else ""
    return Run(process, [json.loads(line) for line in text.splitlines()])
