/* Three levels of inlining, from a header as it is in life. */
#ifndef CHAIN_H
#define CHAIN_H

#define ALWAYS inline __attribute__((always_inline))

static ALWAYS unsigned int innermost(unsigned int x, const unsigned int *table)
{
	unsigned int sum = x;

	for (unsigned int i = 0; i < (x & 7); i++)
		sum += table[i] * 31 + (sum >> 3);
	return sum;
}

static ALWAYS unsigned int middle(unsigned int x, const unsigned int *table)
{
	if (x & 1)
		return innermost(x + 1, table) ^ 5;
	return innermost(x, table) + innermost(x >> 1, table);
}

static ALWAYS unsigned int outermost(unsigned int x, const unsigned int *table)
{
	unsigned int sum = middle(x, table);

	if (sum > 1000)
		sum -= middle(sum, table);
	return sum;
}

#endif
