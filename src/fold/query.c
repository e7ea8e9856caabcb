/* query.c - see fold/query.h: the keys of a tree of groups by their names. */
#include "fold/query.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/name_match.h"

#define NAME_BYTES  24		/* longer than any name */
#define NAMES_BYTES 280		/* all names[] with separators */

static const char *const names[GROUP_KEY_COUNT] = {
	[GROUP_EVENT] = "event", [GROUP_COMM] = "comm", [GROUP_PID] = "pid", [GROUP_TID] = "tid",
	[GROUP_THREAD] = "thread", [GROUP_CGROUP] = "cgroup", [GROUP_UNIT] = "unit",
	[GROUP_CONTAINER] = "container", [GROUP_POD] = "pod", [GROUP_CPU] = "cpu",
	[GROUP_SOCKET] = "socket", [GROUP_PMU] = "pmu",
	[GROUP_WAIT] = "wait", [GROUP_STATE] = "state", [GROUP_WAKER] = "waker",
	[GROUP_BY1] = "by1", [GROUP_BY2] = "by2", [GROUP_BY3] = "by3", [GROUP_BY4] = "by4",
	[GROUP_DSO] = "dso",
	[GROUP_SYMBOL] = "symbol", [GROUP_ADDRESS] = "address", [GROUP_SOURCE] = "source",
	[GROUP_PARENT] = "parent",
};

/* Names of these keys in perf(1) and on the screen. */
static const struct {
	const char *name;
	enum group_key key;
} synonyms[] = {
	{ "command", GROUP_COMM }, { "process", GROUP_PID }, { "package", GROUP_SOCKET },
	{ "object", GROUP_DSO }, { "sym", GROUP_SYMBOL }, { "function", GROUP_SYMBOL },
	{ "addr", GROUP_ADDRESS }, { "srcline", GROUP_SOURCE }, { "line", GROUP_SOURCE },
	{ "caller", GROUP_PARENT }, { "by", GROUP_BY1 },
};

const char *group_key_name(enum group_key key)
{
	return names[key];
}

const char *group_tree_key_name(const struct group_tree *tree, uint32_t level)
{
	const enum group_key key = tree->keys[level];

	if (group_key_is_by(key) && tree->by_names[key - GROUP_BY1])
		return tree->by_names[key - GROUP_BY1];
	return group_key_name(key);
}

static bool find_key(const char *name, enum group_key *out)
{
	for (unsigned int i = 0; i < GROUP_KEY_COUNT; i++) {
		if (!strcmp(names[i], name)) {
			*out = (enum group_key)i;
			return true;
		}
	}
	for (size_t i = 0; i < sizeof(synonyms) / sizeof(synonyms[0]); i++) {
		if (!strcmp(synonyms[i].name, name)) {
			*out = synonyms[i].key;
			return true;
		}
	}
	return false;
}

static int refuse_name(const char *text, const char *as, const char *name, struct diag *why)
{
	char known[NAMES_BYTES] = "";
	struct near_name near;
	size_t used = 0;

	near_name_start(&near, name);
	for (unsigned int i = 0; i < GROUP_KEY_COUNT; i++) {
		near_name_try(&near, names[i]);
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "",
					 names[i]);
	}
	for (size_t i = 0; i < sizeof(synonyms) / sizeof(synonyms[0]); i++)
		near_name_try(&near, synonyms[i].name);
	if (near.nearest)
		return diag_set(why, -EINVAL, "%s %s: \"%s\" is no key, did you mean %s? There are "
				"%s", as, text, name, near.nearest, known);
	return diag_set(why, -EINVAL, "%s %s: \"%s\" is no key; there are %s", as, text, name,
			known);
}

/* The keys parsed so far. */
struct key_list {
	enum group_key keys[GROUP_LEVELS];
	uint32_t count;
};

static int add_key(struct key_list *list, enum group_key key, const char *text, const char *as,
		   struct diag *why)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (list->keys[i] == key)
			return diag_set(why, -EINVAL, "%s %s: %s is there twice", as, text,
					names[key]);
	if (list->count == GROUP_LEVELS)
		return diag_set(why, -EINVAL, "%s %s: no more than %d levels can be", as, text,
				GROUP_LEVELS);
	if (key == GROUP_EVENT && list->count)
		return diag_set(why, -EINVAL, "%s %s: event must come first, for periods of "
				"different events can't be added", as, text);
	list->keys[list->count++] = key;
	return 0;
}

int group_keys_parse(const char *text, const char *as, enum group_key *keys, uint32_t *count,
		     struct diag *why)
{
	struct key_list list = { .count = 0 };
	const char *at = text;

	for (;;) {
		const size_t len = strcspn(at, ",");
		char name[NAME_BYTES];
		enum group_key key;
		int err;

		snprintf(name, sizeof(name), "%.*s", (int)len, at);
		if (len >= sizeof(name) || !find_key(name, &key))
			return refuse_name(text, as, name, why);
		err = add_key(&list, key, text, as, why);
		if (err)
			return err;
		at += len;
		if (!*at++)
			break;
	}
	memcpy(keys, list.keys, sizeof(list.keys));
	*count = list.count;
	return 0;
}
