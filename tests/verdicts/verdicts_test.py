# SPDX-License-Identifier: Apache-2.0
"""What nlldiff says of kernels whose faults are known: nothing of the legal ones, the right thing of each mutant."""

import pathlib
import shlex
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import nlldiff_tool as tool  # noqa: E402

FOUNDING = "cases/founding.json"
OWN = "tests/verdicts/cases.json"
LEGAL = ["compacting", "extra_pass", "fused_one_pass", "one_block", "sorting", "textbook", "tile_counter"]

# mutant -> (the file, the case that shows it, the kind of finding that belongs to it, the tensor)
MUTANTS = {
    "sentinel_alias": (FOUNDING, "sentinel-equals-C", "foreign_store", "grad_input"),
    "sentinel_alias_2d": (FOUNDING, "sentinel-equals-C-2d", "foreign_store", "grad_input"),
    "tail_store": (FOUNDING, "sentinel-equals-C", "lost_gradient", "grad_input"),
    "off_by_one_class": (FOUNDING, "sentinel-equals-C", "off_support", "grad_input"),
    "mean_by_rows": (FOUNDING, "default-sentinel/reduction=mean", "wrong", "grad_input"),
    "missing_weight": ("cases/smoke", "batch/reduction=sum,dtype=float32,weight.fill=random", "wrong", "total_weight"),
    "grad_output_scalar": (FOUNDING, "two-rows-away", "wrong", "grad_input"),
    "unwritten_rows": (FOUNDING, "sentinel-equals-C", "unwritten", "grad_input"),
    "race_sum": (FOUNDING, "default-sentinel/reduction=sum", "conflict", "output"),
    "offset_16bit": ("cases/ci/boundaries.json", "wide/shape=17,C=4096,reduction=none,dtype=float32", "off_support",
                     "grad_input"),
}


def findings_of(result, kind):
    return [finding for finding in result.get("findings", []) if finding["kind"] == kind]


def notes_of(result, kind):
    return [cell.get("note", "") for finding in findings_of(result, kind) for cell in finding["cells"]]


def without_times(result):
    return {key: value for key, value in result.items() if key != "times_ms"}


class Legal(unittest.TestCase):
    """No false alarm: kernels that would fool a rule that maps threads to rows."""

    def check(self, candidate, least_passes):
        run = tool.run(FOUNDING, "cases/smoke", OWN, "--candidate", candidate)
        self.assertEqual(run.kinds(), {}, run)
        self.assertLessEqual(set(run.verdicts().values()), {"pass", "unsupported"}, run)
        self.assertGreaterEqual(run.summary["verdicts"].get("pass", 0), least_passes, run)
        self.assertEqual(run.exit_code, 0, run)

    def test_the_projects_own_kernels(self):
        self.check("nlldiff", 200)


for _name in LEGAL:
    setattr(Legal, f"test_{_name}", lambda self, name=_name: self.check(f"legal:{name}", 180))


class Mutants(unittest.TestCase):
    """Each mutant is caught, with the finding that its defect is."""

    def check(self, mutant):
        path, case, kind, tensor = MUTANTS[mutant]
        run = tool.run(path, "--filter", case, "--candidate", f"mutant:{mutant}")
        self.assertEqual(run.exit_code, 1, run)
        result = run.by_name(case)
        self.assertEqual(result["verdict"], "fail")
        self.assertIn(tensor, [finding["tensor"] for finding in findings_of(result, kind)], result.get("findings"))

    def test_the_table_names_every_mutant(self):
        listed = {line.split()[0].removeprefix("mutant:")
                  for line in tool.call("candidates").stdout.splitlines() if line.strip().startswith("mutant:")}
        self.assertEqual(listed, set(MUTANTS))

    def test_no_mutant_is_unsupported_everywhere_or_refuses_what_is_legal(self):
        for mutant in MUTANTS:
            run = tool.run(FOUNDING, OWN, "--candidate", f"mutant:{mutant}", "--trace", "off")
            self.assertGreater(sum(verdict != "unsupported" for verdict in run.verdicts().values()), 15, mutant)
            self.assertNotIn("raised", run.kinds(), mutant)


for _name in MUTANTS:
    setattr(Mutants, f"test_{_name}", lambda self, name=_name: self.check(name))


class Aliasing(unittest.TestCase):
    """The founding fault, spelled out."""

    def test_the_address_its_owner_and_the_culprit_are_in_numbers(self):
        run = tool.run(FOUNDING, "--filter", "sentinel-equals-C", "--candidate", "mutant:sentinel_alias")
        result = run.by_name("sentinel-equals-C")
        finding = findings_of(result, "foreign_store")[0]
        self.assertEqual(finding["count"], 2)
        self.assertEqual(finding["address_form"], "n*C*D + ignore_index*D + d")
        self.assertEqual([(cell["cell"], cell["row"], cell["class"]) for cell in finding["cells"]],
                         [(4, 1, 0), (16, 4, 0)])
        self.assertIn("row 0 is ignored (target 4 = ignore_index)", finding["cells"][0]["note"])
        self.assertIn("block 0 thread 0 stored 0", finding["cells"][0]["note"])
        self.assertIn("0*4 + 4 = cell 4 = row 1, class 0, whose gradient -1 is lost", finding["cells"][0]["note"])
        self.assertIn("3*4 + 4 = cell 16 = row 4, class 0, whose gradient -1 is lost", finding["cells"][1]["note"])
        self.assertEqual(finding["cure"], "mask the store, not only the value")
        for said in ("0*4 + 4 = cell 4 = row 1, class 0", "mask the store, not only the value"):
            self.assertIn(said, run.stdout)

    def test_the_2d_address_has_the_pixel_in_it(self):
        run = tool.run(FOUNDING, "--filter", "sentinel-equals-C-2d", "--candidate", "mutant:sentinel_alias_2d")
        notes = notes_of(run.by_name("sentinel-equals-C-2d"), "foreign_store")
        self.assertIn("0*4*2 + 4*2 + 0 = cell 8 = row 2 (n=1, d=0), class 0", notes[0])
        self.assertIn("1*4*2 + 4*2 + 1 = cell 17 = row 5 (n=2, d=1), class 0", notes[1])

    def test_the_default_sentinel_hits_the_row_before(self):
        run = tool.run(FOUNDING, "--filter", "default-sentinel/*", "--candidate", "mutant:sentinel_alias")
        self.assertEqual(len(run.results), 3)
        for result in run.results:
            for cell in findings_of(result, "foreign_store")[0]["cells"]:
                self.assertEqual(cell["class"], 28)
                self.assertIn(f"{cell['row'] + 1}*128 - 100 = cell {cell['cell']}", cell["note"])

    def test_every_predicted_row_is_found(self):
        """Every ignored row that visibility calls target_cell or other_cell costs one foreign store, and no other."""
        run = tool.run(OWN, "--filter", "collide/*", "--candidate", "mutant:sentinel_alias")
        judged = [result for result in run.results if result["verdict"] != "unsupported"]
        self.assertGreater(len(judged), 40)
        for result in judged:
            seen = sum(finding["count"] for finding in findings_of(result, "foreign_store"))
            visibility = result.get("visibility", {})
            self.assertEqual(seen, visibility.get("target_cell", 0) + visibility.get("other_cell", 0),
                             result["case"]["name"])

    def test_a_trace_alone_finds_it_where_every_value_is_right(self):
        run = tool.run(FOUNDING, "--filter", "only-the-trace-sees-it", "--candidate", "mutant:sentinel_alias")
        result = run.by_name("only-the-trace-sees-it")
        self.assertEqual(run.kinds(), {"foreign_store": ["only-the-trace-sees-it"]})
        self.assertEqual([comparison.get("mismatches", 0) for comparison in result["comparisons"]], [0, 0, 0])
        self.assertIn("only a trace can see it", notes_of(result, "foreign_store")[0])


class Tracing(unittest.TestCase):
    """A detector that could not look is said, never green without a word."""

    def test_without_a_trace_the_verdict_is_limited(self):
        run = tool.run(FOUNDING, "--trace", "off")
        self.assertEqual(set(run.verdicts().values()), {"limited"}, run)
        self.assertEqual(run.exit_code, 0)
        for result in run.results:
            self.assertIn("could not judge: tracing is off", result["reason"])
            blind = [look["detector"] for look in result["detectors"] if look.get("judged") is False]
            self.assertIn("alias", blind)

    def test_require_trace_makes_limited_fail(self):
        run = tool.run(FOUNDING, "--trace", "off", "--require", "trace")
        self.assertEqual(run.exit_code, 1, run)
        self.assertEqual(tool.run(FOUNDING, "--require", "trace").exit_code, 0)

    def test_what_only_a_trace_sees_is_limited_without_one(self):
        run = tool.run(FOUNDING, "--filter", "only-the-trace-sees-it", "--candidate", "mutant:sentinel_alias", "--trace",
                       "off")
        self.assertEqual(run.by_name("only-the-trace-sees-it")["verdict"], "limited")

    def test_values_are_judged_without_a_trace(self):
        run = tool.run(FOUNDING, "--filter", "sentinel-equals-C", "--candidate", "mutant:sentinel_alias", "--trace", "off")
        self.assertEqual(run.kinds(), {"lost_gradient": ["sentinel-equals-C"]})

    def test_aten_is_a_native_candidate_whose_stores_nobody_sees(self):
        run = tool.run(FOUNDING, "--candidate", "aten")
        self.assertEqual(run.kinds(), {}, run)
        self.assertEqual(set(run.verdicts().values()), {"limited"}, run)
        self.assertEqual({result["execution"] for result in run.results}, {"native"})
        self.assertIn("a host library's stores cannot be traced", run.results[0]["reason"])


class Results(unittest.TestCase):
    """What stands in a results file."""

    @classmethod
    def setUpClass(cls):
        cls.ours = tool.run(FOUNDING, "cases/smoke")
        cls.alias = tool.run(FOUNDING, "--candidate", "mutant:sentinel_alias")

    def test_the_header_says_what_ran_where(self):
        header = self.ours.header
        self.assertEqual(header["schema_version"], 1)
        self.assertEqual(header["cases_planned"], len(self.ours.results))
        for key in ("torch.version", "torch.git", "compiler", "cpu", "kernel", "candidate.nlldiff.library"):
            self.assertTrue(header["environment"].get(key), key)

    def test_the_summary_adds_up(self):
        for run in (self.ours, self.alias):
            self.assertEqual(sum(run.summary["verdicts"].values()), len(run.results))
            self.assertEqual(run.summary["findings"], sum(len(r.get("findings", [])) for r in run.results))
            judged = [r for r in run.results if r["verdict"] in ("pass", "limited", "fail", "inconclusive")]
            self.assertEqual(run.summary["ignored_rows"], sum(r.get("ignored_rows", 0) for r in judged))
            self.assertEqual(run.summary["exit_code"], run.exit_code)

    def test_every_compared_tensor_has_its_limit_and_a_whole_histogram(self):
        compared = 0
        for result in self.ours.results:
            for comparison in result.get("comparisons", []):
                name = f"{result['case']['name']}: {comparison['tensor']}"
                self.assertTrue(comparison["limit"], name)
                # A NaN that is right, as the mean over no row is, lies at no distance.
                no_row = result.get("ignored_rows", 0) == result.get("rows", 0)
                undefined = no_row and comparison["tensor"] == "output" and result["case"].get("reduction", "mean") == "mean"
                self.assertEqual(sum(comparison.get("ulp_histogram", [])), comparison["compared"] - undefined, name)
                compared += comparison["compared"]
        self.assertGreater(compared, 50_000)

    def test_ignored_rows_are_counted_and_told_apart_by_visibility(self):
        for result in self.ours.results:
            self.assertEqual(sum(result.get("visibility", {}).values()), result.get("ignored_rows", 0),
                             result["case"]["name"])
        founding = self.ours.by_name("sentinel-equals-C")
        self.assertEqual((founding["rows"], founding["ignored_rows"], founding["visibility"]), (6, 2, {"target_cell": 2}))
        self.assertEqual(self.ours.by_name("only-the-trace-sees-it")["visibility"], {"other_cell": 2})

    def test_times_are_there(self):
        for result in self.ours.results:
            self.assertGreater(result["times_ms"]["candidate"], 0)

    def test_the_repro_line_runs_that_case_alone_with_the_same_verdict(self):
        for run in (self.ours, self.alias):
            for result in run.results[:: max(1, len(run.results) // 4)]:
                words = shlex.split(result["repro"])
                self.assertEqual(words[:2], ["nlldiff", "run"])
                self.assertIn("--device", words)
                again = tool.run(*words[2:])
                self.assertEqual(len(again.results), 1, result["repro"])
                self.assertEqual(without_times(again.results[0]), without_times(result), result["repro"])

    def test_the_repro_line_keeps_what_the_command_line_changed(self):
        run = tool.run(FOUNDING, "--filter", "collide-2d/*", "--set", "reduction=sum", "--rng-seed", "7", "--candidate",
                       "mutant:sentinel_alias_2d", "--trace", "off")
        result = next(result for result in run.results if result["verdict"] == "fail")
        again = tool.run(*shlex.split(result["repro"])[2:])
        self.assertEqual(len(again.results), 1)
        self.assertEqual(without_times(again.results[0]), without_times(result))
        self.assertEqual(again.results[0]["case"]["reduction"], "sum")
        self.assertEqual(again.results[0]["case"]["rng_seed"], 7)


class Repeatability(unittest.TestCase):
    """The same seed gives the same bits, and another seed does not."""

    @staticmethod
    def results(*arguments):
        run = tool.run(FOUNDING, OWN, "--candidate", "mutant:sentinel_alias", *arguments)
        return sorted((without_times(result) for result in run.results), key=lambda result: result["case"]["name"])

    def test_two_runs_give_the_same_results(self):
        first = self.results("--jobs", "1")
        self.assertEqual(first, self.results("--jobs", "2"))
        self.assertNotEqual(first, self.results("--rng-seed", "99"))


if __name__ == "__main__":
    unittest.main()
