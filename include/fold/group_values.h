/* group_values.h - what a sample and its frames are by each key of a tree of groups, and how that
 * is written.
 * Thread: the analyzer's. */
#ifndef FOLD_GROUP_VALUES_H
#define FOLD_GROUP_VALUES_H

#include "fold/group_tree.h"
#include "fold/source_lines.h"
#include "fold/symbol_twins.h"
#include "ingest/symbol_names.h"
#include "ingest/task_table.h"
#include "timeline/timeline.h"

/* Where values and their text come from; all borrowed but for the last. */
struct group_sources {
	struct stack_trie *trie;
	struct symbol_names *names;
	const struct task_table *tasks;
	const struct symbol_twins *twins;	/* as in struct fold */
	const struct source_lines *lines;	/* NULL: none is ever known */
	const int *sockets;			/* of each CPU its package; < 0: not known */
	uint32_t socket_count;			/* CPUs beyond it: not known */
	/* Raw; "" when it has none. NULL: none has */
	const char *(*event_name)(const void *owner, uint32_t event);
	const void *owner;
	bool raw_names;				/* of symbols, as their files have them */
	struct id_map process_comms;		/* owned by the fold: pid -> its name now, or its
						 * last one: group_sources_name_processes() */
};

/* Fills process_comms, which keys of tasks need. 0 or -ENOMEM. */
int group_sources_name_processes(struct group_sources *sources);

/* Two values of a key are one when their identities are. */
struct group_value {
	uint64_t identity;	/* the same in every snapshot: made of no ids */
	uint32_t of;		/* what the text is made of, or: */
};

#define GROUP_VALUE_NONE    UINT32_MAX		/* there is none */
#define GROUP_VALUE_UNKNOWN (UINT32_MAX - 1)	/* it is not known */

bool group_key_is_of_code(enum group_key key);

/* By a key that is not of code. */
struct group_value group_value_of_sample(const struct group_sources *sources, enum group_key key,
					 const struct slice_entry *entry);

struct group_frame {
	uint32_t frame;
	uint32_t symbol;
	uint32_t caller;	/* symbol of the frame that called it; ID_SET_NONE: the outermost.
				 * Set when it is asked for */
	bool is_leaf;
};

/* By a key of code. @is_of_object: the node stands below its object's, so functions of one name are
 * told apart. */
struct group_value group_value_of_frame(const struct group_sources *sources, enum group_key key,
					const struct group_frame *frame, bool is_of_object);

/* Of what source lines are asked: of the address, of a caller's that of the call. */
struct source_wish group_value_wish(const struct group_sources *sources, uint32_t frame,
				    bool is_leaf);

#define GROUP_TEXT_BYTES 512

/* How a value is shown. */
struct group_text {
	struct str_id pooled;		/* when `own` is empty */
	char own[GROUP_TEXT_BYTES];	/* raw */
	struct str_id object_path;	/* empty when the key is of no code */
	struct str_id name;		/* as in struct group_node */
	uint32_t number;		/* likewise */
	bool has_number;		/* which is the name */
	enum cpu_mode mode;
	bool is_unknown;
};

void group_value_text(const struct group_sources *sources, enum group_key key,
		      struct group_value value, bool is_of_object, struct group_text *out);

#endif
