// SPDX-License-Identifier: Apache-2.0
// A worker process: loads one candidate for one device, then answers jobs until its channel closes.
#pragma once

namespace nlldiff {

/// The whole program of nlldiff-worker: parses argv, says hello, serves. Returns its exit code.
/// Flags: --candidate SPEC --device cpu|cuda:k --channel-fd N --crash-fd N --lib-dir DIR
int worker_main(int argc, char** argv);

}  // namespace nlldiff
