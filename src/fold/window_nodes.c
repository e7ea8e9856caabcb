/* window_nodes.c - see window_nodes.h. */
#include "window_nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t word_count(const struct window_nodes *nodes)
{
	return nodes->trie->nodes.count / 64 + 1;
}

int window_nodes_init(struct window_nodes *nodes, const struct stack_trie *trie)
{
	*nodes = (struct window_nodes){ .trie = trie, .count = 1 };
	nodes->marks = calloc(word_count(nodes), sizeof(*nodes->marks));
	if (!nodes->marks)
		return -ENOMEM;
	nodes->marks[STACK_NODE_ROOT / 64] = 1ull << STACK_NODE_ROOT % 64;
	return 0;
}

void window_nodes_finish(struct window_nodes *nodes)
{
	free(nodes->marks);
	free(nodes->before);
	free(nodes->node);
	free(nodes->parent);
	memset(nodes, 0, sizeof(*nodes));
}

int window_nodes_number(struct window_nodes *nodes)
{
	const uint32_t words = word_count(nodes);
	uint32_t number = 0;

	nodes->before = malloc(words * sizeof(*nodes->before));
	nodes->node = malloc(nodes->count * sizeof(*nodes->node));
	nodes->parent = malloc(nodes->count * sizeof(*nodes->parent));
	if (!nodes->before || !nodes->node || !nodes->parent)
		return -ENOMEM;
	for (uint32_t word = 0; word < words; word++) {
		nodes->before[word] = number;
		for (uint64_t left = nodes->marks[word]; left; left &= left - 1) {
			const uint32_t node = word * 64 + (uint32_t)__builtin_ctzll(left);

			nodes->node[number] = node;
			nodes->parent[number++] =
				window_nodes_find(nodes, nodes->trie->nodes.parent[node]);
		}
	}
	return 0;
}
