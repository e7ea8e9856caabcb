/* slow_frames.c - see elf/slow_frames.h.
 *
 * Invariant: no frames after the first one outside the given DSOs are returned: libunwind would
 * have no rule there and guess, while the walker may have one.
 */
#include "elf/slow_frames.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#ifdef __aarch64__
#include <libunwind-aarch64.h>
#define REGISTER_SP UNW_AARCH64_SP
#define REGISTER_BP UNW_AARCH64_X29
#else
#include <libunwind-x86_64.h>
#define REGISTER_SP UNW_X86_64_RSP
#define REGISTER_BP UNW_X86_64_RBP
#endif
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/whole_io.h"
#include "elf_file.h"

/* Idea: libunwind reads words by run-time address; an address is in the copy of the stack, or in
 * a section of a DSO at address - bias. libunwind itself finds a function's entry by binary
 * search in .eh_frame_hdr.
 */

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
	const struct remote_dso *dsos;
	size_t dso_count;
	unw_addr_space_t space;
	const struct remote_stack *stack;	/* the stack being unwound */
};

static const struct remote_dso *find_dso(const struct remote_unwind *unwind, uint64_t ip)
{
	for (size_t i = 0; i < unwind->dso_count; i++)
		if (ip >= unwind->dsos[i].start && ip < unwind->dsos[i].end)
			return &unwind->dsos[i];
	return NULL;
}

static int find_proc_info(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *found,
			  int need_unwind_info, void *argument)
{
	const struct remote_dso *dso = find_dso(argument, ip);
	const struct elf_section *section;
	unw_dyn_info_t table = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };
	struct elf_bytes bytes;
	uint32_t row_count;

	section = dso ? elf_file_section(dso->file, ".eh_frame_hdr") : NULL;
	if (!section)
		return -UNW_ENOINFO;
	bytes = elf_file_read(dso->file, section);
	if (bytes.count < TABLE_ROWS_AT || memcmp(bytes.at, table_form, sizeof(table_form)) != 0)
		return -UNW_ENOINFO;
	memcpy(&row_count, bytes.at + TABLE_COUNT_AT, sizeof(row_count));
	if (row_count == 0 || row_count > (bytes.count - TABLE_ROWS_AT) / sizeof(unw_word_t))
		return -UNW_ENOINFO;
	table.start_ip = dso->start;
	table.end_ip = dso->end;
	table.u.rti.segbase = dso->bias + section->vaddr;
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

static bool read_dso(const struct remote_dso *dso, uint64_t address, unw_word_t *word)
{
	uint64_t vaddr = address - dso->bias;

	for (size_t i = 1; i < dso->file->section_count; i++) {
		const struct elf_section *section = &dso->file->sections[i];

		if ((section->flags & SHF_ALLOC) && section->type != SHT_NOBITS &&
		    vaddr - section->vaddr < section->bytes)
			return read_section(dso->file, section, vaddr - section->vaddr, word);
	}
	return false;
}

/* Returns the return address in @word without its signature, which libunwind 1.6 does not know; any
 * other word as it is. */
static unw_word_t clear_signature(const struct remote_unwind *unwind, unw_word_t word)
{
#ifdef __aarch64__
	const unw_word_t address = word & (((unw_word_t)1 << 48) - 1);

	if (!(word >> 55 & 1) && find_dso(unwind, address))
		return address;
#else
	(void)unwind;
#endif
	return word;
}

/* The register that has the address of @frame after a step. libunwind keeps aarch64's pc up to date
 * for an interrupted frame only; of others it is the return address that was in x30. */
static int ip_register(const struct remote_frame *frame)
{
#ifdef __aarch64__
	return frame->is_exact ? UNW_AARCH64_PC : UNW_AARCH64_X30;
#else
	(void)frame;
	return UNW_X86_64_RIP;
#endif
}

static int access_memory(unw_addr_space_t space, unw_word_t address, unw_word_t *word, int is_write,
			 void *argument)
{
	const struct remote_unwind *unwind = argument;
	const struct remote_stack *stack = unwind->stack;

	(void)space;
	if (is_write)
		return -UNW_EINVAL;
	if (read_bytes(stack->bytes, stack->count, address - stack->start, word)) {
		*word = clear_signature(unwind, *word);
		return 0;
	}
	for (size_t i = 0; i < unwind->dso_count; i++)
		if (read_dso(&unwind->dsos[i], address, word))
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
	*word = clear_signature(unwind, unwind->stack->registers[number]);
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

struct remote_unwind *remote_unwind_create(const struct remote_dso *dsos, size_t count)
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
	unwind->dsos = dsos;
	unwind->dso_count = count;
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

/* lr of a frame that was interrupted; 0: the machine has none, or the call may have changed it. */
static uint64_t read_lr(unw_cursor_t *cursor, const struct remote_frame *frame)
{
	unw_word_t lr = 0;

#ifdef __aarch64__
	if (frame->is_exact && unw_get_reg(cursor, UNW_AARCH64_X30, &lr))
		lr = 0;
#else
	(void)cursor;
	(void)frame;
#endif
	return lr;
}

static bool step(unw_cursor_t *cursor, struct remote_frame *frame)
{
	frame->is_exact = unw_is_signal_frame(cursor) > 0;
	if (unw_step(cursor) <= 0)
		return false;
	if (unw_get_reg(cursor, REGISTER_BP, &frame->bp))
		frame->bp = 0;	/* a rule can leave it undefined */
	frame->lr = read_lr(cursor, frame);
	return unw_get_reg(cursor, ip_register(frame), &frame->ip) == 0 && frame->ip != 0 &&
	       unw_get_reg(cursor, REGISTER_SP, &frame->sp) == 0;
}

size_t remote_unwind_frames(struct remote_unwind *unwind, const struct remote_stack *stack,
			    struct remote_frame *frames, size_t room)
{
	unw_cursor_t cursor;
	size_t count = 1;

	assert(room > 0);
	frames[0] = (struct remote_frame){ .ip = stack->registers[REMOTE_REGISTER_IP],
					   .sp = stack->registers[REMOTE_REGISTER_SP],
					   .bp = stack->registers[REMOTE_REGISTER_BP],
					   .is_exact = 1 };
#ifdef REMOTE_REGISTER_LR
	frames[0].lr = stack->registers[REMOTE_REGISTER_LR];
#endif
	unwind->stack = stack;
	if (unw_init_remote(&cursor, unwind->space, unwind))
		return count;
	while (count < room && step(&cursor, &frames[count]))
		count++;
	return count;
}

struct stack_head {	/* then @bytes of the copy */
	uint64_t registers[REMOTE_REGISTERS];
	uint64_t start, bytes;
};

#define REPLY_BYTES_MAX                                                                          \
	(SLOW_STACKS_MAX * (sizeof(uint64_t) + SLOW_FRAMES_MAX * sizeof(struct remote_frame)))

static bool write_stack(int fd, const struct remote_stack *stack)
{
	struct stack_head head = { .start = stack->start, .bytes = stack->count };
	const struct iovec parts[] = {
		{ &head, sizeof(head) },
		{ (void *)stack->bytes, stack->count },
	};

	memcpy(head.registers, stack->registers, sizeof(head.registers));
	return writev(fd, parts, 2) == (ssize_t)(sizeof(head) + stack->count);
}

static bool write_request(int fd, const struct slow_request *request,
			  const struct remote_stack *stacks)
{
	if (whole_write(fd, request, sizeof(*request)) != sizeof(*request))
		return false;
	for (size_t i = 0; i < request->stack_count; i++)
		if (!write_stack(fd, &stacks[i]))
			return false;
	return !fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

int slow_frames_request(const struct slow_request *request, const struct remote_stack *stacks,
			struct diag *why)
{
	int fd = memfd_create("flametop-stacks", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert(request->stack_count <= SLOW_STACKS_MAX);
	if (fd >= 0 && write_request(fd, request, stacks))
		return fd;
	if (fd >= 0)
		close(fd);
	return diag_set(why, -ENOMEM, "no memory to ask for callers");
}

struct slow_work {
	struct slow_request request;
	int fd;		/* the request; its file offset is at the next stack */
	unsigned char stack[SLOW_STACK_BYTES_MAX];
	struct elf_file files[SLOW_MAPPINGS_MAX];
	size_t file_count;
	struct remote_dso dsos[SLOW_MAPPINGS_MAX];
};

static bool read_all(int fd, void *bytes, size_t count)
{
	return whole_read(fd, bytes, count) == (ssize_t)count;
}

static int is_impossible(struct diag *why)
{
	return diag_set(why, -EBADMSG, "a request for callers that can't be");
}

static int read_request(struct slow_work *work, int fd, size_t input_count, struct diag *why)
{
	struct slow_request *request = &work->request;

	work->fd = fd;
	if (lseek(fd, 0, SEEK_SET) || !read_all(fd, request, sizeof(*request)) ||
	    request->mapping_count + 1 != input_count || request->stack_count > SLOW_STACKS_MAX)
		return is_impossible(why);
	return 0;
}

static int read_stack(struct slow_work *work, struct remote_stack *stack, struct diag *why)
{
	struct stack_head head;

	if (!read_all(work->fd, &head, sizeof(head)) || head.bytes > sizeof(work->stack) ||
	    !read_all(work->fd, work->stack, head.bytes))
		return is_impossible(why);
	*stack = (struct remote_stack){ .start = head.start, .bytes = work->stack,
					.count = head.bytes };
	memcpy(stack->registers, head.registers, sizeof(stack->registers));
	return 0;
}

/* Finds the segment that @mapping maps. The segment may begin after the mapping's first byte,
 * because whole pages are mapped. */
static int find_bias(const struct elf_file *file, const struct slow_mapping *mapping,
		     uint64_t *bias, struct diag *why)
{
	const uint64_t end = mapping->file_offset + (mapping->end - mapping->start);

	for (size_t i = 0; i < file->segment_count; i++) {
		const struct elf_segment *segment = &file->segments[i];

		if (!segment->is_code || segment->offset >= end ||
		    segment->offset + segment->bytes <= mapping->file_offset)
			continue;
		*bias = mapping->start - mapping->file_offset + segment->offset - segment->vaddr;
		return 0;
	}
	return diag_set(why, -EBADMSG, "no code where it is mapped");
}

static int open_dso(struct slow_work *work, size_t number, int fd, struct diag *why)
{
	const struct slow_mapping *mapping = &work->request.mappings[number];
	struct elf_file *file = &work->files[number];
	struct build_id found;
	int err = elf_file_open(file, fd, why);

	if (err)
		return err;
	work->file_count++;
	found = elf_file_build_id(file);
	if (mapping->build_id.count && !build_id_is_equal(&found, &mapping->build_id))
		return diag_set(why, -ESTALE, "replaced: its path now holds another file");
	err = elf_file_read_segments(file, why);
	work->dsos[number] = (struct remote_dso){ file, mapping->start, mapping->end, 0 };
	return err ? err : find_bias(file, mapping, &work->dsos[number].bias, why);
}

static bool is_inside(const struct slow_work *work, const struct remote_frame *frame)
{
	const uint64_t ip = frame->ip - !frame->is_exact;

	for (size_t i = 0; i < work->file_count; i++)
		if (ip >= work->dsos[i].start && ip < work->dsos[i].end)
			return true;
	return false;
}

static size_t count_inside(const struct slow_work *work, const struct remote_frame *frames,
			   size_t count)
{
	size_t inside = 1;

	while (inside < count && is_inside(work, &frames[inside - 1]))
		inside++;
	return inside;
}

static int unwind_stacks(struct slow_work *work, struct remote_unwind *unwind, char *out,
			 size_t *bytes_count, struct diag *why)
{
	struct remote_stack stack;

	*bytes_count = 0;
	for (size_t i = 0; i < work->request.stack_count; i++) {
		uint64_t *count = (uint64_t *)(void *)(out + *bytes_count);
		struct remote_frame *frames = (struct remote_frame *)(count + 1);
		int err = read_stack(work, &stack, why);

		if (err)
			return err;
		*count = remote_unwind_frames(unwind, &stack, frames, SLOW_FRAMES_MAX);
		*count = count_inside(work, frames, *count);
		*bytes_count += sizeof(*count) + *count * sizeof(*frames);
	}
	return 0;
}

static int reply_request(struct slow_work *work, void **bytes, size_t *bytes_count,
			 struct diag *why)
{
	struct remote_unwind *unwind = remote_unwind_create(work->dsos, work->file_count);
	int err = -ENOMEM;

	*bytes = malloc(REPLY_BYTES_MAX);
	if (unwind && *bytes)
		err = unwind_stacks(work, unwind, *bytes, bytes_count, why);
	else
		diag_set(why, err, "no memory for callers");
	remote_unwind_destroy(unwind);
	if (err)
		free(*bytes);
	return err;
}

int slow_frames_unwind(const int *inputs, size_t input_count, void **bytes, size_t *bytes_count,
		       struct diag *why)
{
	struct slow_work *work = calloc(1, sizeof(*work));
	int err;

	if (!work)
		return diag_set(why, -ENOMEM, "no memory for callers");
	err = read_request(work, inputs[0], input_count, why);
	for (size_t i = 0; !err && i < work->request.mapping_count; i++)
		err = open_dso(work, i, inputs[i + 1], why);
	if (!err)
		err = reply_request(work, bytes, bytes_count, why);
	for (size_t i = 0; i < work->file_count; i++)
		elf_file_close(&work->files[i]);
	free(work);
	return err;
}

static int is_of_another(struct diag *why)
{
	return diag_set(why, -EBADMSG, "callers that are none of this stack");
}

static int check_frames(const struct remote_stack *stack, const struct slow_reply *reply,
			struct diag *why)
{
	const struct remote_frame *frames = reply->frames;

	if (frames[0].ip != stack->registers[REMOTE_REGISTER_IP] ||
	    frames[0].sp != stack->registers[REMOTE_REGISTER_SP])
		return is_of_another(why);
	for (size_t i = 0; i < reply->count; i++)
		if (frames[i].is_exact > 1 || (i && frames[i].sp < frames[i - 1].sp))
			return diag_set(why, -EBADMSG, "callers whose stack falls");
	return 0;
}

int slow_frames_check(const struct slow_request *request, const struct remote_stack *stacks,
		      const void *bytes, size_t bytes_count, struct slow_reply *replies,
		      struct diag *why)
{
	const char *at = bytes;
	int err = 0;

	for (size_t i = 0; i < request->stack_count && !err; i++) {
		uint64_t count = 0;

		if (bytes_count >= sizeof(count))
			memcpy(&count, at, sizeof(count));
		if (count == 0 || count > SLOW_FRAMES_MAX ||
		    count * sizeof(struct remote_frame) > bytes_count - sizeof(count))
			return is_of_another(why);
		replies[i].frames = (const void *)(at + sizeof(count));
		replies[i].count = count;
		err = check_frames(&stacks[i], &replies[i], why);
		at += sizeof(count) + count * sizeof(struct remote_frame);
		bytes_count -= sizeof(count) + count * sizeof(struct remote_frame);
	}
	return err || !bytes_count ? err : is_of_another(why);
}
