#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checker sees each kind of broken rule, and leaves a clean tree alone."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(__file__).with_name("check_layers.py")
LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"


class CheckLayers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("core/error", "model/case", "simt/simt", "device/device", "candidate/call", "detect/value",
                     "worker/job", "report/html", "run/plan", "cli/verbs"):
            self.write(f"src/{name}.hpp")
        self.write("include/nlldiff/kernel.h")
        self.write("kernels/common/steps.cuh")
        self.write("CMakeLists.txt", text="", licence="# SPDX-License-Identifier: Apache-2.0\n")

    def write(self, path, text="", licence=LICENCE):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(licence + text)

    def problems(self):
        run = subprocess.run([sys.executable, CHECKER, self.root], capture_output=True, text=True)
        lines = run.stdout.splitlines()[:-1]
        self.assertEqual(run.returncode, 1 if any(lines) else 0, run.stderr)
        return [line for line in lines if line]

    def assert_one(self, part):
        found = self.problems()
        self.assertEqual(len(found), 1, found)
        self.assertIn(part, found[0])

    def test_a_clean_tree_has_no_problem(self):
        self.write("src/worker/job.cpp", '#include "worker/job.hpp"\n#include "candidate/call.hpp"\n'
                   '#include "detect/value.hpp"\n#include <ATen/core/Tensor.h>\n#include "nlldiff/kernel.h"\n')
        self.write("src/main.cpp", '#include "cli/verbs.hpp"\n')
        self.write("src/simt/translate_main.cpp", "#include <CLI/CLI.hpp>\n")
        self.write("kernels/nll.cu", '#include "common/steps.cuh"\n#include "nlldiff/kernel.h"\n')
        self.write("kernels/tests/rig.cpp", '#include "simt/simt.hpp"\n')
        self.assertEqual(self.problems(), [])

    def test_upward(self):
        self.write("src/model/case.cpp", '\n#include "run/plan.hpp"\n')
        self.assert_one("src/model/case.cpp:3: model includes run")

    def test_a_sibling(self):
        self.write("src/detect/value.cpp", '#include "candidate/call.hpp"\n')
        self.assert_one("detect includes candidate")

    def test_report_and_run_are_apart(self):
        self.write("src/run/plan.cpp", '#include "report/html.hpp"\n')
        self.assert_one("run includes report")

    def test_a_relative_path_out_of_the_layer(self):
        self.write("src/core/error.cpp", '#include "../model/case.hpp"\n')
        self.assert_one("core includes model")

    def test_angle_brackets_hide_nothing(self):
        self.write("src/core/error.cpp", "#include <model/case.hpp>\n")
        self.assert_one("core includes model")

    def test_main_goes_through_cli(self):
        self.write("src/main.cpp", '#include "run/plan.hpp"\n')
        self.assert_one("main includes run")

    def test_a_folder_that_is_no_layer(self):
        self.write("src/util/text.cpp", "#include <string>\n")
        self.assert_one("src/util is no layer")

    def test_libtorch_outside_the_worker(self):
        for header in ("torch/torch.h", "ATen/ATen.h", "c10/util/Half.h"):
            with self.subTest(header):
                self.write("src/report/html.cpp", f"  #  include <{header}>\n")
                self.assert_one("report includes LibTorch")

    def test_libtorch_in_a_kernel(self):
        self.write("kernels/nll.cu", "#include <ATen/ATen.h>\n")
        self.assert_one("kernels includes LibTorch")

    def test_cli11_outside_cli(self):
        self.write("src/run/plan.cpp", "#include <CLI/CLI.hpp>\n")
        self.assert_one("run includes CLI11")

    def test_a_kernel_that_knows_src(self):
        for name in ("simt/simt.hpp", "../src/simt/simt.hpp"):
            with self.subTest(name):
                self.write("kernels/nll.cu", f'#include "{name}"\n')
                self.assert_one("kernels include nothing of src/")

    def test_a_layer_that_reaches_into_a_kernel(self):
        self.write("src/worker/job.cpp", '#include "kernels/common/steps.cuh"\n')
        self.assert_one("worker includes a kernel's file")

    def test_no_licence_line(self):
        for path, text in (("src/core/x.cpp", "int x;\n"), ("tests/CMakeLists.txt", ""), ("scripts/do", "#!/bin/sh\n"),
                           ("tests/t.py", "pass\n"), (".github/workflows/ci.yml", "on: push\n")):
            with self.subTest(path):
                self.write(path, text, licence="")
                self.assert_one(f"{path}:1: no SPDX line")
                (self.root / path).unlink()


if __name__ == "__main__":
    unittest.main()
