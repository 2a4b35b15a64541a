/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
#include "vector_types.h"
