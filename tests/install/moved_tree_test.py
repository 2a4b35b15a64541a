#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs into one folder, moves the tree to another, and works there.

usage: moved_tree_test.py CMAKE BUILD_FOLDER
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CMAKE, BUILD = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent"}


def run(*command, cwd, expect=0):
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True,
                          timeout=240)
    if done.returncode != expect:
        raise AssertionError(f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class MovedTree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        first, cls.tree = cls.folder / "first", cls.folder / "moved" / "elsewhere"
        run(CMAKE, "--install", BUILD, "--prefix", first, cwd=cls.folder)
        cls.tree.parent.mkdir()
        first.rename(cls.tree)
        cls.nlldiff = cls.tree / "bin" / "nlldiff"
        cls.cases = cls.tree / "share" / "nlldiff" / "cases"

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def programs(self):
        """Every ELF file of the tree."""
        files = [f for f in self.tree.rglob("*") if f.is_file() and not f.is_symlink()]
        return [f for f in files if f.read_bytes()[:4] == b"\x7fELF"]

    def test_holds_what_a_run_and_a_kernel_author_need(self):
        for name in ("bin/nlldiff", "bin/nlldiff-worker", "lib/nlldiff/libnlldiff_simt.so",
                     "lib/nlldiff/candidates/cpu/nlldiff.so", "lib/nlldiff/candidates/cpu/mutant_sentinel_alias.so",
                     "include/nlldiff/kernel.h", "share/nlldiff/simt", "share/nlldiff/cases/founding.json",
                     "share/doc/nlldiff/LICENSE"):
            self.assertTrue((self.tree / name).exists(), name)

    def test_nothing_points_back(self):
        links = [f for f in self.tree.rglob("*") if f.is_symlink()]
        self.assertEqual(links, [])
        self.assertGreater(len(self.programs()), 3)
        for file in self.programs():
            dynamic = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout
            for path in ":".join(re.findall(r"R(?:UN)?PATH\).*\[(.*)\]", dynamic)).split(":"):
                self.assertFalse(path.startswith((str(BUILD), str(self.folder))), f"{file.name}: RPATH {path}")

    def test_every_library_is_found_and_none_in_the_build_tree(self):
        for file in self.programs():
            needs = subprocess.run(["ldd", file], capture_output=True, text=True, env=ENVIRONMENT).stdout
            # libcuda comes with the driver, which a machine without a GPU has not.
            missing = [line for line in needs.splitlines() if "not found" in line and "libcuda.so" not in line]
            self.assertEqual(missing, [], file.name)
            self.assertNotIn(str(BUILD), needs, file.name)

    def test_lists_and_runs_its_own_cases(self):
        listed = run(self.nlldiff, "list", self.cases / "smoke", cwd=self.folder)
        self.assertGreater(len(listed.splitlines()), 1)
        results = self.folder / "results.jsonl"
        run(self.nlldiff, "run", self.cases / "smoke", "--device", "cpu", "--results", results, cwd=self.folder)
        lines = [json.loads(line) for line in results.read_text().splitlines()]
        verdicts = [line["verdict"] for line in lines if "verdict" in line]
        self.assertGreater(len(verdicts), 1)
        self.assertLessEqual(set(verdicts), {"pass"})

    def test_still_sees_the_founding_fault(self):
        out = run(self.nlldiff, "run", self.cases / "founding.json", "--device", "cpu", "--candidate",
                  "mutant:sentinel_alias", cwd=self.folder, expect=1)
        self.assertIn("ignore", out)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
