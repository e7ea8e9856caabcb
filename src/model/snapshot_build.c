/* snapshot_build.c - see model/snapshot_build.h.
 *
 * Text is copied once per different string: thousands of rows share few comms and objects. The
 * block is [snapshot | rows | text]; text is collected first, since pointers into it must not move.
 */
#include "model/snapshot_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize.h"

#define KEYS_CODE (KEY_OBJECT | KEY_SYMBOL | KEY_ADDRESS)

struct text_block {
	char *bytes;
	size_t used, capacity;
	struct id_map of_string;	/* str id -> offset */
	bool is_out_of_memory;
};

/* Offset of a copy of the clean form of @text. Offset 0 is "". */
static size_t put_text(struct text_block *block, const char *text)
{
	const size_t room = text ? 12 * strlen(text) + 1 : 1;	/* the worst: "<U+NNNN>" per byte */
	const size_t at = block->used;

	if (block->capacity - block->used < room) {
		size_t capacity = (block->capacity + room) * 2;
		char *bigger = realloc(block->bytes, capacity);

		if (!bigger) {
			block->is_out_of_memory = true;
			return 0;
		}
		block->bytes = bigger;
		block->capacity = capacity;
	}
	block->used += 1 + (text ? sanitize_text(block->bytes + at, room, text, strlen(text)) : 0);
	block->bytes[block->used - 1] = '\0';
	return at;
}

/* The same for lines: their newlines stay. */
static size_t put_lines(struct text_block *block, const char *lines)
{
	char line[1024];
	size_t at = put_text(block, "");

	for (size_t len; lines && *lines; lines += len + (lines[len] == '\n')) {
		len = strcspn(lines, "\n");
		if (block->is_out_of_memory)
			return 0;
		snprintf(line, sizeof(line), "%.*s", (int)len, lines);
		block->bytes[block->used - 1] = '\n';	/* in place of the terminator before */
		put_text(block, line);
	}
	return at + (block->bytes && block->bytes[at] == '\n');
}

static size_t put_string(struct text_block *block, const struct strpool *strings,
			 struct str_id id)
{
	uint32_t at = id_map_get(&block->of_string, id.v);

	if (at != ID_MAP_NONE)
		return at;
	at = (uint32_t)put_text(block, strpool_get(strings, id));
	id_map_put(&block->of_string, id.v, at);
	return at;
}

/* Offsets while the text still grows; pointers at the end. */
struct row_text {
	size_t symbol, object, object_path, build_id, comm, reason;
};

static uint64_t text_hash(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ull;	/* FNV-1a */

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return hash;
}

/* Equal for equal keys in every snapshot: no ids that compaction may change. */
static uint64_t row_id(const struct fold *fold, const struct fold_row *row)
{
	const struct symbol *symbol = &fold->names->symbols[row->symbol];
	const struct strpool *strings = fold->names->strings;
	const struct str_id comm = { row->key.comm };
	uint64_t id = row->is_idle;

	if (fold->keys & KEYS_CODE)
		id = id_set_mix(id, symbol->mode);
	if (fold->keys & KEY_SYMBOL)
		id = id_set_mix(id, text_hash(strpool_get(strings, symbol->name)));
	if (fold->keys & KEY_OBJECT)
		id = id_set_mix(id, text_hash(strpool_get(strings, symbol->object_path)));
	if ((fold->keys & KEY_OBJECT) && (fold->keys & KEY_SYMBOL))
		id = id_set_mix(id_set_mix(id, symbol->address), symbol->object);
	if (fold->keys & KEY_COMM)
		id = id_set_mix(id, text_hash(strpool_get(strings, comm)));
	return id_set_mix(id_set_mix(id, row->key.address),
			  id_set_mix((uint64_t)row->key.pid << 32 | row->key.tid,
				     row->key.cpu_and_idle));
}

static int64_t part_or_none(uint32_t part)
{
	return part == FOLD_MIXED || part == FOLD_NONE ? -1 : (int64_t)part;
}

static void fill_row(const struct fold *fold, const struct fold_row *from,
		     struct snapshot_row *row, struct row_text *text, struct text_block *block)
{
	const struct symbol *symbol = &fold->names->symbols[from->symbol];
	const struct object *object = &fold->names->objects->objects[symbol->object];
	const struct strpool *strings = fold->names->strings;
	char hex[BUILD_ID_HEX_BYTES];

	*row = (struct snapshot_row){
		.id = row_id(fold, from), .tasks = from->tasks, .is_idle = from->is_idle,
		.self_samples = from->self_samples, .total_samples = from->total_samples,
		.self_weight = from->self_weight, .total_weight = from->total_weight,
		.pid = part_or_none(from->pid), .tid = part_or_none(from->tid),
		.cpu = from->cpu == UINT16_MAX ? -1 : part_or_none(from->cpu),
		.mode = fold->keys & KEYS_CODE ? symbol->mode : MODE_UNKNOWN,
		.state = SYMBOL_NAMED,
	};
	if (fold->keys & (KEY_SYMBOL | KEY_ADDRESS)) {
		row->address = fold->keys & KEY_ADDRESS ? from->address : symbol->address;
		row->state = symbol->state;
	}
	if (fold->keys & KEY_SYMBOL)
		text->symbol = put_string(block, strings, symbol->name);
	if (fold->keys & KEY_OBJECT) {
		text->object = put_string(block, strings, symbol->object_name);
		text->object_path = put_string(block, strings, symbol->object_path);
		text->build_id = put_text(block, build_id_format(&object->build_id, hex));
	}
	if (row->state == SYMBOL_UNREADABLE)
		text->reason = put_string(block, strings, object->reason);
	if (from->comm != FOLD_MIXED && from->comm != FOLD_NONE)
		text->comm = put_string(block, strings, (struct str_id){ from->comm });
}

static int hottest_first(const void *a, const void *b)
{
	const struct snapshot_row *left = a, *right = b;

	if (left->self_weight != right->self_weight)
		return left->self_weight > right->self_weight ? -1 : 1;
	if (left->total_weight != right->total_weight)
		return left->total_weight > right->total_weight ? -1 : 1;
	return left->id < right->id ? -1 : left->id > right->id;
}

/* The last step: one block, offsets become pointers. */
static struct snapshot *join(const struct snapshot *head, struct snapshot_row *rows,
			     const struct row_text *texts, uint32_t count,
			     const struct text_block *block, const size_t head_text[5])
{
	struct snapshot *out = malloc(sizeof(*out) + count * sizeof(*rows) + block->used);
	struct snapshot_row *own_rows;
	char *text;

	if (!out)
		return NULL;
	own_rows = (struct snapshot_row *)(void *)(out + 1);
	text = (char *)(own_rows + count);
	memcpy(text, block->bytes, block->used);
	for (uint32_t i = 0; i < count; i++) {
		rows[i].symbol = text + texts[i].symbol;
		rows[i].object = text + texts[i].object;
		rows[i].object_path = text + texts[i].object_path;
		rows[i].build_id = text + texts[i].build_id;
		rows[i].comm = text + texts[i].comm;
		rows[i].reason = text + texts[i].reason;
	}
	if (count) {
		qsort(rows, count, sizeof(*rows), hottest_first);
		memcpy(own_rows, rows, count * sizeof(*rows));
	}
	*out = *head;
	out->host = text + head_text[0];
	out->event = text + head_text[1];
	out->target = text + head_text[2];
	out->notice = text + head_text[3];
	out->end_reason = text + head_text[4];
	out->next_event = NULL;
	out->rows = own_rows;
	out->row_count = count;
	return out;
}

struct snapshot *snapshot_build(const struct snapshot *head, const struct fold *fold)
{
	struct snapshot_row *rows = malloc((fold->row_count + 1) * sizeof(*rows));
	struct row_text *texts = calloc(fold->row_count + 1, sizeof(*texts));
	struct text_block block = { 0 };
	struct snapshot *out = NULL;
	size_t head_text[5];

	put_text(&block, "");
	head_text[0] = put_text(&block, head->host);
	head_text[1] = put_text(&block, head->event);
	head_text[2] = put_text(&block, head->target);
	head_text[3] = put_lines(&block, head->notice);
	head_text[4] = put_text(&block, head->end_reason);
	if (rows && texts && !block.is_out_of_memory) {
		for (uint32_t i = 0; i < fold->row_count; i++)
			fill_row(fold, &fold->rows[i], &rows[i], &texts[i], &block);
		if (!block.is_out_of_memory)
			out = join(head, rows, texts, fold->row_count, &block, head_text);
	}
	free(rows);
	free(texts);
	free(block.bytes);
	id_map_finish(&block.of_string);
	return out;
}
