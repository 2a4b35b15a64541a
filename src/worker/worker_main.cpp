// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.hpp"

int main(int argc, char** argv) { return nlldiff::worker_main(argc, argv); }
