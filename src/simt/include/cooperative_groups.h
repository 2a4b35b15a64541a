/* SPDX-License-Identifier: Apache-2.0 */
#error \
    "nlldiff runs no cooperative groups on the host: use __syncthreads, __syncwarp and the *_sync functions, or test this kernel on a GPU"
