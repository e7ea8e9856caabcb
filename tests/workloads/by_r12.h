/* by_r12.h - defines by_r12(), which calls a function and finds its frame by r12, on aarch64 by
 * x19. Included once by each program that has it. */
#ifndef TESTS_BY_R12_H
#define TESTS_BY_R12_H

void by_r12(void (*what)(void));
#ifdef __aarch64__
__asm__(".text\n"
	".globl by_r12\n"
	".type by_r12, %function\n"
	"by_r12:\n"
	".cfi_startproc\n"
	"	stp x19, x30, [sp, #-16]!\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset x19, -16\n"
	".cfi_offset x30, -8\n"
	"	mov x19, sp\n"
	".cfi_def_cfa x19, 16\n"
	"	and x9, x19, #-64\n"
	"	sub sp, x9, #256\n"
	"	blr x0\n"
	"	mov sp, x19\n"
	".cfi_def_cfa sp, 16\n"
	"	ldp x19, x30, [sp], #16\n"
	".cfi_restore x19\n"
	".cfi_restore x30\n"
	".cfi_def_cfa_offset 0\n"
	"	ret\n"
	".cfi_endproc\n"
	".size by_r12, . - by_r12\n");
#else
__asm__(".text\n"
	".globl by_r12\n"
	".type by_r12, @function\n"
	"by_r12:\n"
	".cfi_startproc\n"
	"	push %r12\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset r12, -16\n"
	"	mov %rsp, %r12\n"
	".cfi_def_cfa r12, 16\n"
	"	and $-64, %rsp\n"
	"	sub $256, %rsp\n"
	"	call *%rdi\n"
	"	mov %r12, %rsp\n"
	".cfi_def_cfa rsp, 16\n"
	"	pop %r12\n"
	".cfi_def_cfa_offset 8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size by_r12, . - by_r12\n");
#endif

#endif
