/* SPDX-License-Identifier: Apache-2.0 */
/* What nvcc includes by itself in each .cu file, for the host. */
#pragma once

#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDA_ARCH__ 900 /* the code that an H200 would run is the code that is tested */
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0

// Before all others: the translator turns __builtin_memcpy and its like into calls of what string.h declares.
// clang-format off
#include <string.h>
// clang-format on
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"
#include "nlldiff_simt/abi.h"
#include "nlldiff_simt/atomics.hpp"
#include "nlldiff_simt/intrinsics.hpp"
#include "nlldiff_simt/launch.hpp"
#include "nlldiff_simt/templates.hpp"
#include "nlldiff_simt/warp.hpp"
#include "vector_functions.h"
