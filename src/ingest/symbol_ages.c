/* symbol_ages.c - drops the oldest symbols of objects that have no room for new ones.
 *
 * Problem: an object may have a share of all names (symbol_names.h). A program that makes code all
 * day, or one with very many functions, has used it up after an hour, and then its new functions
 * have no names as long as history refers to the old ones.
 *
 * Idea: a symbol is only a cached look-up. So frames that recent slices do not use lose theirs, the
 * oldest half of an object's first; a fold of older slices looks them up again, while there is
 * room. They are not looked up ahead of folds (SYMBOL_AGED), or all would be back at once.
 *
 * Invariant: an object that uses less than half of its share keeps all, whatever others do.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/symbol_names.h"

struct aged {
	uint32_t object, age, symbol;
};

/* By node, frame and symbol: number of the last slice that uses it, from 1 on; 0: none does. */
struct ages {
	uint32_t *node, *frame, *symbol;	/* owned */
	struct aged *used;			/* owned; the symbols in use */
	uint32_t used_count;
};

static void raise(uint32_t *age, uint32_t to)
{
	if (*age < to)
		*age = to;
}

static int start(struct ages *ages, const struct symbol_names *names, const struct stack_trie *trie)
{
	*ages = (struct ages){
		.node = calloc(trie->nodes.count + 1, sizeof(*ages->node)),
		.frame = calloc(trie->frames.count + 1, sizeof(*ages->frame)),
		.symbol = calloc(names->count + 1, sizeof(*ages->symbol)),
		.used = malloc((names->count + 1) * sizeof(*ages->used)),
	};
	return ages->node && ages->frame && ages->symbol && ages->used ? 0 : -ENOMEM;
}

static void finish(struct ages *ages)
{
	free(ages->node);
	free(ages->frame);
	free(ages->symbol);
	free(ages->used);
}

/* Parents have smaller numbers: one pass down raises them all. */
static void find_ages(struct ages *ages, const struct symbol_names *names,
		      const struct stack_trie *trie, const uint32_t *stack_ages)
{
	const struct stack_nodes *nodes = &trie->nodes;

	for (uint32_t i = 0; i < trie->stacks.count; i++) {
		raise(&ages->frame[trie->stacks.frame[i]], stack_ages[i]);
		raise(&ages->node[trie->stacks.node[i]], stack_ages[i]);
	}
	for (uint32_t i = nodes->count; i-- > 1;) {
		raise(&ages->node[nodes->parent[i]], ages->node[i]);
		raise(&ages->frame[nodes->frame[i]], ages->node[i]);
	}
	for (uint32_t i = 0; i < trie->frames.count; i++)
		if (trie->frames.symbol[i] < SYMBOL_AGED)
			raise(&ages->symbol[trie->frames.symbol[i]], ages->frame[i]);
	for (uint32_t i = 0; i < names->count; i++)
		if (ages->symbol[i])
			ages->used[ages->used_count++] = (struct aged){
				names->symbols[i].object, ages->symbol[i], i,
			};
}

static int by_object_and_age(const void *a, const void *b)
{
	const struct aged *left = a, *right = b;

	if (left->object != right->object)
		return left->object < right->object ? -1 : 1;
	if (left->age != right->age)
		return left->age < right->age ? -1 : 1;
	return left->symbol < right->symbol ? -1 : left->symbol > right->symbol;
}

/* Whether the object uses over half of its share of rows or text; of its text only the part of the
 * @count symbols in use is taken into account. @all: symbols in use of all objects. */
static bool has_much(const struct symbol_names *names, uint32_t object, uint32_t count,
		     uint32_t all)
{
	const struct object *owner = &names->objects->objects[object];
	const uint32_t rows = SYMBOL_NAMES_ROWS - SYMBOL_NAMES_RESERVE;
	const uint32_t rows_left = all < rows ? rows - all : 0;
	const size_t text_left = names->text_bytes < SYMBOL_NAMES_TEXT_BYTES ?
				 SYMBOL_NAMES_TEXT_BYTES - names->text_bytes : 0;
	const size_t text = owner->symbols ?
			    owner->symbol_text_bytes / owner->symbols * count : 0;

	return count > rows_left / SYMBOL_NAMES_SHARE / 2 ||
	       text > text_left / SYMBOL_NAMES_SHARE / 2;
}

/* In each object that has many symbols, sets the age of the older half to 0, except where it is
 * @recent or more. Returns whether it set any. */
static bool drop_oldest(struct ages *ages, const struct symbol_names *names, uint32_t recent)
{
	bool has_dropped = false;
	uint32_t first = 0, end;

	qsort(ages->used, ages->used_count, sizeof(*ages->used), by_object_and_age);
	for (; first < ages->used_count; first = end) {
		const uint32_t object = ages->used[first].object;

		for (end = first; end < ages->used_count && ages->used[end].object == object; end++)
			;
		if (!has_much(names, object, end - first, ages->used_count))
			continue;
		for (uint32_t i = first; i < (first + end) / 2 && ages->used[i].age < recent; i++) {
			ages->symbol[ages->used[i].symbol] = 0;
			has_dropped = true;
		}
	}
	return has_dropped;
}

int symbol_names_age(const struct symbol_names *names, struct stack_trie *trie,
		     const uint32_t *stack_ages, uint32_t recent)
{
	struct ages ages;
	int err = start(&ages, names, trie);

	if (!err) {
		find_ages(&ages, names, trie, stack_ages);
		if (drop_oldest(&ages, names, recent))
			for (uint32_t i = 0; i < trie->frames.count; i++)
				if (trie->frames.symbol[i] < SYMBOL_AGED &&
				    !ages.symbol[trie->frames.symbol[i]])
					trie->frames.symbol[i] = SYMBOL_AGED;
	}
	finish(&ages);
	return err;
}
