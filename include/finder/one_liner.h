/* one_liner.h - translates one-liners of bpftrace and ply into specs of probes.
 *
 *   kprobe:vfs_read /pid == 123/ { @[comm] = hist(arg2); }     k:vfs_read if pid == 123 by comm
 *                                                                  : hist($arg3)
 *
 * Rule:   a translation asks the same, or there is none. What has no counterpart is refused at its
 *         column, with the spec or the option that asks the same where there is one. What only
 *         prints or clears maps (END, interval:) is left out, since the screen shows them all the
 *         time.
 *         What comes out is a spec: probe_spec_parse() takes it.
 * Source: bpftrace(8), ply(1); probe/probe_spec.h for what comes out.
 * Thread: any. Pure: no file is looked at, so a function or field that is not there is found later.
 */
#ifndef FINDER_ONE_LINER_H
#define FINDER_ONE_LINER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "probe/probe_spec.h"

#define ONE_LINER_SPECS_MAX  4
#define ONE_LINER_NOTE_BYTES 240

struct one_liner {
	char specs[ONE_LINER_SPECS_MAX][PROBE_SPEC_BYTES];	/* one line each */
	uint32_t count;		/* at least 1 after a translation */
	char note[ONE_LINER_NOTE_BYTES];	/* remark that the specs lack; "": none */
};

/* True: @text is a one-liner, complete or not, and no spec: it begins with a kind of point that
 * bpftrace or ply has, and has a block in braces. */
bool one_liner_is(const char *text);

/* Translates @text, a whole program. 0; -EINVAL: @why says in which column there is no counterpart,
 * and what asks the same; -ENOMEM. *@out is zeroed on failure. */
int one_liner_translate(struct one_liner *out, const char *text, struct diag *why);

#endif
