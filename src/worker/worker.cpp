// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "worker/build_info.hpp"
#include "worker/crash.hpp"
#include "worker/job.hpp"

namespace nlldiff {
namespace {

struct WorkerOptions {
  std::string candidate, device = "cpu", lib_dir;
  int channel_fd = 3, crash_fd = 4;
};

WorkerOptions parse(int argc, char** argv) {
  WorkerOptions options;
  CLI::App app{"nlldiff-worker: runs one candidate's cases; started by nlldiff, not by hand"};
  app.add_option("--candidate", options.candidate)->required();
  app.add_option("--device", options.device);
  app.add_option("--channel-fd", options.channel_fd);
  app.add_option("--crash-fd", options.crash_fd);
  app.add_option("--lib-dir", options.lib_dir)->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    fail_usage("nlldiff-worker: {}", error.what());
  }
  return options;
}

void send(int fd, const nlohmann::json& message) {
  write_frame(fd, message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// Everything that lives as long as the process.
struct Workshop {
  std::unique_ptr<Device> device;
  std::unique_ptr<Candidate> candidate, reference;
  std::unique_ptr<Tracer> tracer, untraced;
};

Workshop open_workshop(const WorkerOptions& options) {
  Workshop shop;
  shop.device = make_device(options.device);
  const CandidateSite site{options.lib_dir, shop.device->name()};
  shop.candidate = load_candidate(options.candidate, site);
  shop.reference = make_aten(shop.device->name());
  const std::string execution = shop.candidate->execution();
  if (execution == "simt") {
    shop.tracer = make_simt_tracer(*shop.device, options.lib_dir + "/simt_probe.so");
    shop.untraced = make_untraced_simt(*shop.device);
  } else {
    const std::string why =
        execution == "cuda" ? "this build has no tracer for CUDA kernels" : "a host library's stores cannot be traced";
    shop.tracer = make_blind_tracer(why);
    shop.untraced = make_blind_tracer("tracing is off");
  }
  return shop;
}

WorkerHello hello_of(const Workshop& shop) {
  WorkerHello hello;
  hello.environment = shop.device->environment();
  hello.environment.merge(shop.candidate->environment());
  hello.environment["torch.version"] = kTorchVersion;
  hello.environment["torch.git"] = kTorchGit;
  hello.traces = shop.tracer->sees();
  return hello;
}

/// One case that the tester has no room for costs that case, never the run.
CaseResult run_or_explain(const JobRequest& job, const Bench& bench) {
  try {
    return run_job(job, bench);
  } catch (const std::exception& error) {
    CaseResult result;
    result.c = job.c;
    result.device = bench.device.name();
    result.execution = bench.candidate.execution();
    result.verdict = Verdict::inconclusive;
    result.reason = fmt::format("the tester could not do this case: {}", error.what());
    return result;
  }
}

void serve(const WorkerOptions& options, const Workshop& shop) {
  const Bench bench{*shop.device, *shop.candidate, *shop.reference, *shop.tracer, *shop.untraced};
  while (const auto frame = read_frame(options.channel_fd)) {
    const auto job = nlohmann::json::parse(*frame).get<JobRequest>();
    JobReply reply;
    reply.id = job.id;
    reply.result = run_or_explain(job, bench);
    std::fflush(nullptr);  // what the candidate printed belongs to this case
    reply.retiring = !shop.device->usable();
    send(options.channel_fd, reply);
    if (reply.retiring) return;
  }
}

int run(const WorkerOptions& options) {
  install_crash_handlers(options.crash_fd);
  Workshop shop;
  try {
    shop = open_workshop(options);
  } catch (const Error& error) {
    WorkerHello hello;
    hello.error = error.what();
    hello.error_exit_code = error.exit_code();
    send(options.channel_fd, hello);
    return error.exit_code();
  }
  send(options.channel_fd, hello_of(shop));
  serve(options, shop);
  return 0;
}

}  // namespace

int worker_main(int argc, char** argv) {
  try {
    return run(parse(argc, argv));
  } catch (const Error& error) {
    fmt::print(stderr, "nlldiff-worker: {}\n", error.what());
    return error.exit_code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "nlldiff-worker: {}\n", error.what());
    return static_cast<int>(ErrorKind::internal);
  }
}

}  // namespace nlldiff
