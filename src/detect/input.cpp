// SPDX-License-Identifier: Apache-2.0
// input: the candidate changed a tensor that it may only read. Whole storages are compared, gaps between strides too.
#include <fmt/format.h>

#include <algorithm>

#include "detect/detectors.hpp"

namespace nlldiff {
namespace {

std::optional<Finding> compare_image(Pass pass, const CandidateRun& run, const InputImage& image) {
  if (image.bytes == 0 || image.after == nullptr) return std::nullopt;
  const auto [before, after] = std::mismatch(image.before, image.before + image.bytes, image.after);
  if (before == image.before + image.bytes) return std::nullopt;
  const auto element_bytes = static_cast<std::size_t>(bytes_of(image.dtype));
  std::int64_t changed = 0;
  for (std::size_t at = 0; at < image.bytes; at += element_bytes)
    changed += !std::equal(image.before + at, image.before + at + element_bytes, image.after + at);
  Finding finding;
  finding.kind = FindingKind::input_changed;
  finding.detector = "input";
  finding.pass = name_of(pass);
  finding.tensor = image.tensor;
  finding.count = changed;
  FindingCell cell;
  cell.cell = (before - image.before) / static_cast<std::ptrdiff_t>(element_bytes);
  finding.message =
      fmt::format("{} changed {} of {} elements of its input `{}` ({}), first at element {} of its storage",
                  name_of(pass), changed, image.bytes / element_bytes, image.tensor, run.name, cell.cell);
  finding.cure = "write to grad_input or scratch memory only";
  finding.cells.push_back(cell);
  return finding;
}

}  // namespace

Detection detect_input(const Evidence& e) {
  Detection detection;
  const auto look = [&](const CandidateRun& run, Pass pass) {
    for (const auto& image : run.of(pass).inputs)
      if (auto finding = compare_image(pass, run, image)) detection.findings.push_back(std::move(*finding));
  };
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    look(e.case_run, pass);
    if (detection.findings.empty()) look(e.case_again, pass);
  }
  return detection;
}

}  // namespace nlldiff
