# SPDX-License-Identifier: Apache-2.0
"""The main job on a GPU: ours, a mutant and ATen, with the detectors that need no trace."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import nlldiff_tool as tool  # noqa: E402

ON_GPU = ("--device", "cuda")


class OurKernels(unittest.TestCase):
    def test_have_no_finding_over_smoke_and_founding(self):
        run = tool.run("cases/smoke", "cases/founding.json", *ON_GPU)
        self.assertEqual(run.exit_code, 0, run)
        self.assertEqual(run.kinds(), {}, run)
        self.assertGreater(len(run.results), 90, run)

    def test_are_what_device_auto_takes_to_the_gpu(self):
        run = tool.run("cases/smoke", "--device", "auto")
        self.assertEqual({result["device"] for result in run.results}, {"cuda:0"}, run)

    def test_give_the_bits_that_they_give_on_the_host(self):
        """Losses are sums in a fixed order: GPU and host agree to the last bit, so the comparisons are the same."""
        arguments = ("cases/smoke", "--filter", "batch/*")
        keep = ("tensor", "max_ulps", "ulp_histogram", "worst")

        def comparisons(run):
            return {r["case"]["name"]: [{k: c.get(k) for k in keep} for c in r["comparisons"]] for r in run.results}

        self.assertEqual(comparisons(tool.run(*arguments, *ON_GPU)), comparisons(tool.run(*arguments)))


class Mutants(unittest.TestCase):
    def test_sentinel_alias_loses_gradients_that_the_value_detector_sees(self):
        """Which store wins is the scheduler's choice; over many collisions some gradient is lost."""
        run = tool.run("cases/founding.json", "--candidate", "mutant:sentinel_alias", *ON_GPU)
        self.assertEqual(run.exit_code, 1, run)
        self.assertIn("lost_gradient", run.kinds(), run)

    def test_without_a_trace_the_verdict_is_limited_and_require_trace_fails(self):
        run = tool.run("cases/smoke", "--filter", "batch/*", *ON_GPU)
        self.assertEqual(set(run.verdicts().values()), {"limited"}, run)
        self.assertEqual(tool.run("cases/smoke", *ON_GPU, "--require", "trace").exit_code, 1)


class DeviceAsserts(unittest.TestCase):
    def test_cost_no_case_but_their_own(self):
        """ATen refuses a bad target by a device-side assert, which ends its CUDA context for good."""
        run = tool.run("cases/smoke", "--candidate", "aten", "--jobs", "1", *ON_GPU)
        verdicts = run.verdicts()
        self.assertNotIn("crash", verdicts.values(), run)
        bad = [verdicts[name] for name in verdicts if name.startswith("bad-target/")]
        self.assertEqual(set(bad) - {"limited", "pass"}, set(), run)
        self.assertEqual(verdicts["nan-where-nothing-looks"], "limited", run)
        self.assertEqual(len(bad), 3, run)


if __name__ == "__main__":
    unittest.main()
