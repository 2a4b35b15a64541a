/* SPDX-License-Identifier: Apache-2.0 */
/* Only the version: the driver API is not there. */
#pragma once
#define CUDA_VERSION 13000
