// SPDX-License-Identifier: Apache-2.0
// The three functions of <boost/context/detail/fcontext.hpp> for x86-64 System V, for machines that have Boost's
// headers but not its compiled library. A context is a stack pointer; below it lie, from low to high address:
//   +0 mxcsr (4 bytes), x87 control word (4)   +8 r15 r14 r13 r12 rbx rbp (8 each)   +56 return address
// Written in assembly because a compiler may move a callee-saved register across anything else.
#if !defined(__x86_64__)
#error "this machine needs Boost's compiled context library: install libboost-context-dev"
#endif

asm(R"(
.text
.macro nlldiff_save
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
.endm
.macro nlldiff_restore
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
.endm

# transfer_t jump_fcontext(to, data): returns {who jumped back, its data} in rax, rdx.
.globl jump_fcontext
.hidden jump_fcontext
.type jump_fcontext, @function
.balign 16
jump_fcontext:
  nlldiff_save
  movq %rsp, %rax
  movq %rdi, %rsp
  nlldiff_restore
  movq %rsi, %rdx
  popq %r8
  jmpq *%r8
.size jump_fcontext, . - jump_fcontext

# transfer_t ontop_fcontext(to, data, fn): the same, but fn runs on the new stack and its result is what is returned.
.globl ontop_fcontext
.hidden ontop_fcontext
.type ontop_fcontext, @function
.balign 16
ontop_fcontext:
  nlldiff_save
  movq %rsp, %rax
  movq %rdi, %rsp
  nlldiff_restore
  movq %rax, %rdi
  jmpq *%rdx
.size ontop_fcontext, . - ontop_fcontext

# fcontext_t make_fcontext(top of stack, size, fn): its first jump enters nlldiff_fcontext_start with fn in rbx.
.globl make_fcontext
.hidden make_fcontext
.type make_fcontext, @function
.balign 16
make_fcontext:
  movq %rdi, %rax
  andq $-16, %rax
  subq $64, %rax
  stmxcsr (%rax)
  fnstcw 4(%rax)
  movq %rdx, 40(%rax)
  movq $0, 48(%rax)
  leaq nlldiff_fcontext_start(%rip), %rcx
  movq %rcx, 56(%rax)
  ret
.size make_fcontext, . - make_fcontext

# fn(transfer_t) never returns. An undefined return address tells unwinders that the stack ends here.
.type nlldiff_fcontext_start, @function
.balign 16
nlldiff_fcontext_start:
  .cfi_startproc
  .cfi_undefined rip
  movq %rax, %rdi
  movq %rdx, %rsi
  callq *%rbx
  ud2
  .cfi_endproc
.size nlldiff_fcontext_start, . - nlldiff_fcontext_start

.purgem nlldiff_save
.purgem nlldiff_restore
.section .note.GNU-stack,"",@progbits
.text
)");
