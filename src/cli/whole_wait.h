/* whole_wait.h - how long batch mode waits for the sum of a run that a file of -o needs, and when
 * it requests the sum again.
 *
 * Problem: a reply can get lost. A newer snapshot replaces one that nobody took in time, and one
 * that found no memory for its stacks comes without them. Nobody else asks again.
 *
 * Use:    whole_wait_begin() with the first request; then wait until a snapshot comes or
 *         whole_wait_due_ns(), and do what whole_wait_next() says. whole_wait_takes() says whether
 *         a snapshot will do.
 * Units:  times are of clock_now_ns().
 * Thread: main.
 */
#ifndef CLI_WHOLE_WAIT_H
#define CLI_WHOLE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

struct whole_wait {
	uint64_t again_ns;	/* when the sum is requested again */
	uint64_t early_ns;	/* from then on a snapshot that is not the last one will do */
	uint64_t give_up_ns;	/* the end of all waiting */
	bool has_end;		/* the last snapshot has come: what is requested now is the sum */
	bool is_signalled;	/* `give_up_ns` is not postponed */
};

enum whole_step {
	WHOLE_WAIT,
	WHOLE_REQUEST,	/* request it again now */
	WHOLE_GIVE_UP,
};

/* Begins at @now_ns. @is_live: the run is no recording, so a lack of its last snapshot does not
 * mean that there are records to be read. */
void whole_wait_begin(struct whole_wait *wait, uint64_t now_ns, bool is_live);
/* Notes a signal that asks for the end: what there is will do, and waiting ends soon. */
void whole_wait_note_signal(struct whole_wait *wait, uint64_t now_ns);
/* Notes that a snapshot without what was requested has come, the last one of the run or not. */
void whole_wait_note_other(struct whole_wait *wait, uint64_t now_ns, bool is_last);
/* Returns whether the sum may be one that was made before the end, as @is_last says. */
bool whole_wait_takes(const struct whole_wait *wait, uint64_t now_ns, bool is_last);
/* Returns what is to be done at @now_ns. */
enum whole_step whole_wait_next(struct whole_wait *wait, uint64_t now_ns);
/* Returns when whole_wait_next() has more to say. */
uint64_t whole_wait_due_ns(const struct whole_wait *wait);

#endif
