/* probe_control.h - how the screen reaches the probe engine, the finder of what can be probed, who
 * looks at threads and who watches conditions; tests pass controls without a thread. */
#ifndef UI_PROBE_CONTROL_H
#define UI_PROBE_CONTROL_H

#include <stdbool.h>

#include "export/thread_rows.h"
#include "finder/presets.h"
#include "probe/probe_engine.h"
#include "finder/targets.h"

/* Thread: the ui's; both calls return at once. */
struct probe_control {
	void *owner;
	/* Queues a request. False: too many are queued, try again later. */
	bool (*request)(void *owner, const struct probe_request *request);
	/* Takes the next reply; false: there is none. */
	bool (*reply)(void *owner, struct probe_reply *out);
	int fd;			/* readable when a reply waits */
	double cap_pct;		/* % of one CPU above which the governor switches a probe off */
	const char *refusal;	/* why no probe is possible here, and the remedy; NULL or "": probes
				 * are possible and `request` is set */
};

/* How the screen reaches the finder's thread; tests pass a control without a thread. */
struct finder_control {
	void *owner;
	/* Sends a request. @pid: the process the user looks at; 0: none in particular. */
	void (*ask)(void *owner, uint64_t number, const char *text, pid_t pid);
	/* Works like target_finder_reply(). */
	const struct target_reply *(*reply)(void *owner);
	void (*renew)(void *owner);	/* works like target_finder_renew() */
	const struct presets *presets;	/* BORROWED; the palette lists them; NULL: none */
	int fd;			/* readable when a reply waits */
};

/* Whose threads are looked at. */
struct threads_request {
	uint64_t number;	/* not 0 */
	uint32_t id;		/* a process, or one of its threads; 0: all processes */
	char comm[80];		/* only processes with a thread of this name, sanitized; "": any */
};

/* How the screen has it looked where threads are. Thread: the ui's; both calls return at once. */
struct threads_control {
	void *owner;
	/* Requests a look. One that is under way is finished; of those that wait only the newest
	 * is made. False: too many wait, try again later. */
	bool (*ask)(void *owner, const struct threads_request *request);
	/* Returns the newest result not taken yet, NULL: none. The caller's. */
	struct threads_found *(*take)(void *owner);
	int fd;			/* readable when a result waits */
};

/* A sentence about what --keep-when and --keep-last do. */
struct keep_message {
	bool rings;		/* a condition has fired: the bell rings once */
	char text[1024];	/* sanitized */
};

/* What --keep-last holds. */
struct keep_status {
	double kept_s, wanted_s;	/* so far back; as far as it shall */
	bool is_cut;		/* kept_s stays less, for want of memory */
};

/* How the screen and batch learn that a condition has fired. Thread: the ui's. */
struct keep_control {
	void *owner;
	/* Takes the next message; false: there is none. */
	bool (*next)(void *owner, struct keep_message *out);
	int fd;			/* readable when a message waits */
	/* Saves the last seconds as @path; a message says what became of it. NULL: nothing is kept
	 * (--keep-last). False: no memory. */
	bool (*save)(void *owner, const char *path);
	void (*status)(void *owner, struct keep_status *out);	/* NULL like save() */
};

#endif
