#include <stdlib.h>

#include "chain.h"

unsigned int second_unit(unsigned int x, const unsigned int *table);

static const unsigned int table[8] = { 2, 3, 5, 7, 11, 13, 17, 19 };

__attribute__((noinline)) unsigned int with_chain(unsigned int x)
{
	return outermost(x, table) * 3;
}

__attribute__((noinline)) static unsigned int with_blocks(unsigned int x)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < x; i++) {
		unsigned int each = middle(i, table);

		if (each & 4) {
			unsigned int again = innermost(each, table);

			sum += again;
		}
		if (__builtin_expect(sum == 12345, 0))
			abort();
	}
	return sum;
}

__attribute__((section(".text.far"), noinline)) unsigned int far_away(unsigned int x)
{
	return with_chain(x) + outermost(x + 2, table);
}

int main(int argc, char **argv)
{
	(void)argv;
	return (int)(with_chain((unsigned int)argc) + with_blocks((unsigned int)argc) +
		     far_away(3) + second_unit((unsigned int)argc, table));
}
