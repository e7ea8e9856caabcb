/* syscall_texts.c - see bpf/syscall_texts.h.
 *
 * The record is made in a map of one entry per CPU: it is longer than the stack of a program. In
 * front of it stands the offset at which the next text begins. Kept there and loaded each time, it
 * is any number for the verifier, which therefore needs not follow the lengths of all texts before:
 * one comparison in front of each text bounds it.
 *
 * A program may not be interrupted by itself on its CPU: the kernel skips the second run, and
 * counts it. So the record is nobody else's until it is written.
 */
#include "bpf/syscall_texts.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel_program.h"

#define STRING_OF_MANY	256u	/* bytes of one string of an argv */
#define ADDRESS_BYTES	128u	/* sizeof(struct sockaddr_storage) */
#define TEXTS_BYTES	(SYSCALL_TEXTS_MAX * SYSCALL_STRING_BYTES)
#define PIECE_BYTES	SYSCALL_STRING_BYTES	/* the longest that is written at once */

/* The map's entry: offsets of the record are those of bpf/syscall_texts.h. */
#define NEXT	0u	/* u32: offset in the record where the next text begins */
#define RECORD	8u
#define SCRATCH_BYTES (RECORD + TEXTS_BYTES + 2 * PIECE_BYTES)

#define CONTEXT	BPF_REG_6
#define SCRATCH	BPF_REG_7
#define AT	BPF_REG_8	/* where a text is being written */
#define REGS	BPF_REG_9	/* struct pt_regs of the system call */

/* The stack. */
#define KEY	(-8)
#define POINTER	(-16)	/* the argument */
#define FOUND	(-24)	/* a string of the argv */
#define BEGIN	(-32)	/* offset of the text in the record */

/* What tells a call of a 32-bit program: a word of struct thread_info with these bits. */
#if defined(__x86_64__)
static const int32_t registers[] = { 112, 104, 96, 56, 72, 64 };	/* di si dx r10 r8 r9 */
#define NUMBER_AT	   120						/* orig_ax */
#define NUMBER_BYTES	   8
#define ADDRESS_AT	   128						/* ip */
#define COMPAT_WORD	   "status"
#define COMPAT_BITS	   2						/* TS_COMPAT */
#elif defined(__aarch64__)
static const int32_t registers[] = { 272, 8, 16, 24, 32, 40 };	/* orig_x0, x1 ... x5 */
#define NUMBER_AT	   280						/* syscallno */
#define NUMBER_BYTES	   4
#define ADDRESS_AT	   256						/* pc */
#define COMPAT_WORD	   "flags"
#define COMPAT_BITS	   (1 << 22)					/* TIF_32BIT */
#else
static const int32_t registers[SYSCALL_ARGUMENTS];
#define NUMBER_AT	   (-1)
#define NUMBER_BYTES	   8
#define ADDRESS_AT	   0
#define COMPAT_WORD	   ""
#define COMPAT_BITS	   0
#endif

struct syscall_texts {
	int scratch, counts, events;	/* maps */
	struct kernel_program program;
};

#define COUNTED(member) ((int32_t)offsetof(struct syscall_texts_counts, member))

static int32_t in_scratch(uint32_t at)
{
	return (int32_t)(RECORD + at);
}

static void count_one(struct bytecode *code, const struct syscall_texts *texts, int32_t member)
{
	const struct bytecode_label end = bytecode_label(code);

	bytecode_entry(code, texts->counts, 0, KEY, end);
	bytecode_move_imm(code, BPF_REG_1, 1);
	bytecode_add_to(code, BPF_REG_0, member, BPF_REG_1);
	bytecode_bind(code, end);
}

/* AT becomes the address of the next text; jumps to @full if there is no room for a piece. */
static void find_next(struct bytecode *code, struct bytecode_label full)
{
	bytecode_load(code, 4, AT, SCRATCH, NEXT);
	bytecode_jump_if_imm(code, BPF_JGT, AT, TEXTS_BYTES, full);
	bytecode_alu(code, BPF_ADD, AT, SCRATCH);
	bytecode_alu_imm(code, BPF_ADD, AT, RECORD);
}

/* Adds r0, at most PIECE_BYTES, to the place of the next text. */
static void advance(struct bytecode *code)
{
	bytecode_load(code, 4, BPF_REG_1, SCRATCH, NEXT);
	bytecode_alu(code, BPF_ADD, BPF_REG_1, BPF_REG_0);
	bytecode_store(code, 4, SCRATCH, NEXT, BPF_REG_1);
}

/* Writes @text with its final 0 as the next one. */
static void append_constant(struct bytecode *code, const char *text, struct bytecode_label full)
{
	const size_t bytes = strlen(text) + 1;

	find_next(code, full);
	for (size_t i = 0; i < bytes; i++)
		bytecode_store_imm(code, 1, AT, (int32_t)i, text[i]);
	bytecode_move_imm(code, BPF_REG_0, (int32_t)bytes);
	advance(code);
}

/* Copies the string that r3 points to as the next one; jumps to @absent if it can't be read. */
static void append_string(struct bytecode *code, uint32_t bytes, struct bytecode_label absent,
			  struct bytecode_label full)
{
	const struct bytecode_label has_bytes = bytecode_label(code);

	find_next(code, full);
	bytecode_move(code, BPF_REG_1, AT);
	bytecode_move_imm(code, BPF_REG_2, (int32_t)bytes);
	bytecode_call(code, BPF_FUNC_probe_read_user_str);
	bytecode_jump_if_imm(code, BPF_JSLT, BPF_REG_0, 0, absent);
	/* Before Linux 6.15 the length of an empty text is 0, not that of its final 0. */
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_0, 0, has_bytes);
	bytecode_store_imm(code, 1, AT, 0, 0);
	bytecode_move_imm(code, BPF_REG_0, 1);
	bytecode_bind(code, has_bytes);
	advance(code);
}

/* The final 0 of the last string becomes a blank: another one follows. */
static void join(struct bytecode *code, struct bytecode_label full)
{
	find_next(code, full);
	bytecode_store_imm(code, 1, AT, -1, ' ');
}

/* Reads string @index of the argv into FOUND. */
static void read_string_pointer(struct bytecode *code, uint32_t index,
				struct bytecode_label absent)
{
	bytecode_stack_address(code, BPF_REG_1, FOUND);
	bytecode_move_imm(code, BPF_REG_2, 8);
	bytecode_load(code, 8, BPF_REG_3, BPF_REG_10, POINTER);
	bytecode_alu_imm(code, BPF_ADD, BPF_REG_3, (int32_t)(8 * index));
	bytecode_call(code, BPF_FUNC_probe_read_user);
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_0, 0, absent);
}

static void append_one_of_many(struct bytecode *code, const struct syscall_texts *texts,
			       struct bytecode_label full)
{
	const struct bytecode_label absent = bytecode_label(code), end = bytecode_label(code);

	bytecode_load(code, 8, BPF_REG_3, BPF_REG_10, FOUND);
	append_string(code, STRING_OF_MANY, absent, full);
	bytecode_jump(code, end);
	bytecode_bind(code, absent);
	append_constant(code, SYSCALL_TEXT_ABSENT, full);
	count_one(code, texts, COUNTED(absent));
	bytecode_bind(code, end);
}

static void append_strings(struct bytecode *code, const struct syscall_texts *texts,
			   struct bytecode_label absent, struct bytecode_label end)
{
	const struct bytecode_label cut = bytecode_label(code);

	for (uint32_t i = 0; i <= SYSCALL_STRINGS_MAX; i++) {
		const struct bytecode_label is_there = bytecode_label(code);

		read_string_pointer(code, i, i ? cut : absent);
		bytecode_load(code, 8, BPF_REG_1, BPF_REG_10, FOUND);
		bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_1, 0, is_there);
		if (!i)		/* no string at all is an empty text */
			append_constant(code, "", end);
		bytecode_jump(code, end);
		bytecode_bind(code, is_there);
		if (i)
			join(code, end);
		if (i < SYSCALL_STRINGS_MAX)
			append_one_of_many(code, texts, end);
	}
	append_constant(code, "...", end);
	bytecode_jump(code, end);
	bytecode_bind(code, cut);	/* the rest of the pointers is not in memory */
	join(code, end);
	append_constant(code, SYSCALL_TEXT_ABSENT, end);
	count_one(code, texts, COUNTED(absent));
	bytecode_jump(code, end);
}

static void load_argument(struct bytecode *code, uint8_t to, uint32_t argument)
{
	bytecode_load(code, 8, to, REGS, registers[argument]);
}

static void append_address(struct bytecode *code, uint32_t argument, struct bytecode_label absent,
			   struct bytecode_label end)
{
	const struct bytecode_label fits = bytecode_label(code);

	find_next(code, end);
	load_argument(code, BPF_REG_2, argument + 1);
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_2, 0, absent);
	bytecode_jump_if_imm(code, BPF_JLE, BPF_REG_2, ADDRESS_BYTES, fits);
	bytecode_move_imm(code, BPF_REG_2, ADDRESS_BYTES);
	bytecode_bind(code, fits);
	bytecode_store(code, 8, BPF_REG_10, FOUND, BPF_REG_2);
	bytecode_move(code, BPF_REG_1, AT);
	bytecode_load(code, 8, BPF_REG_3, BPF_REG_10, POINTER);
	bytecode_call(code, BPF_FUNC_probe_read_user);
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_0, 0, absent);
	bytecode_load(code, 8, BPF_REG_0, BPF_REG_10, FOUND);
	advance(code);
}

/* Writes where the text is: from BEGIN to the place of the next one. */
static void write_place(struct bytecode *code, int32_t at)
{
	bytecode_load(code, 4, BPF_REG_1, SCRATCH, NEXT);
	bytecode_load(code, 8, BPF_REG_2, BPF_REG_10, BEGIN);
	bytecode_alu(code, BPF_SUB, BPF_REG_1, BPF_REG_2);
	bytecode_alu_imm(code, BPF_LSH, BPF_REG_1, 16);
	bytecode_alu(code, BPF_OR, BPF_REG_1, BPF_REG_2);
	bytecode_store(code, 4, SCRATCH, at, BPF_REG_1);
}

static void copy_text(struct bytecode *code, const struct syscall_texts *texts,
		      const struct syscall_text *text, int32_t at)
{
	const struct bytecode_label absent = bytecode_label(code), end = bytecode_label(code);
	const struct bytecode_label is_there = bytecode_label(code);

	bytecode_load(code, 4, BPF_REG_1, SCRATCH, NEXT);
	bytecode_store(code, 8, BPF_REG_10, BEGIN, BPF_REG_1);
	load_argument(code, BPF_REG_3, text->argument);
	bytecode_store(code, 8, BPF_REG_10, POINTER, BPF_REG_3);
	if (text->kind != SYSCALL_ADDRESS) {
		bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_3, 0, is_there);
		append_constant(code, SYSCALL_TEXT_NULL, end);
		bytecode_jump(code, end);
		bytecode_bind(code, is_there);
	}
	switch (text->kind) {
	case SYSCALL_STRING:
		bytecode_load(code, 8, BPF_REG_3, BPF_REG_10, POINTER);
		append_string(code, SYSCALL_STRING_BYTES, absent, end);
		bytecode_jump(code, end);
		break;
	case SYSCALL_STRINGS:
		append_strings(code, texts, absent, end);
		break;
	case SYSCALL_ADDRESS:
		append_address(code, text->argument, absent, end);
		bytecode_jump(code, end);
		break;
	}
	bytecode_bind(code, absent);
	count_one(code, texts, COUNTED(absent));
	bytecode_bind(code, end);
	write_place(code, at);
}

/* Leaves at other system calls, and at those of 32-bit programs, whose numbers differ. */
static void select_call(struct bytecode *code, const struct syscall_texts_config *config,
			int compat_at, struct bytecode_label end)
{
	bytecode_load(code, 8, REGS, CONTEXT, 0);
	if (config->is_exit)
		bytecode_load(code, NUMBER_BYTES, BPF_REG_1, REGS, NUMBER_AT);
	else
		bytecode_load(code, 8, BPF_REG_1, CONTEXT, 8);
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_1, (int32_t)config->call, end);
	bytecode_call(code, BPF_FUNC_get_current_task_btf);
	bytecode_load(code, 4, BPF_REG_1, BPF_REG_0, compat_at);
	bytecode_jump_if_imm(code, BPF_JSET, BPF_REG_1, COMPAT_BITS, end);
}

/* The fields of the tracepoint, in its order. */
static void fill_fields(struct bytecode *code, const struct syscall_texts_config *config)
{
	bytecode_store_imm(code, 4, SCRATCH, in_scratch(0), config->record_type);
	bytecode_call(code, BPF_FUNC_get_current_pid_tgid);
	bytecode_store(code, 4, SCRATCH, in_scratch(4), BPF_REG_0);
	bytecode_store_imm(code, 8, SCRATCH, in_scratch(8), (int32_t)config->call);
	if (config->is_exit) {
		bytecode_load(code, 8, BPF_REG_1, CONTEXT, 8);
		bytecode_store(code, 8, SCRATCH, in_scratch(SYSCALL_ARGUMENT_AT(0)), BPF_REG_1);
	}
	for (uint32_t i = 0; i < SYSCALL_ARGUMENTS && !config->is_exit; i++) {
		load_argument(code, BPF_REG_1, i);
		bytecode_store(code, 8, SCRATCH, in_scratch(SYSCALL_ARGUMENT_AT(i)), BPF_REG_1);
	}
	bytecode_load(code, 8, BPF_REG_1, REGS, ADDRESS_AT);
	bytecode_store(code, 8, SCRATCH, in_scratch(SYSCALL_ADDRESS_AT), BPF_REG_1);
	for (uint32_t i = 0; i < config->text_count; i++)
		bytecode_store_imm(code, 4, SCRATCH, in_scratch(SYSCALL_TEXT_AT(i)), 0);
	bytecode_store_imm(code, 4, SCRATCH, NEXT, (int32_t)SYSCALL_TEXT_AT(config->text_count));
}

static void output(struct bytecode *code, const struct syscall_texts *texts,
		   struct bytecode_label end)
{
	const struct bytecode_label failed = bytecode_label(code);

	bytecode_move(code, BPF_REG_1, CONTEXT);
	bytecode_move_map(code, BPF_REG_2, texts->events);
	bytecode_move_imm64(code, BPF_REG_3, BPF_F_CURRENT_CPU);
	bytecode_move(code, BPF_REG_4, SCRATCH);
	bytecode_alu_imm(code, BPF_ADD, BPF_REG_4, RECORD);
	bytecode_load(code, 4, BPF_REG_5, SCRATCH, NEXT);
	bytecode_jump_if_imm(code, BPF_JGT, BPF_REG_5, TEXTS_BYTES + PIECE_BYTES, end);
	bytecode_call(code, BPF_FUNC_perf_event_output);
	bytecode_jump_if_imm(code, BPF_JNE, BPF_REG_0, 0, failed);
	count_one(code, texts, COUNTED(records));
	bytecode_jump(code, end);
	bytecode_bind(code, failed);
	/* Off: the event of this CPU is off, or there is none. */
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_0, -EOPNOTSUPP, end);
	bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_0, -ENOENT, end);
	count_one(code, texts, COUNTED(refused));
}

static struct bytecode *make_program(const struct syscall_texts *texts,
				     const struct syscall_texts_config *config, int compat_at)
{
	struct bytecode *code = bytecode_create();
	struct bytecode_label end, has_texts;

	if (!code)
		return NULL;
	end = bytecode_label(code);
	has_texts = bytecode_label(code);
	bytecode_move(code, CONTEXT, BPF_REG_1);
	select_call(code, config, compat_at, end);
	bytecode_entry(code, texts->scratch, 0, KEY, end);
	bytecode_move(code, SCRATCH, BPF_REG_0);
	fill_fields(code, config);
	if (config->is_exit && config->starts_program) {
		bytecode_load(code, 8, BPF_REG_1, CONTEXT, 8);
		bytecode_jump_if_imm(code, BPF_JEQ, BPF_REG_1, 0, has_texts);
	}
	for (uint32_t i = 0; i < config->text_count; i++)
		copy_text(code, texts, &config->texts[i], in_scratch(SYSCALL_TEXT_AT(i)));
	bytecode_bind(code, has_texts);
	output(code, texts, end);
	bytecode_bind(code, end);
	bytecode_exit(code, 0);
	return code;
}

static int create_maps(struct syscall_texts *texts, const struct syscall_texts_config *config,
		       struct diag *why)
{
	const int cpus = libbpf_num_possible_cpus();

	if (cpus < 0)
		return diag_set(why, cpus, "the number of CPUs is unknown: %s", strerror(-cpus));
	texts->scratch = kernel_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "texts_record", 4,
					   SCRATCH_BYTES, 1, 0, why);
	if (texts->scratch < 0)
		return texts->scratch;
	texts->counts = kernel_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "texts_counts", 4,
					  sizeof(struct syscall_texts_counts), 1, 0, why);
	if (texts->counts < 0)
		return texts->counts;
	texts->events = kernel_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "texts_events", 4, 4,
					  (uint32_t)cpus, 0, why);
	if (texts->events < 0)
		return texts->events;
	for (size_t i = 0; i < config->event_count; i++)
		if (bpf_map_update_elem(texts->events, &config->cpus[i], &config->events[i],
					BPF_ANY))
			return diag_set(why, -errno, "a BPF program can't write to the event of a "
					"CPU: %s", strerror(errno));
	return 0;
}

static int find_compat(const struct btf *btf, struct diag *why)
{
	int outer, inner;

	if (NUMBER_AT < 0)
		return diag_set(why, -ENOTSUP, "texts behind pointers are read on x86-64 and "
				"aarch64 only");
	outer = kernel_btf_offset(btf, "task_struct", "thread_info", why);
	inner = outer < 0 ? outer : kernel_btf_offset(btf, "thread_info", COMPAT_WORD, why);
	return inner < 0 ? inner : outer + inner;
}

static int open_with(struct syscall_texts *texts, const struct syscall_texts_config *config,
		     const struct btf *btf, struct diag *why)
{
	const struct kernel_hook hook = { HOOK_TRACEPOINT, "syscall_texts",
					  config->is_exit ? "sys_exit" : "sys_enter" };
	const int compat_at = find_compat(btf, why);
	struct bytecode *code;
	int err;

	if (compat_at < 0)
		return compat_at;
	err = create_maps(texts, config, why);
	if (err)
		return err;
	code = make_program(texts, config, compat_at);
	if (!code)
		return diag_set(why, -ENOMEM, "no memory for a BPF program");
	err = kernel_program_load(&texts->program, code, &hook, btf, why);
	if (!err)
		err = kernel_program_attach(&texts->program, &hook, why);
	bytecode_destroy(code);
	return err;
}

int syscall_texts_open(struct syscall_texts **out, const struct syscall_texts_config *config,
		       struct diag *why)
{
	struct syscall_texts *texts = malloc(sizeof(*texts));
	struct btf *btf;
	int err;

	*out = NULL;
	if (!texts)
		return diag_set(why, -ENOMEM, "no memory for texts of system calls");
	*texts = (struct syscall_texts){ .scratch = -1, .counts = -1, .events = -1,
					 .program = KERNEL_PROGRAM_NONE };
	err = kernel_btf_open(&btf, why);
	if (!err) {
		err = open_with(texts, config, btf, why);
		btf__free(btf);
	}
	if (err)
		syscall_texts_close(texts);
	else
		*out = texts;
	return err;
}

/* The counts are u64 without gaps. */
int syscall_texts_read(const struct syscall_texts *texts, struct syscall_texts_counts *out,
		       struct diag *why)
{
	const int err = kernel_map_add_up(texts->counts, (uint64_t *)out,
					  sizeof(*out) / sizeof(uint64_t),
					  "the counts of a BPF program", why);

	out->skipped = kernel_program_missed(&texts->program);
	return err;
}

static void close_map(int fd)
{
	if (fd >= 0)
		close(fd);
}

void syscall_texts_close(struct syscall_texts *texts)
{
	if (!texts)
		return;
	kernel_program_close(&texts->program);
	close_map(texts->scratch);
	close_map(texts->counts);
	close_map(texts->events);
	free(texts);
}
