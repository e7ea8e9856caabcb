/* A program of 32 bits with frame pointers, and without a C library, which few machines have in 32
 * bits: _start > outer > inner > spin, for ever. */
static volatile unsigned long sink;

__attribute__((noinline)) static void spin(void)
{
	volatile int room[16];	/* a function without memory of its own gets no frame */

	for (room[0] = 0; room[0] < 100000000; room[0]++)
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
	for (;;)
		outer();
}
