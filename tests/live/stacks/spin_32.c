/* A program of 32 bits with frame pointers, and without a C library, which few machines have in 32
 * bits: _start > outer > inner > spin, for ever. */
static volatile unsigned long sink;

__attribute__((noinline)) static void spin(void)
{
	for (;;)
		sink += 1;
}

__attribute__((noinline)) static void inner(void)
{
	spin();
	sink += 1;
}

__attribute__((noinline)) static void outer(void)
{
	inner();
	sink += 1;
}

void _start(void)
{
	outer();
	sink += 1;
}
