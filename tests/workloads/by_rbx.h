/* by_rbx.h - defines by_rbx(), which calls a function and finds its frame by rbx. Included once by
 * each program that has it. */
#ifndef TESTS_BY_RBX_H
#define TESTS_BY_RBX_H

void by_rbx(void (*what)(void));
__asm__(".text\n"
	".globl by_rbx\n"
	".type by_rbx, @function\n"
	"by_rbx:\n"
	".cfi_startproc\n"
	"	push %rbx\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset rbx, -16\n"
	"	mov %rsp, %rbx\n"
	".cfi_def_cfa rbx, 16\n"
	"	and $-64, %rsp\n"
	"	sub $256, %rsp\n"
	"	call *%rdi\n"
	"	mov %rbx, %rsp\n"
	".cfi_def_cfa rsp, 16\n"
	"	pop %rbx\n"
	".cfi_def_cfa_offset 8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size by_rbx, . - by_rbx\n");

#endif
