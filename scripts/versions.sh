# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
# The versions that nlldiff supports, stated here alone: scripts/setup sources this file, cmake/LibTorch.cmake reads it.
# KEY=VALUE lines only. requirements.txt pins what a new venv gets, which must lie within these ranges.
NLLDIFF_TORCH_MIN=2.11.0
NLLDIFF_TORCH_BELOW=2.12.0
NLLDIFF_CMAKE_MIN=3.25.0
NLLDIFF_GXX_MIN=12.0
NLLDIFF_PYTHON_MIN=3.11
