/* SPDX-License-Identifier: Apache-2.0 */
/* Between the probe library (probe.cu) and the self-test that runs it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define NLLDIFF_PROBE_BYTES 128

/* One way of storing. `run` stores each byte of [begin, end) of `cells` once, and reads `source`, which has as
 * many bytes. `cells` and `source` are aligned to 16 bytes. */
struct nlldiff_simt_probe {
  const char* form;
  void (*run)(unsigned char* cells, const unsigned char* source);
  size_t begin, end;
};

typedef const struct nlldiff_simt_probe* (*nlldiff_simt_probes_function)(size_t* count);
