#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the rules that no compiler holds: who may include whom, and a licence line in each file.

usage: check_layers.py ROOT          prints one line a broken rule (file:line: what, and what to do); exit 1 if any
"""

import pathlib
import re
import sys

# A layer may include itself, these, and include/nlldiff. Siblings are in neither's list.
BELOW = {
    "core": [],
    "model": ["core"],
    "simt": ["model", "core"],
    "device": ["simt", "model", "core"],
    "candidate": ["device", "simt", "model", "core"],
    "detect": ["device", "simt", "model", "core"],
    "worker": ["candidate", "detect", "device", "simt", "model", "core"],
    "report": ["model", "core"],
    "run": ["model", "core"],
    "cli": ["run", "report", "model", "core"],
    "main": ["cli", "core"],
}
# A heavy dependency: the pattern of its headers, and the layers or files that may include them.
HEAVY = {
    "LibTorch": (re.compile(r"(torch|ATen|c10|caffe2)/"), {"device", "candidate", "detect", "worker"}),
    "CLI11": (re.compile(r"CLI/"), {"cli", "worker", "*_main.cpp"}),
    "Boost.Context": (re.compile(r"boost/context/"), {"simt"}),
    "the Sanitizer API": (re.compile(r"sanitizer\w*\.h"), {"device"}),
}
CODE = {".cpp", ".hpp", ".h", ".cu", ".cuh", ".c"}
LICENSED = CODE | {".py", ".sh", ".cmake", ".yml", ".yaml"}
FOLDERS = ["src", "include", "kernels", "cmake", "scripts", "tests", ".ci", ".github"]
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def layer_of(path):
    """The layer of a file below src/; main.cpp and what lies beside it is `main`."""
    return path.parts[1] if len(path.parts) > 2 else "main"


def includes_of(file):
    for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1] == '"', match[2]


def heavy_problems(layer, file, name):
    for dependency, (pattern, allowed) in HEAVY.items():
        if pattern.match(name) and layer not in allowed and not any(file.match(a) for a in allowed):
            yield f"{layer} includes {dependency} (<{name}>); only {', '.join(sorted(allowed))} may"


def source_problems(root, file, quoted, name):
    path = file.relative_to(root)
    layer = layer_of(path)
    if layer not in BELOW:
        yield f"src/{layer} is no layer; add it to BELOW in tests/layers/check_layers.py and to docs/architecture.md"
        return
    yield from heavy_problems(layer, file, name)
    beside = (file.parent / name).resolve()
    if quoted and beside.is_file() and beside.is_relative_to(root.resolve() / "src"):
        target = layer_of(beside.relative_to(root.resolve()))
    elif (root / "src" / name).is_file():
        target = layer_of(pathlib.Path("src") / name)
    elif name.startswith("kernels/") or (root / "kernels" / name).is_file():
        yield f'{layer} includes a kernel\'s file ("{name}"); kernels are reached through nlldiff/kernel.h alone'
        return
    else:
        return
    if target != layer and target not in BELOW[layer]:
        yield f'{layer} includes {target} ("{name}"); it may include {", ".join(BELOW[layer]) or "nothing"}'


def kernel_problems(root, file, quoted, name):
    yield from heavy_problems("kernels", file, name)
    beside = (file.parent / name).resolve()
    inside = beside.is_file() and beside.is_relative_to((root / "kernels").resolve())
    if quoted and inside or name == "nlldiff/kernel.h":
        return
    if (root / "src" / name).is_file() or beside.is_relative_to((root / "src").resolve()) and beside.is_file():
        yield f'kernels include nothing of src/ ("{name}"); what both need belongs into include/nlldiff'


def include_problems(root):
    for folder, problems_of in (("src", source_problems), ("kernels", kernel_problems)):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in CODE or file.is_relative_to(root / "kernels" / "tests"):
                continue   # the kernels' tests drive them through src/
            for number, quoted, name in includes_of(file):
                for problem in problems_of(root, file, quoted, name):
                    yield f"{file.relative_to(root)}:{number}: {problem}"


def needs_licence(file):
    if file.suffix in LICENSED or file.name == "CMakeLists.txt":
        return True
    return not file.suffix and file.read_bytes()[:2] == b"#!"


def licence_problems(root):
    files = [f for folder in FOLDERS for f in sorted((root / folder).rglob("*")) if f.is_file()]
    for file in [root / "CMakeLists.txt", *files]:
        if "__pycache__" in file.parts or not file.is_file() or not needs_licence(file):
            continue
        head = file.read_text(encoding="utf-8", errors="replace").splitlines()[:3]
        if not any("SPDX-License-Identifier: Apache-2.0" in line for line in head):
            yield f"{file.relative_to(root)}:1: no SPDX line; begin the file with 'SPDX-License-Identifier: Apache-2.0'"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    problems = [*include_problems(root), *licence_problems(root)]
    print(*problems, sep="\n")
    print(f"{len(problems)} broken rules")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
