#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each header compiles alone. Where x.cpp includes x.hpp before anything else, the build has shown it; the others are
compiled here.

usage: check_headers.py ROOT COMPILER FLAG...
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def shown_by_its_source(root, header):
    source = header.with_suffix(".cpp")
    if not source.is_file():
        return False
    first = INCLUDE.search(source.read_text(encoding="utf-8", errors="replace"))
    return first is not None and first[1] in (str(header.relative_to(root / "src")), header.name)


def compile_alone(command, root, header):
    run = subprocess.run([*command, "-fsyntax-only", "-x", "c++", "-"], input=f'#include "{header}"\n', text=True,
                         capture_output=True)
    return "" if run.returncode == 0 else f"{header.relative_to(root)}: does not compile alone\n{run.stderr}"


def main():
    root, command = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    # src/simt/include is for kernels under test: src/simt's own tests compile it.
    headers = [h for h in sorted((root / "src").rglob("*.hpp")) if "include" not in h.relative_to(root).parts]
    alone = [h for h in headers if not shown_by_its_source(root, h)]
    with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        problems = [p for p in pool.map(lambda header: compile_alone(command, root, header), alone) if p]
    print(*problems, sep="\n")
    print(f"{len(headers)} headers: {len(headers) - len(alone)} come first in their source, {len(alone)} compiled here, "
          f"{len(problems)} fail")
    return 1 if problems or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
