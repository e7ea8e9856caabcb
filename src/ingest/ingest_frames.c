/* ingest_frames.c - the addresses of a sample -> its leaf frame and the node of its callers.
 *
 * Idea: the frame of an address, and the node of a whole chain of callers, stay valid until
 * something changes that they depend on. So they are cached (ingest/stack_memo.h) under the space
 * number of the address map; all other dependencies are checked in one place, is_unchanged().
 *
 * Side effects of a sample happen for cached chains, too: a cached chain names the run-time code
 * that it goes through. That a kernel address has no name is noticed only when a chain is looked up
 * anew, so the cache is dropped when such an address comes, or after a request for kernel names.
 *
 * Invariant: the cache does not affect counts or the numbers of frames, nodes and stacks.
 */
#include "elf/vdso_image.h"
#include "ingest/ingest.h"

#define MANY_CODES UINT32_MAX	/* a chain through code of several processes, after a JIT's fork */

static enum cpu_mode mode_of_marker(uint64_t marker)
{
	switch ((int64_t)marker) {
	case -128:	return MODE_KERNEL;
	case -512:	return MODE_USER;
	case -32:	return MODE_HYPERVISOR;
	case -2176:	return MODE_GUEST_KERNEL;	/* PERF_CONTEXT_GUEST + KERNEL */
	case -2560:	return MODE_GUEST_USER;
	default:	return MODE_UNKNOWN;
	}
}

enum cpu_mode ingest_chain_mode(uint64_t word, enum cpu_mode before)
{
	return ingest_is_marker(word) ? mode_of_marker(word) : before;
}

static uint32_t kernel_object(const struct ingest *ingest, uint64_t ip)
{
	const struct mapping *row = address_map_find(ingest->kernel_overlay, ip);

	if (!row && ingest->config.is_replay) {
		row = address_map_find(ingest->kernel_maps, ip);
		return row ? row->object : OBJECT_UNKNOWN_KERNEL;
	}
	return row ? row->object : OBJECT_KERNEL;
}

static uint32_t kernel_frame(struct ingest *ingest, uint64_t ip)
{
	const uint32_t object = kernel_object(ingest, ip);
	const uint64_t shift = object == OBJECT_KERNEL ? ingest->kernel_shift : 0;
	const uint32_t frame = stack_trie_frame(&ingest->trie, object, ip + shift);

	ingest_kernel_sample(ingest, frame);
	return frame;
}

/* Fills in frame and code. False: @ip is outside of every mapping. */
static bool find_user(struct ingest *ingest, const struct address_map *maps, uint64_t ip,
		      struct memo_frame *out)
{
	const struct mapping *row;

	if (vdso_image_is_vsyscall(ip)) {
		out->frame = stack_trie_frame(&ingest->trie, OBJECT_VSYSCALL, ip);
		return true;
	}
	row = maps ? address_map_find(maps, ip) : NULL;
	if (!row)
		return false;
	out->code = ingest->objects.objects[row->object].code;
	out->frame = stack_trie_frame(&ingest->trie,
				      object_table_current(&ingest->objects, row->object),
				      mapping_frame_address(row, ip));
	return true;
}

static uint32_t other_frame(struct ingest *ingest, enum cpu_mode mode, uint64_t ip)
{
	const uint32_t object = mode == MODE_GUEST_KERNEL ? OBJECT_GUEST_KERNEL :
				mode == MODE_GUEST_USER	  ? OBJECT_GUEST_USER
							  : OBJECT_HYPERVISOR;

	return stack_trie_frame(&ingest->trie, object, ip);
}

uint32_t ingest_frame(struct ingest *ingest, const struct address_map *maps, enum cpu_mode mode,
		      uint64_t ip)
{
	struct memo_frame found = { .code = 0 };

	if (mode == MODE_KERNEL)
		return kernel_frame(ingest, ip);
	if (mode != MODE_USER)
		return other_frame(ingest, mode, ip);
	if (!find_user(ingest, maps, ip, &found))
		return stack_trie_frame(&ingest->trie, OBJECT_UNKNOWN, ip);
	if (found.code)
		ingest_jit_sample(ingest, found.code);
	return found.frame;
}

/* Where the addresses of the current sample are looked up. */
struct spaces {
	const struct address_map *maps;
	uint64_t user, kernel;
};

/* Whether the kernel, the objects and the rows that the cache depends on are unchanged since the
 * last call. Each of the summed counters only rises. */
static bool is_unchanged(struct ingest *ingest)
{
	struct ingest_stacks *stacks = &ingest->stacks;
	const uint64_t changes = ingest->trie.compactions + ingest->objects.successions +
				 ingest->names.nameless_in_kernel + ingest->kernel.requests +
				 ingest->jit.forgotten;
	const bool is_same = changes == stacks->changes &&
			     ingest->kernel_shift == stacks->kernel_shift &&
			     ingest->kernel_maps->space && ingest->kernel_overlay->space;

	stacks->changes = changes;
	stacks->kernel_shift = ingest->kernel_shift;
	return is_same;
}

static struct spaces look_around(struct ingest *ingest, struct address_map *maps)
{
	struct stack_memo *memo = &ingest->stacks.memo;

	if (!is_unchanged(ingest)) {
		ingest_repeat_forget(ingest);
		stack_memo_forget(memo);
		stack_memo_space(memo, &ingest->kernel_maps->space);
		stack_memo_space(memo, &ingest->kernel_overlay->space);
	}
	return (struct spaces){
		.maps = maps, .kernel = memo->kernel_space,
		.user = maps ? stack_memo_space(memo, &maps->space) : memo->empty_space,
	};
}

/* A caller outside of every mapping is no code: code without frame pointers left something else in
 * that register. There are as many of these as samples, so they are one frame. */
static uint32_t frame_outside(struct ingest *ingest, uint64_t ip, bool is_caller)
{
	return stack_trie_frame(&ingest->trie, OBJECT_UNKNOWN, is_caller ? 0 : ip);
}

/* The frame of @ip. Joins the run-time code that it is in to *@code (MANY_CODES: several). */
static uint32_t frame_of(struct ingest *ingest, const struct spaces *spaces, enum cpu_mode mode,
			 uint64_t ip, bool is_caller, uint32_t *code)
{
	struct stack_memo *memo = &ingest->stacks.memo;
	struct memo_frame found = {
		.space = mode == MODE_USER ? spaces->user : spaces->kernel, .address = ip,
	};
	const struct memo_frame *known;

	if (mode != MODE_USER && mode != MODE_KERNEL)
		return other_frame(ingest, mode, ip);
	known = stack_memo_frame(memo, found.space, ip);
	if (!known) {
		if (mode == MODE_KERNEL)
			found.frame = kernel_frame(ingest, ip);
		else if (!find_user(ingest, spaces->maps, ip, &found))
			return frame_outside(ingest, ip, is_caller);
		if (found.frame != ID_SET_NONE)
			stack_memo_keep_frame(memo, &found);
		known = &found;
	}
	if (known->code) {
		ingest_jit_sample(ingest, known->code);
		*code = *code && *code != known->code ? MANY_CODES : known->code;
	}
	return known->frame;
}

static uint32_t take_callers(struct ingest *ingest, const struct spaces *spaces,
			     const struct sample_chain *chain, uint32_t *code)
{
	uint32_t *frames = ingest->stacks.callers;
	enum cpu_mode mode = chain->mode;
	uint32_t count = 0, node = STACK_NODE_ROOT;

	for (uint32_t i = 0; i < chain->count; i++) {
		const uint64_t word = chain->words[i];

		if (i >= chain->walked) {
			mode = MODE_USER;
		} else if (ingest_is_marker(word)) {
			mode = mode_of_marker(word);
			continue;
		}
		frames[count] = frame_of(ingest, spaces, mode, word, true, code);
		if (frames[count++] == ID_SET_NONE)
			return ID_SET_NONE;
	}
	while (count && node != ID_SET_NONE)
		node = stack_trie_child(&ingest->trie, node, frames[--count]);
	return node;
}

static uint32_t node_of(struct ingest *ingest, const struct spaces *spaces,
			const struct sample_chain *chain)
{
	struct stack_memo *memo = &ingest->stacks.memo;
	const struct memo_key key = {
		.space = spaces->user, .words = chain->words, .count = chain->count,
		.plain = chain->walked, .mode = (uint32_t)chain->mode,
	};
	const uint64_t hash = stack_memo_hash(&key);
	const struct memo_chain *known = stack_memo_chain(memo, &key, hash);
	uint32_t node, code = 0;

	if (known) {
		if (known->code)
			ingest_jit_sample(ingest, known->code);
		return known->node;
	}
	node = take_callers(ingest, spaces, chain, &code);
	if (node != ID_SET_NONE && code != MANY_CODES)
		stack_memo_keep_chain(memo, &key, hash, node, code);
	return node;
}

void ingest_chain_frames(struct ingest *ingest, struct address_map *maps,
			 const struct sample_chain *chain, struct sample_stack *out)
{
	const struct spaces spaces = look_around(ingest, maps);
	uint32_t code = 0;

	out->node = chain->count ? node_of(ingest, &spaces, chain) : STACK_NODE_ROOT;
	out->leaf = frame_of(ingest, &spaces, chain->leaf_mode, chain->leaf_ip, false, &code);
}
