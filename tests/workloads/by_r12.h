/* by_r12.h - defines by_r12(), which calls a function and finds its frame by r12. Included once by
 * each program that has it. */
#ifndef TESTS_BY_R12_H
#define TESTS_BY_R12_H

void by_r12(void (*what)(void));
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
