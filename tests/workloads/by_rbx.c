/* by_rbx [SECONDS] - the stack is main > outer > by_rbx > inner > spin, and by_rbx finds its frame
 * by rbx: as hand-written code does that aligns its stack, in crypto libraries and ld.so. */
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;
static time_t end;

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

__attribute__((noinline)) static void spin(void)
{
	for (int i = 0; i < 100000; i++)
		sink += 1;
}

__attribute__((noinline)) static void inner(void)
{
	while (time(NULL) < end)
		spin();
}

__attribute__((noinline)) static void outer(void)
{
	by_rbx(inner);
	sink++;	/* no tail call */
}

int main(int argc, char **argv)
{
	end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);
	outer();
	return 0;
}
