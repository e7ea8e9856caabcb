/* remote_unwind.c - see elf/remote_unwind.h.
 *
 * Idea: libunwind requests words by run-time address; an address is in the copy of the stack, or in
 * a section of an object at address - bias. libunwind itself finds a function's entry by binary
 * search in .eh_frame_hdr.
 */
#include "elf/remote_unwind.h"

#include <assert.h>
#include <libunwind-x86_64.h>
#include <stdlib.h>
#include <string.h>

/* Exported by libunwind for callers that have a table, but not declared in its headers. */
#define search_table UNW_OBJ(dwarf_search_unwind_table)
int search_table(unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t *table,
		 unw_proc_info_t *found, int need_unwind_info, void *argument);

/* Start of .eh_frame_hdr as every linker writes it: version, then three encodings (pointer: 4
 * bytes, relative; count: 4 bytes; rows: 2 x 4 bytes, relative to the section). */
static const unsigned char table_form[] = { 1, 0x1b, 0x03, 0x3b };
#define TABLE_COUNT_AT 8
#define TABLE_ROWS_AT  12

struct remote_unwind {
	const struct remote_object *objects;
	size_t object_count;
	unw_addr_space_t space;
	const struct remote_stack *stack;	/* the stack being unwound */
};

static const struct remote_object *find_object(const struct remote_unwind *unwind, uint64_t ip)
{
	for (size_t i = 0; i < unwind->object_count; i++)
		if (ip >= unwind->objects[i].start && ip < unwind->objects[i].end)
			return &unwind->objects[i];
	return NULL;
}

static int find_proc_info(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *found,
			  int need_unwind_info, void *argument)
{
	const struct remote_object *object = find_object(argument, ip);
	const struct elf_section *section;
	unw_dyn_info_t table = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };
	struct elf_bytes bytes;
	uint32_t row_count;

	section = object ? elf_file_section(object->file, ".eh_frame_hdr") : NULL;
	if (!section)
		return -UNW_ENOINFO;
	bytes = elf_file_read(object->file, section);
	if (bytes.count < TABLE_ROWS_AT || memcmp(bytes.at, table_form, sizeof(table_form)) != 0)
		return -UNW_ENOINFO;
	memcpy(&row_count, bytes.at + TABLE_COUNT_AT, sizeof(row_count));
	if (row_count == 0 || row_count > (bytes.count - TABLE_ROWS_AT) / sizeof(unw_word_t))
		return -UNW_ENOINFO;
	table.start_ip = object->start;
	table.end_ip = object->end;
	table.u.rti.segbase = object->bias + section->vaddr;
	table.u.rti.table_data = table.u.rti.segbase + TABLE_ROWS_AT;
	table.u.rti.table_len = row_count;
	return search_table(space, ip, &table, found, need_unwind_info, argument);
}

static void put_unwind_info(unw_addr_space_t space, unw_proc_info_t *found, void *argument)
{
	(void)space;
	(void)found;
	(void)argument;
}

static int get_dynamic_list(unw_addr_space_t space, unw_word_t *list, void *argument)
{
	(void)space;
	(void)list;
	(void)argument;
	return -UNW_ENOINFO;
}

static bool read_bytes(const unsigned char *bytes, uint64_t count, uint64_t offset,
		       unw_word_t *word)
{
	if (!bytes || count < sizeof(*word) || offset > count - sizeof(*word))
		return false;
	memcpy(word, bytes + offset, sizeof(*word));
	return true;
}

/* Reads a word. Pads a word that crosses the end of its section with zeros: libunwind reads whole
 * words, also at a section's last bytes. */
static bool read_section(struct elf_file *file, const struct elf_section *section, uint64_t offset,
			 unw_word_t *word)
{
	struct elf_bytes bytes = elf_file_read(file, section);

	*word = 0;
	if (!bytes.at || offset >= bytes.count)
		return false;
	memcpy(word, bytes.at + offset,
	       bytes.count - offset < sizeof(*word) ? bytes.count - offset : sizeof(*word));
	return true;
}

static bool read_object(const struct remote_object *object, uint64_t address, unw_word_t *word)
{
	uint64_t vaddr = address - object->bias;

	for (size_t i = 1; i < object->file->section_count; i++) {
		const struct elf_section *section = &object->file->sections[i];

		if ((section->flags & SHF_ALLOC) && section->type != SHT_NOBITS &&
		    vaddr - section->vaddr < section->bytes)
			return read_section(object->file, section, vaddr - section->vaddr, word);
	}
	return false;
}

static int access_memory(unw_addr_space_t space, unw_word_t address, unw_word_t *word, int is_write,
			 void *argument)
{
	const struct remote_unwind *unwind = argument;
	const struct remote_stack *stack = unwind->stack;

	(void)space;
	if (is_write)
		return -UNW_EINVAL;
	if (read_bytes(stack->bytes, stack->count, address - stack->start, word))
		return 0;
	for (size_t i = 0; i < unwind->object_count; i++)
		if (read_object(&unwind->objects[i], address, word))
			return 0;
	return -UNW_EINVAL;
}

/* Register callback; libunwind's numbers of these registers are DWARF's. */
static int access_register(unw_addr_space_t space, unw_regnum_t number, unw_word_t *word,
			   int is_write, void *argument)
{
	const struct remote_unwind *unwind = argument;

	(void)space;
	if (is_write || number < 0 || number >= REMOTE_REGISTERS)
		return -UNW_EBADREG;
	*word = unwind->stack->registers[number];
	return 0;
}

static int access_float(unw_addr_space_t space, unw_regnum_t number, unw_fpreg_t *value,
			int is_write, void *argument)
{
	(void)space;
	(void)number;
	(void)value;
	(void)is_write;
	(void)argument;
	return -UNW_EBADREG;
}

static int refuse_resume(unw_addr_space_t space, unw_cursor_t *cursor, void *argument)
{
	(void)space;
	(void)cursor;
	(void)argument;
	return -UNW_EINVAL;
}

static int refuse_name(unw_addr_space_t space, unw_word_t address, char *name, size_t bytes,
		       unw_word_t *offset, void *argument)
{
	(void)space;
	(void)address;
	(void)name;
	(void)bytes;
	(void)offset;
	(void)argument;
	return -UNW_ENOINFO;
}

struct remote_unwind *remote_unwind_create(const struct remote_object *objects, size_t count)
{
	static unw_accessors_t accessors = {
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = get_dynamic_list,
		.access_mem = access_memory,
		.access_reg = access_register,
		.access_fpreg = access_float,
		.resume = refuse_resume,
		.get_proc_name = refuse_name,
	};
	struct remote_unwind *unwind = calloc(1, sizeof(*unwind));

	if (!unwind)
		return NULL;
	unwind->objects = objects;
	unwind->object_count = count;
	unwind->space = unw_create_addr_space(&accessors, 0);
	if (!unwind->space) {
		free(unwind);
		return NULL;
	}
	unw_set_caching_policy(unwind->space, UNW_CACHE_GLOBAL);
	return unwind;
}

void remote_unwind_destroy(struct remote_unwind *unwind)
{
	if (!unwind)
		return;
	unw_destroy_addr_space(unwind->space);
	free(unwind);
}

static bool step(unw_cursor_t *cursor, struct remote_frame *frame)
{
	frame->is_exact = unw_is_signal_frame(cursor) > 0;
	if (unw_step(cursor) <= 0)
		return false;
	if (unw_get_reg(cursor, UNW_X86_64_RBP, &frame->bp))
		frame->bp = 0;	/* a rule can leave it undefined */
	return unw_get_reg(cursor, UNW_X86_64_RIP, &frame->ip) == 0 && frame->ip != 0 &&
	       unw_get_reg(cursor, UNW_X86_64_RSP, &frame->sp) == 0;
}

size_t remote_unwind_frames(struct remote_unwind *unwind, const struct remote_stack *stack,
			    struct remote_frame *frames, size_t room)
{
	unw_cursor_t cursor;
	size_t count = 1;

	assert(room > 0);
	frames[0] = (struct remote_frame){ stack->registers[REMOTE_REGISTER_IP],
					   stack->registers[REMOTE_REGISTER_SP],
					   stack->registers[REMOTE_REGISTER_BP], 1 };
	unwind->stack = stack;
	if (unw_init_remote(&cursor, unwind->space, unwind))
		return count;
	while (count < room && step(&cursor, &frames[count]))
		count++;
	return count;
}
