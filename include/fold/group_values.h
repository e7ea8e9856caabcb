/* group_values.h - the values of a sample and its frames for each key of a tree of groups, and
 * their text.
 * Thread: the analyzer's. */
#ifndef FOLD_GROUP_VALUES_H
#define FOLD_GROUP_VALUES_H

#include "fold/group_tree.h"
#include "fold/source_lines.h"
#include "fold/symbol_twins.h"
#include "ingest/symbol_names.h"
#include "ingest/task_table.h"
#include "timeline/timeline.h"

/* Where values and their text come from; pointers are borrowed. */
struct group_sources {
	struct stack_trie *trie;
	struct symbol_names *names;
	const struct task_table *tasks;
	const struct symbol_twins *twins;	/* see struct fold */
	const struct source_lines *lines;	/* NULL: no lines are known */
	const int *sockets;			/* package by CPU; < 0: unknown */
	uint32_t socket_count;			/* CPUs beyond it: unknown */
	/* Returns the raw name of an event, "": none. NULL: no event has a name. */
	const char *(*event_name)(const void *owner, uint32_t event);
	const void *owner;
	bool raw_names;				/* symbol names as in their files */
	struct id_map process_comms;		/* owned by the fold: pid -> present or last comm:
						 * group_sources_name_processes() */
};

/* Fills process_comms, which GROUP_PID and GROUP_THREAD need. 0 or -ENOMEM. */
int group_sources_name_processes(struct group_sources *sources);

/* Two values of a key are equal when their identities are. */
struct group_value {
	uint64_t identity;	/* equal in every snapshot, as it does not depend on ids */
	uint32_t of;		/* id or number to make the text from, or GROUP_VALUE_ */
};

#define GROUP_VALUE_NONE    UINT32_MAX		/* there is no value */
#define GROUP_VALUE_UNKNOWN (UINT32_MAX - 1)	/* the value is unknown */

bool group_key_is_of_code(enum group_key key);

/* Returns the value of a sample for a key that is not of code. */
struct group_value group_value_of_sample(const struct group_sources *sources, enum group_key key,
					 const struct slice_entry *entry);

struct group_frame {
	uint32_t frame;
	uint32_t symbol;
	uint32_t caller;	/* symbol of the calling frame; ID_SET_NONE: none. Set only if
				 * GROUP_PARENT is a key */
	bool is_leaf;
};

/* Returns the value of a frame for a key of code. @is_of_object: the node is below that of its DSO,
 * so functions of one name are distinguished. */
struct group_value group_value_of_frame(const struct group_sources *sources, enum group_key key,
					const struct group_frame *frame, bool is_of_object);

/* Returns the address whose source line to request: the frame's, or for a caller that of the
 * call. */
struct source_wish group_value_wish(const struct group_sources *sources, uint32_t frame,
				    bool is_leaf);

#define GROUP_TEXT_BYTES 512

/* The text of a value. */
struct group_text {
	struct str_id pooled;		/* the text if `own` is empty */
	char own[GROUP_TEXT_BYTES];	/* the text, raw; "": see `pooled` */
	struct str_id object_path;	/* empty unless the key is of code */
	struct str_id name;		/* see struct group_node */
	uint32_t number;		/* see struct group_node */
	bool has_number;		/* `number` is the name */
	enum cpu_mode mode;
	bool is_unknown;
};

void group_value_text(const struct group_sources *sources, enum group_key key,
		      struct group_value value, bool is_of_object, struct group_text *out);

#endif
