/* group_fixture.c - see group_fixture.h. */
#include "group_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/id_map.h"
#include "fold/filter.h"

#define POSTGRES "/usr/lib/postgresql/15/bin/postgres"
#define CRYPTO	 "/usr/lib/x86_64-linux-gnu/libcrypto.so.3"
#define WEB	 "/kubepods.slice/pod7.slice/cri-containerd-4fe1c0ffee12.scope"
#define NODES	 512
#define TEXT	 160

/* What samples have in common. */
struct sort_of_samples {
	const char *comm;
	uint32_t pid, tid, cpu;
	const char *cgroup, *unit, *container, *pod;	/* NULL: none */
	const char *dso, *dso_path, *symbol;		/* NULL: loading */
	enum cpu_mode mode;
	bool is_unnamed;
	uint64_t self, total;	/* total: of the function */
};

#define DATABASE "postgres", 4121, 4121, 2, "/system.slice/postgresql.service", \
		 "postgresql.service", NULL, NULL
#define WORKER	 "postgres", 4122, 4122, 5, "/system.slice/postgresql.service", \
		 "postgresql.service", NULL, NULL
#define SERVER	 "nginx", 77, 80, 0, WEB, NULL, "4fe1c0ffee12", "pod7"
#define SHELL(comm, pid, cpu) comm, pid, pid, cpu, "/user.slice", NULL, NULL, NULL

static const struct sort_of_samples samples[] = {
	{ DATABASE, "postgres", POSTGRES, "hash_search_with_hash_value", MODE_USER, false, 10520,
	  14000 },
	{ DATABASE, "postgres", POSTGRES, "main", MODE_USER, false, 0, 15520 },
	{ DATABASE, "[kernel]", "[kernel]", "copy_user_enhanced_fast_string", MODE_KERNEL, false,
	  5000, 5000 },
	{ WORKER, "postgres", POSTGRES, "ExecScan", MODE_USER, false, 4000, 4000 },
	{ SERVER, "libcrypto.so.3", CRYPTO, "ChaCha20_4xl", MODE_USER, false, 5160, 5160 },
	{ SERVER, "[kernel]", "[kernel]", "copy_user_enhanced_fast_string", MODE_KERNEL, false,
	  2150, 2150 },
	{ SERVER, "nginx", "/usr/sbin/nginx", "ngx_worker_process_cycle", MODE_USER, false, 0,
	  7310 },
	{ SHELL("java", 900, 1), "libjvm.so", "/usr/lib/jvm/lib/server/libjvm.so", NULL, MODE_USER,
	  true, 3230, 3230 },
	{ SHELL("cc1plus", 5150, 7), "cc1plus", "/usr/lib/gcc/cc1plus", "0x8f31a0", MODE_USER,
	  true, 2350, 2350 },
	{ SHELL("stripped", 61, 1), "stripped.bin", "/opt/stripped.bin", "0x1234", MODE_USER, true,
	  1100, 1100 },
	{ SHELL("a-rather-long-p", 4194304, 6), "a-rather-long-program-name-indeed",
	  "/opt/a-rather-long-program-name-indeed",
	  "std::vector<std::pair<int, std::string>, std::allocator<std::pair<int, std::string> > "
	  ">::_M_realloc_insert(std::pair<int, std::string>&&)", MODE_USER, false, 900, 900 },
	{ SHELL("cafe\u0301", 12, 3), "unicode", "/opt/unicode", "\u6f22\u5b57\u306e\u95a2\u6570",
	  MODE_USER, false, 310, 310 },
	{ SHELL("qemu", 13, 4), "[kernel]", "[kernel]", "vmx_vcpu_run", MODE_GUEST_KERNEL, false,
	  120, 120 },
	{ SHELL("qemu", 13, 4), "[unknown]", "[unknown]", "guest_main", MODE_GUEST_USER, false, 20,
	  20 },
};

#define SORTS (sizeof(samples) / sizeof(samples[0]))

struct builder {
	struct group_node nodes[NODES];
	char texts[NODES][TEXT];
	uint32_t count, level_count;
	const enum group_key *keys;
};

static struct builder builder;

/* The value of the key, "" when there is none. */
static void write_value(const struct sort_of_samples *of, enum group_key key, char *out)
{
	const char *text = NULL;

	out[0] = '\0';
	switch (key) {
	case GROUP_EVENT:     text = "cpu-clock"; break;
	case GROUP_COMM:
	case GROUP_THREAD:    text = of->comm; break;
	case GROUP_PID:	      snprintf(out, TEXT, "%u %s", of->pid, of->comm); break;
	case GROUP_TID:	      snprintf(out, TEXT, "%u", of->tid); break;
	case GROUP_CPU:	      snprintf(out, TEXT, "CPU %u", of->cpu); break;
	case GROUP_SOCKET:    snprintf(out, TEXT, "socket %u", of->cpu / 4); break;
	case GROUP_CGROUP:    text = of->cgroup; break;
	case GROUP_UNIT:      text = of->unit; break;
	case GROUP_CONTAINER: text = of->container; break;
	case GROUP_POD:	      text = of->pod; break;
	case GROUP_DSO:    text = of->dso; break;
	case GROUP_SYMBOL:    text = of->symbol ? of->symbol : "(loading)"; break;
	default:	      break;
	}
	if (text)
		snprintf(out, TEXT, "%s", text);
}

static const char *none_of(enum group_key key)
{
	return key == GROUP_CONTAINER ? "[no container]" : "[none]";
}

/* What a filter compares. */
static const char *name_of(const struct sort_of_samples *of, enum group_key key, const char *text)
{
	if (key == GROUP_DSO)
		return of->dso_path;
	if (key == GROUP_SYMBOL)
		return of->is_unnamed ? "" : of->symbol;
	return text;
}

static uint64_t number_of(const struct sort_of_samples *of, enum group_key key)
{
	return key == GROUP_PID ? of->pid : key == GROUP_TID ? of->tid
			      : key == GROUP_CPU ? of->cpu : 0;
}

static bool is_of_code(enum group_key key)
{
	return key == GROUP_DSO || key == GROUP_SYMBOL;
}

/* The samples of @of have @key's value like the first of them. */
static void fill_node(struct group_node *node, uint32_t number, enum group_key key,
		      const bool *of)
{
	char *text = builder.texts[number];
	size_t first = 0;

	while (!of[first])
		first++;
	write_value(&samples[first], key, text);
	node->name = text[0] ? name_of(&samples[first], key, text) : "";
	node->is_unknown = !text[0];
	if (!text[0])
		snprintf(text, TEXT, "%s", none_of(key));
	node->text = text;
	node->number = number_of(&samples[first], key);
	node->dso_path = is_of_code(key) ? samples[first].dso_path : "";
	node->mode = is_of_code(key) ? samples[first].mode : MODE_UNKNOWN;
	for (size_t i = 0; i < SORTS; i++) {
		node->now.self.samples += of[i] ? samples[i].self : 0;
		if (of[i] && is_of_code(key) && samples[i].total > node->now.total.samples)
			node->now.total.samples = samples[i].total;
	}
	if (node->now.total.samples < node->now.self.samples)
		node->now.total.samples = node->now.self.samples;
	node->now.self.weight = (double)node->now.self.samples;
	node->now.total.weight = (double)node->now.total.samples;
	node->whole_weight = GROUP_FIXTURE_WEIGHT;
}

static uint64_t self_of(const bool *of)
{
	uint64_t self = 0;

	for (size_t i = 0; i < SORTS; i++)
		self += of[i] ? samples[i].self : 0;
	return self;
}

/* Those of @of that are like number @like by @key; returns their self. */
static uint64_t pick(const bool *of, size_t like, enum group_key key, bool *out)
{
	char value[TEXT], other[TEXT];

	write_value(&samples[like], key, value);
	for (size_t i = 0; i < SORTS; i++) {
		write_value(&samples[i], key, other);
		out[i] = of[i] && !strcmp(value, other);
	}
	return self_of(out);
}

/* The groups of @of, largest first, and what is beneath them. */
static void add_level(uint32_t parent, uint32_t depth, const bool *of)
{
	bool left[SORTS], best[SORTS], now[SORTS];

	memcpy(left, of, sizeof(left));
	for (;;) {
		const uint32_t number = builder.count;
		struct group_node *node = &builder.nodes[number];
		int64_t most = -1;

		for (size_t i = 0; i < SORTS; i++) {
			const uint64_t self = left[i] ? pick(left, i, builder.keys[depth], now) : 0;

			if (!left[i] || (int64_t)self <= most)
				continue;
			most = (int64_t)self;
			memcpy(best, now, sizeof(best));
		}
		if (most < 0)
			return;
		builder.count++;
		*node = (struct group_node){ .parent = parent, .depth = depth };
		fill_node(node, number, builder.keys[depth], best);
		node->id = id_set_mix(parent == UINT32_MAX ? 77 : builder.nodes[parent].id,
				      filter_hash(node->text) + builder.keys[depth]);
		if (depth + 1 < builder.level_count)
			add_level(number, depth + 1, best);
		node->size = builder.count - number;
		for (size_t i = 0; i < SORTS; i++)
			left[i] &= !best[i];
	}
}

struct group_tree group_fixture_machine(const enum group_key *keys, uint32_t count)
{
	struct group_tree tree = { .level_count = count, .nodes = builder.nodes };
	bool all[SORTS];

	memset(all, true, sizeof(all));
	memcpy(tree.keys, keys, count * sizeof(keys[0]));
	builder.count = 0;
	builder.level_count = count;
	builder.keys = keys;
	add_level(UINT32_MAX, 0, all);
	tree.node_count = builder.count;
	return tree;
}
