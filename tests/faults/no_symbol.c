/* SPDX-License-Identifier: Apache-2.0 */
/* A library, but not of a kernel. */
int nlldiff_fault_answer(void);

int nlldiff_fault_answer(void) { return 42; }
