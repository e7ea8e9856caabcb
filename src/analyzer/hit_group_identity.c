/* hit_group_identity.c - tells which group a sum belongs to: see hit_group_fold.h. Ids of values and
 * stacks change when history is compacted; their contents do not. */
#include "hit_group_fold.h"

bool hit_group_has_stack(const struct probe_spec *spec)
{
	for (uint32_t i = 0; i < spec->key_count; i++)
		if (spec->keys[i].kind >= PROBE_KEY_STACK)
			return true;
	return false;
}

uint32_t hit_group_key(const struct ingest *ingest, uint32_t id)
{
	const struct probe_values *values = &ingest->hits->keys;

	if (id >= HIT_KEY_OTHER)
		return id;
	return values->rows[id].form == VALUE_OTHER_NUMBERS ||
	       values->rows[id].form == VALUE_OTHER_TEXTS ? HIT_KEY_OTHER : id;
}

void hit_group_walk(struct ingest *ingest, uint32_t stack, enum probe_key_kind kind,
		    hit_group_frame *take, void *context)
{
	struct stack_trie *trie = &ingest->trie;
	uint32_t frame = trie->stacks.frame[stack];
	uint32_t node = trie->stacks.node[stack];

	for (;;) {
		const uint32_t id = symbol_names_of_frame(&ingest->names, trie, frame);
		const struct symbol *symbol = &ingest->names.symbols[id];

		if (id != ID_SET_NONE &&
		    (kind == PROBE_KEY_STACK ||
		     (symbol->mode == MODE_KERNEL) == (kind == PROBE_KEY_KSTACK)))
			take(context, symbol);
		if (node == STACK_NODE_ROOT)
			return;
		frame = trie->nodes.frame[node];
		node = trie->nodes.parent[node];
	}
}

struct hashing {
	const struct strpool *strings;
	uint64_t hash;
};

static void hash_frame(void *context, const struct symbol *symbol)
{
	struct hashing *hashing = context;

	hashing->hash = id_set_mix(hashing->hash, strpool_hash(hashing->strings, symbol->name) ^
						  symbol->address);
}

/* Returns a number that is equal for equal values. */
static uint64_t content_of(const struct ingest *ingest, uint32_t id)
{
	const struct value_row *row;

	if (id >= HIT_KEY_OTHER)
		return id;
	row = &ingest->hits->keys.rows[id];
	return id_set_mix(row->number, (uint64_t)row->serial << 8 | row->form);
}

uint64_t hit_group_identity(struct ingest *ingest, const struct probe_row *row,
			    const struct hit_tuple *tuple, uint32_t stack)
{
	const struct probe_spec *spec = row->spec;
	struct hashing hashing = { ingest->strings, 1 };

	for (uint32_t i = 0; i < spec->key_count; i++) {
		hashing.hash = id_set_mix(hashing.hash,
					  content_of(ingest, hit_group_key(ingest,
									   tuple->keys[i])));
		if (spec->keys[i].kind >= PROBE_KEY_STACK && stack != ID_SET_NONE &&
		    tuple->keys[i] != HIT_KEY_OTHER)
			hit_group_walk(ingest, stack, spec->keys[i].kind, hash_frame, &hashing);
	}
	return hashing.hash ? hashing.hash : 1;
}
