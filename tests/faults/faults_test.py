# SPDX-License-Identifier: Apache-2.0
"""A kernel that misbehaves costs its own case: it is named, and the case after it runs as if nothing had been.

Usage: faults_test.py FOLDER [CLASS...], where FOLDER holds the built kernels.
"""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import nlldiff_tool as tool  # noqa: E402

CASES = "tests/faults/cases.json"
KERNELS = pathlib.Path(sys.argv[1])


def run_fault(name, *arguments):
    return tool.run(CASES, "--candidate", KERNELS / f"{name}.so", "--timeout", "2", "--jobs", "1", *arguments)


class Contained(unittest.TestCase):
    """Signals, exits, hangs and floods."""

    def fault(self, name, verdict):
        """The result of the case in which kernel `name` misbehaves; the cases around it are as they should be."""
        run = run_fault(name)
        self.assertEqual(run.verdicts(), {"before": "limited", "fault": verdict, "after": "limited"}, run)
        self.assertEqual(run.exit_code, 0 if verdict == "limited" else 1, run)
        self.assertEqual(run.summary["cases_run"], 3)
        return run.by_name("fault")

    def test_a_well_behaved_kernel_passes_all_three(self):
        self.fault("well_behaved", "limited")

    def test_a_store_through_a_null_pointer(self):
        result = self.fault("null_store", "crash")
        self.assertIn("SIGSEGV", result["reason"])
        self.assertIn("null pointer", result["reason"])
        self.assertIn("about to store", result["captured_stderr"])

    def test_a_store_far_outside_is_decoded_to_tensor_and_cell(self):
        result = self.fault("far_store", "crash")
        self.assertIn("SIGSEGV", result["reason"])
        self.assertIn(f"before grad_input: byte offset {-4 << 40}, cell {-1 << 40}", result["reason"])

    def test_a_store_at_an_impossible_address(self):
        result = self.fault("wild_store", "crash")
        self.assertIn("SIGSEGV", result["reason"])
        self.assertIn("no address that a process can have", result["reason"])

    def test_a_stack_overflow(self):
        result = self.fault("stack_overflow", "crash")
        self.assertIn("SIGSEGV", result["reason"])
        self.assertIn("the stack is used up", result["reason"])

    def test_an_abort(self):
        result = self.fault("aborts", "crash")
        self.assertIn("SIGABRT", result["reason"])
        self.assertIn("assertion `rows > 0` failed", result["captured_stderr"])

    def test_an_exit_with_success_is_no_answer(self):
        result = self.fault("exits", "crash")
        self.assertRegex(result["reason"], r"exit.* 0 before it answered")
        self.assertIn("good bye", result["captured_stdout"])

    def test_a_hang(self):
        result = self.fault("hangs", "timeout")
        self.assertIn("no answer within 2 s", result["reason"])
        self.assertIn("waiting for a flag", result["captured_stdout"])

    def test_endless_output_is_cut(self):
        result = self.fault("prints_forever", "timeout")
        self.assertIn("line 0 of a log", result["captured_stdout"])
        self.assertLess(len(result["captured_stdout"]), 1 << 20)

    def test_output_that_is_no_utf8_is_escaped(self):
        result = self.fault("prints_bytes", "limited")
        self.assertIn("caf\\xe9 \\xff\\xfe \\xc3( end", result["captured_stdout"].lower())


class Findings(unittest.TestCase):
    """What a kernel does wrong while it stays alive."""

    def fault(self, name):
        run = run_fault(name)
        self.assertEqual(run.verdicts(), {"before": "limited", "fault": "fail", "after": "limited"}, run)
        self.assertEqual(run.exit_code, 1)
        return run.by_name("fault")["findings"]

    def test_a_changed_input_is_named_with_its_element(self):
        findings = self.fault("changes_input")
        self.assertIn("input_changed", [finding["kind"] for finding in findings])
        changed = next(finding for finding in findings if finding["kind"] == "input_changed")
        self.assertEqual((changed["tensor"], changed["count"], changed["cells"][0]["cell"]), ("input", 1, 5))

    def test_refusing_what_is_legal_is_a_finding_with_the_kernels_own_sentence(self):
        findings = self.fault("refuses")
        self.assertEqual({finding["kind"] for finding in findings}, {"raised"})
        self.assertIn("refused a legal input: no odd sentinels", findings[0]["message"])

    def test_an_unknown_status_is_a_failure(self):
        findings = self.fault("odd_status")
        self.assertEqual({finding["kind"] for finding in findings}, {"raised"})
        self.assertIn("status 77, without a sentence", findings[0]["message"])


class Abi(unittest.TestCase):
    """Libraries that are no kernels: one line, exit 2, before any work."""

    def check(self, name, *said):
        run = run_fault(name)
        self.assertEqual(run.exit_code, 2, run)
        self.assertEqual(run.results, [])
        self.assertEqual(len(run.stderr.strip().splitlines()), 1, run.stderr)
        for words in (f"{name}.so", *said):
            self.assertIn(words, run.stderr)

    def test_another_abi_version(self):
        self.check("wrong_abi", "ABI version 99", "rebuild it")

    def test_no_entry_symbol(self):
        self.check("no_symbol", "nlldiff_get_kernel")

    def test_a_null_description(self):
        self.check("null_description", "nlldiff_get_kernel returned NULL")

    def test_a_library_that_cannot_be_loaded(self):
        self.check("unresolved", "nlldiff_fault_function_of_nobody")

    def test_a_file_that_is_no_library(self):
        self.check("no_library")

    def test_a_file_that_is_not_there(self):
        self.check("not_there")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
