/* one_liner_point.h - attach points of bpftrace and ply, and the targets of specs that mean the
 * same.
 * Thread: any; pure, allocates nothing.
 */
#ifndef FINDER_ONE_LINER_POINT_H
#define FINDER_ONE_LINER_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "one_liner_syntax.h"
#include "probe/probe_spec.h"

struct liner_point {
	enum probe_kind kind;
	enum probe_edge edge;	/* PROBE_ENTRY or PROBE_RETURN */
	bool is_typed;		/* kfunc, fentry and their returns: args.NAME, at the return, too */
	bool is_wildcard;
	size_t at;		/* column of the point */
	char file[PROBE_FILE_BYTES];	/* as in struct probe_spec */
	char group[PROBE_GROUP_BYTES];
	char name[PROBE_FUNCTION_BYTES];
	char offset[24];	/* "+0x10", bytes after the function's start; "": none */
};

/* What a block of a program is for. */
enum liner_use {
	USE_PROBE,
	USE_SAMPLING,		/* profile:, hardware:, software: */
	USE_INTERVAL,
	USE_SCRIPT,		/* BEGIN, END */
};

/* Returns what the point at @typed is for. */
enum liner_use liner_point_use(const struct liner_tree *tree, const struct liner_point_text *typed);

/* Parses a point whose use is USE_PROBE. 0 or -EINVAL. */
int liner_point_parse(struct liner_point *out, const struct liner_tree *tree,
		      const struct liner_point_text *typed, struct diag *why);

/* Refuses a point that samples, with the options of flametop that do the same. @pid: the process
 * that the filter names; 0: none. Returns -EINVAL. */
int liner_point_refuse_sampling(const struct liner_tree *tree, const struct liner_point_text *typed,
			  unsigned long long pid, struct diag *why);

/* Makes *@to the point of all that it and @more match. -EINVAL: one spec can't name both. */
int liner_point_merge(struct liner_point *to, const struct liner_point *more, struct diag *why);

/* True: @back is the return of @entry, or sys_exit_X its sys_enter_X. */
bool liner_point_is_return(const struct liner_point *entry, const struct liner_point *back);

/* Write a target: "k:vfs_read"; the latency of @begin; the latency from @begin to @end. Return the
 * length as snprintf(). */
size_t liner_point_write(const struct liner_point *point, char *out, size_t room);
size_t liner_point_write_latency(const struct liner_point *begin, char *out, size_t room);
size_t liner_point_write_pair(const struct liner_point *begin, const struct liner_point *end,
			      char *out, size_t room);

#endif
