# SPDX-License-Identifier: Apache-2.0
"""Parser and JSON Schema must judge case files alike.

documents.json    documents that both accept or both refuse
parser_only.json  documents that only the parser can refuse, each with its reason and a part of the message

A document is {"name", "accept"} and one of
  "document"  any JSON value
  "text"      the file's text, where the text itself matters
  "case"      fields that go over {"name": "x", "shape": [4], "C": 3}, less the keys in "without"
"""
import argparse
import json
import pathlib
import random
import re
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print(f"SKIP: {sys.executable} has no module jsonschema: run scripts/setup with a network, or configure with "
          "-DNLLDIFF_PYTHON=<a python3 that has it>")
    sys.exit(77)

HERE = pathlib.Path(__file__).parent
BASE = {"name": "x", "shape": [4], "C": 3}
MIN_DOCUMENTS = 100
MUTANTS = 4000
MUTATION_SEED = 20240501
BEGIN, END = "<!-- fields: written by tests/schema/conformance.py --update -->", "<!-- fields: end -->"


def text_of(entry):
    if "text" in entry:
        return entry["text"]
    if "document" in entry:
        return json.dumps(entry["document"])
    case = {k: v for k, v in BASE.items() if k not in entry.get("without", [])}
    return json.dumps({"cases": [case | entry["case"]]})


def load(name):
    entries = json.loads((HERE / name).read_text(encoding="utf-8"))
    names = [e["name"] for e in entries]
    assert len(set(names)) == len(names), f"{name}: a name is there twice"
    return entries


def ask_parser(checker, texts):
    lines = "".join(json.dumps({"name": str(i), "text": t.encode("utf-8", "replace").decode("utf-8")}) + "\n"
                    for i, t in enumerate(texts))
    done = subprocess.run([checker], input=lines, capture_output=True, text=True, encoding="utf-8", timeout=60)
    assert done.returncode == 0, f"{checker} ended with {done.returncode}: {done.stderr}"
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(texts), f"{len(texts)} documents, {len(answers)} answers"
    return answers


def generated(checker, what):
    return subprocess.run([checker, what], capture_output=True, text=True, encoding="utf-8", check=True).stdout


def make_validator(checker):
    schema = json.loads(generated(checker, "--schema"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def judge_alike(validator, checker, faults):
    entries = load("documents.json")
    if len(entries) < MIN_DOCUMENTS or not any(e["accept"] for e in entries) or all(e["accept"] for e in entries):
        faults.append(f"documents.json: {len(entries)} documents; {MIN_DOCUMENTS} good and bad ones are wanted")
    texts = [text_of(e) for e in entries]
    for entry, text, answer in zip(entries, texts, ask_parser(checker, texts)):
        wanted = "accept" if entry["accept"] else "refuse"
        if answer["accept"] != entry["accept"]:
            faults.append(f"{entry['name']}: the parser should {wanted} it; its errors: {answer['errors']}")
        if validator.is_valid(json.loads(text)) != entry["accept"]:
            faults.append(f"{entry['name']}: the schema should {wanted} it; its errors: "
                          f"{[e.message[:200] for e in validator.iter_errors(json.loads(text))]}")
    return len(entries)


def parser_alone(validator, checker, faults):
    entries = load("parser_only.json")
    texts = [text_of(e) for e in entries]
    for entry, text, answer in zip(entries, texts, ask_parser(checker, texts)):
        if not entry["reason"]:
            faults.append(f"{entry['name']}: say why the schema cannot refuse it")
        if answer["accept"] or not any(entry["error"] in e for e in answer["errors"]):
            faults.append(f"{entry['name']}: the parser should say \"{entry['error']}\"; its errors: {answer['errors']}")
        if not validator.is_valid(json.loads(text)):
            faults.append(f"{entry['name']}: the schema refuses it; move it to documents.json")
    return len(entries)


def places(value, path=()):
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, path + (key,))


def mutate(rng, document, donors):
    """One value replaced, removed or added somewhere in a copy of the document."""
    document = json.loads(json.dumps(document))
    path = rng.choice([p for p in places(document) if p])
    parent = document
    for key in path[:-1]:
        parent = parent[key]
    action = rng.randrange(4)
    if action == 0:
        del parent[path[-1]]
    elif action == 1 and isinstance(parent, dict):
        parent[rng.choice(["C", "shape", "matrix", "layout", "values", "fill", "name", "x"])] = rng.choice(donors)
    else:
        parent[path[-1]] = rng.choice(donors)
    return document


def never_looser(validator, checker, faults):
    """What the parser accepts the schema accepts too, over seeded mutants of the good documents."""
    rng = random.Random(MUTATION_SEED)
    good = [json.loads(text_of(e)) for e in load("documents.json") if e["accept"]]
    donors = [0, -1, 1, 2.5, 2**63, -2**63, 2**64, "nan", "", "all", "x", None, True, [], [1], [[2]], ["a"], {}, [{}],
              "explicit", "strides", "ones", {"layout": "all"}, {"C": [1, 2]}, {"fill": "ones"}]
    mutants = [mutate(rng, rng.choice(good), donors) for _ in range(MUTANTS)]
    accepted = 0
    for document, answer in zip(mutants, ask_parser(checker, [json.dumps(m) for m in mutants])):
        accepted += answer["accept"]
        if answer["accept"] and not validator.is_valid(document):
            faults.append(f"the parser accepts what the schema refuses: {json.dumps(document)}")
    if not MUTANTS / 100 < accepted < MUTANTS * 0.9:
        faults.append(f"{accepted} of {MUTANTS} mutants are accepted: the mutations test nothing")
    return len(mutants)


def documented(validator, checker, root, faults):
    """Every example of docs/cases.md is a good case file."""
    examples = re.findall(r"```json\n(.*?)```", (root / "docs" / "cases.md").read_text(encoding="utf-8"), re.DOTALL)
    for example, answer in zip(examples, ask_parser(checker, examples)):
        if not answer["accept"] or not validator.is_valid(json.loads(example)):
            faults.append(f"docs/cases.md: an example is refused: {example}{answer['errors']}")
    if not examples:
        faults.append("docs/cases.md has no examples")
    return len(examples)


def conformance(checker, root):
    faults = []
    validator = make_validator(checker)
    counts = [check(validator, checker, faults) for check in (judge_alike, parser_alone, never_looser)]
    counts.append(documented(validator, checker, root, faults))
    print("judged: {} documents by both, {} by the parser alone, {} mutants, {} examples".format(*counts))
    return faults


def generated_files(checker, root):
    """path -> what it should hold"""
    docs = root / "docs" / "cases.md"
    before, _, rest = docs.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    assert end, f"{docs}: the markers of the generated table are gone"
    table = generated(checker, "--fields")
    return {root / "cases" / "schema" / "case.schema.json": generated(checker, "--schema"),
            docs: f"{before}{BEGIN}\n{table}{END}{after}"}


def drift(checker, root):
    return [f"{path} differs from what the field table gives: run this script with --update"
            for path, wanted in generated_files(checker, root).items()
            if not path.exists() or path.read_text(encoding="utf-8") != wanted]


def update(checker, root):
    for path, wanted in generated_files(checker, root).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted, encoding="utf-8")
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checker", required=True, help="the program nlldiff_case_check")
    parser.add_argument("--root", required=True, type=pathlib.Path, help="the project's folder")
    mode = parser.add_mutually_exclusive_group(required=True)
    for action in (conformance, drift, update):
        mode.add_argument(f"--{action.__name__}", dest="action", action="store_const", const=action)
    options = parser.parse_args()
    faults = options.action(options.checker, options.root)
    for fault in faults:
        print(f"FAULT {fault}")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
