/* turns [a|b] [SECONDS] - spends 80 % of its time in hot_a() and 20 % in hot_b(), or the other way
 * round: SIGUSR1 turns it. It begins with a, or with what is asked for.
 *
 * It says which of the two is the hot one, "a" or "b" on a line of its own, before its first round
 * and after each turn: from then on all of its time is spent so. As in hot_ab.c both functions run
 * the same aligned loop, and rounds are short enough (about 1 ms) for any window to hold many.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hot_loop.h"

enum { PART = 250000 };	/* turns of the loop in a fifth of a round */

static volatile sig_atomic_t turns_wanted;

__attribute__((noinline, aligned(64))) static void hot_a(unsigned long turns)
{
	HOT_LOOP(turns);
}

__attribute__((noinline, aligned(64))) static void hot_b(unsigned long turns)
{
	HOT_LOOP(turns);
}

static void turn(int signal_seen)
{
	(void)signal_seen;
	turns_wanted++;
}

static void say(int is_b)
{
	if (write(STDOUT_FILENO, is_b ? "b\n" : "a\n", 2) != 2)
		_exit(1);
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = turn, .sa_flags = SA_RESTART };
	const time_t end = time(NULL) + (argc > 2 ? atoi(argv[2]) : 600);
	int is_b = argc > 1 && !strcmp(argv[1], "b");
	sig_atomic_t turns_made = 0;
	unsigned long part;

	sigaction(SIGUSR1, &action, NULL);
	say(is_b);
	while (time(NULL) < end) {
		if (turns_made != turns_wanted) {
			turns_made++;
			is_b = !is_b;
			say(is_b);
		}
		part = vary(PART);
		hot_a(is_b ? part : 4 * part);
		hot_b(is_b ? 4 * part : part);
	}
	return 0;
}
