/* named COMM - computes for ever under that name, which may be any bytes. */
#include <sys/prctl.h>

int main(int argc, char **argv)
{
	volatile unsigned long rounds = 0;

	if (argc != 2 || prctl(PR_SET_NAME, argv[1]))
		return 2;
	for (;;)
		rounds++;
}
