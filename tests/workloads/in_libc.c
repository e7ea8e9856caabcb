/* in_libc - spends its time in memfrob(3), which every C library exports. */
#include <string.h>

int main(void)
{
	static char bytes[1 << 20];

	for (;;)
		memfrob(bytes, sizeof(bytes));
}
