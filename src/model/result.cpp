// SPDX-License-Identifier: Apache-2.0
#include "model/result.hpp"

#include "model/result_fields.hpp"

namespace nlldiff {

using nlohmann::json;

void to_json(json& to, const Finding& from) { to = json_fields::write(from); }
void from_json(const json& from, Finding& to) { json_fields::read(from, to); }
void to_json(json& to, const CaseResult& from) { to = json_fields::write(from); }
void from_json(const json& from, CaseResult& to) { json_fields::read(from, to); }
void to_json(json& to, const RunHeader& from) { to = json_fields::write(from); }
void from_json(const json& from, RunHeader& to) { json_fields::read(from, to); }
void to_json(json& to, const RunSummary& from) { to = json_fields::write(from); }
void from_json(const json& from, RunSummary& to) { json_fields::read(from, to); }

int exit_code_of(Verdict verdict, bool require_trace) {
  switch (verdict) {
    case Verdict::pass:
    case Verdict::unsupported:
      return 0;
    case Verdict::limited:
      return require_trace ? 1 : 0;
    case Verdict::vacuous:
    case Verdict::inconclusive:
    case Verdict::fail:
    case Verdict::timeout:
    case Verdict::crash:
      return 1;
  }
  return 1;
}

}  // namespace nlldiff
