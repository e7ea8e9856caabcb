/* page_dump FILE - writes the page of a window with as many stacks as a large server has, each of
 * another function, and with names that end an element or a script if they are not escaped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "share/page.h"
#include "snapshot_fixture.h"

#define STACKS	   100000
#define NAME_BYTES 200	/* like those of C++ */
#define LONG_BYTES (1 << 20)

static const char *const hostile[] = {
	"</script><script>window.evil=1</script>", "<img src=x onerror=window.evil=1>",
	"]]></style><!--", "\"' onmouseover='window.evil=1", "<svg onload=window.evil=1>",
};
#define HOSTILE (sizeof(hostile) / sizeof(hostile[0]))

static const char *make_name(size_t i)
{
	char *name = malloc(NAME_BYTES);

	if (i < HOSTILE)
		return hostile[i];
	if (i == HOSTILE) {
		name = malloc(LONG_BYTES);
		memset(name, 'x', LONG_BYTES - 1);
		name[LONG_BYTES - 1] = '\0';
		return name;
	}
	snprintf(name, NAME_BYTES, "std::vector<std::pair<unsigned long, company::Thing<%zu>>, "
		 "std::allocator<std::pair<unsigned long, company::Thing<%zu>>>>::"
		 "emplace_back(company::Thing<%zu>&&)", i, i, i);
	return name;
}

/* A command with main, which calls each function; the first are sampled most. */
static void fill(struct snapshot_row *rows, struct tree_node *nodes, uint64_t *samples)
{
	for (size_t i = 0; i < STACKS; i++) {
		const uint64_t self = i < 10 ? 100000 - i : 1 + STACKS / (i + 1);
		const char *name = make_name(i);

		rows[i] = (struct snapshot_row){
			.symbol = name, .dso = hostile[0], .dso_path = "/opt/\"><b>/server",
			.mode = MODE_USER, .now = { { self, 0 }, { self, 0 } },
		};
		nodes[i + 2] = (struct tree_node){
			.id = i + 3, .parent = 1, .size = 1, .depth = 2, .symbol = name,
			.raw_symbol = name, .dso = hostile[1], .dso_path = hostile[1],
			.mode = MODE_USER, .state = SYMBOL_NAMED,
			.now = { { self, (double)self }, { self, (double)self } },
		};
		*samples += self;
	}
}

int main(int argc, char **argv)
{
	struct snapshot_row *rows = calloc(STACKS, sizeof(*rows));
	struct tree_node *nodes = calloc(STACKS + 2, sizeof(*nodes));
	const struct export_options print = { .max_rows = SIZE_MAX };
	FILE *out = argc == 2 ? fopen(argv[1], "w") : NULL;
	struct snapshot snapshot;
	uint64_t samples = 0;

	if (!out || !rows || !nodes)
		return 2;
	fill(rows, nodes, &samples);
	for (uint32_t i = 0; i < 2; i++)
		nodes[i] = (struct tree_node){
			.id = i + 1, .parent = i ? 0 : UINT32_MAX, .size = STACKS + 2 - i,
			.depth = i,
			.symbol = i ? "main" : "server", .raw_symbol = i ? "main" : "server",
			.dso = i ? "server" : "", .dso_path = i ? "server" : "", .is_command = !i,
			.mode = MODE_USER, .state = SYMBOL_NAMED,
			.now.total = { samples, (double)samples },
		};
	snapshot = fixture_snapshot(rows, STACKS);
	snapshot.host = hostile[0];
	snapshot.notice = hostile[0];
	snapshot.tree = (struct call_tree){ .direction = TREE_CALLEES, .node_count = STACKS + 2,
					    .nodes = nodes, .samples = samples,
					    .weight = (double)samples };
	return page_write(out, &snapshot, &print, "flametop '</code><script>window.evil=1'") ||
	       fclose(out);
}
