/* stack_fixture.c - see stack_fixture.h. */
#include "stack_fixture.h"

#include <asm/perf_regs.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/perf_data.h"
#include "capture/record.h"
#include "elf/elf_cfi.h"

#define QUEUE_BYTES (1u << 20)

static _Noreturn void fail(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(3);
}

static void *must(void *memory)
{
	if (!memory)
		fail("memory", strerror(ENOMEM));
	return memory;
}

/* -1: there is none; valgrind(1) takes it away. */
static int open_vdso(void)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);	/* NOLINT */
	int fd = image ? memfd_create("vdso", MFD_CLOEXEC) : -1;

	if (!image)
		return -1;
	if (fd < 0 || write(fd, image, 8192) != 8192)
		fail("[vdso]", strerror(errno));
	return fd;
}

/* NULL: it is no ELF file. */
static struct fixture_dso *open_dso(const char *path)
{
	struct fixture_dso *dso = must(calloc(1, sizeof(*dso)));
	struct diag why = { .err = 0 };
	size_t count;

	dso->fd = strcmp(path, "[vdso]") == 0 ? open_vdso() : open(path, O_RDONLY | O_CLOEXEC);
	if (dso->fd < 0 || elf_file_open(&dso->file, dso->fd, &why)) {
		if (dso->fd >= 0)
			close(dso->fd);
		free(dso);
		return NULL;
	}
	dso->path = must(strdup(path));
	if (elf_file_read_segments(&dso->file, &why) ||
	    elf_cfi_compile(dso->fd, -1, &dso->bytes, &count, &why) ||
	    unwind_table_check(&dso->table, dso->bytes, count, &why))
		fail(path, why.text);
	return dso;
}

static const struct fixture_dso *get_dso(struct stack_fixture *fixture, const char *path)
{
	struct fixture_dso *dso;

	for (size_t i = 0; i < fixture->dso_count; i++)
		if (strcmp(fixture->dsos[i]->path, path) == 0)
			return fixture->dsos[i];
	dso = path[0] == '/' || path[0] == '[' ? open_dso(path) : NULL;
	if (!dso)
		return NULL;
	fixture->dsos = must(realloc(fixture->dsos,
				     (fixture->dso_count + 1) * sizeof(struct fixture_dso *)));
	fixture->dsos[fixture->dso_count++] = dso;
	return dso;
}

/* Pages are mapped, so what is at @file_offset may begin before the segment that is meant. */
static bool find_bias(const struct fixture_dso *dso, struct fixture_mapping *mapping)
{
	uint64_t end = mapping->file_offset + (mapping->end - mapping->start);

	for (size_t i = 0; i < dso->file.segment_count; i++) {
		const struct elf_segment *segment = &dso->file.segments[i];

		if (segment->is_code && segment->offset < end &&
		    segment->offset + segment->bytes > mapping->file_offset) {
			mapping->bias = mapping->start - mapping->file_offset + segment->offset -
					segment->vaddr;
			return true;
		}
	}
	return false;
}

static void add_mapping(struct stack_fixture *fixture, const char *path, uint64_t start,
			uint64_t end, uint64_t file_offset)
{
	struct fixture_mapping mapping = { start, end, file_offset, get_dso(fixture, path), 0 };

	if (mapping.dso && !find_bias(mapping.dso, &mapping))
		mapping.dso = NULL;
	fixture->mappings = must(realloc(fixture->mappings,
					 (fixture->mapping_count + 1) * sizeof(mapping)));
	fixture->mappings[fixture->mapping_count++] = mapping;
	fixture->number++;
	fixture->file_number += mapping.dso != NULL;
}

void stack_fixture_finish(struct stack_fixture *fixture)
{
	for (size_t i = 0; i < fixture->dso_count; i++) {
		elf_file_close(&fixture->dsos[i]->file);
		close(fixture->dsos[i]->fd);
		free(fixture->dsos[i]->bytes);
		free(fixture->dsos[i]->path);
		free(fixture->dsos[i]);
	}
	free(fixture->dsos);
	free(fixture->mappings);
	*fixture = (struct stack_fixture){ .number = 0 };
}

static struct walker_code find_code(void *context, uint64_t ip)
{
	const struct stack_fixture *fixture = context;

	for (size_t i = fixture->mapping_count; i-- > 0;) {
		const struct fixture_mapping *mapping = &fixture->mappings[i];

		if (ip >= mapping->start && ip < mapping->end)
			return (struct walker_code){
				.table = mapping->dso ? &mapping->dso->table : NULL,
				.address = ip - mapping->start + mapping->file_offset,
				.is_mapped = true,
			};
	}
	return (struct walker_code){ .table = NULL };
}

struct walker_space stack_fixture_space(struct stack_fixture *fixture)
{
	return (struct walker_space){ .number = fixture->number, .find = find_code,
				      .context = fixture, .machine = MACHINE_OWN };
}

size_t stack_fixture_walk(struct stack_fixture *fixture, struct walker *walker,
			  const struct remote_stack *stack, uint64_t frames[WALKER_FRAMES_MAX],
			  enum walker_end *end)
{
	const struct walker_space space = stack_fixture_space(fixture);
	const uint64_t *registers = stack->registers;
	const struct walker_registers start = {
		.ip = registers[REMOTE_REGISTER_IP], .sp = registers[REMOTE_REGISTER_SP],
		.bp = registers[REMOTE_REGISTER_BP], .bx = registers[REMOTE_REGISTER_BX],
		.di = registers[REMOTE_REGISTER_DI], .has_others = true,
#ifdef REMOTE_REGISTER_LR
		.lr = registers[REMOTE_REGISTER_LR],
#endif
	};
	const struct walker_stack copy = { stack->start, stack->bytes, stack->count };

	return walker_walk(walker, &space, &start, &copy, frames, WALKER_FRAMES_MAX, end);
}

static bool is_hit(const struct fixture_mapping *mapping, const uint64_t *frames, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (frames[i] >= mapping->start && frames[i] < mapping->end)
			return true;
	return false;
}

bool stack_fixture_request(const struct stack_fixture *fixture, const struct remote_stack *stack,
			   const uint64_t *frames, size_t count, struct slow_request *request,
			   int inputs[SANDBOX_INPUTS_MAX])
{
	struct remote_stack copy = *stack;

	*request = (struct slow_request){ .stack_count = 1 };
	if (copy.count > SLOW_STACK_BYTES_MAX)
		copy.count = SLOW_STACK_BYTES_MAX;
	for (size_t i = 0; i < fixture->mapping_count; i++) {
		const struct fixture_mapping *mapping = &fixture->mappings[i];

		if (!is_hit(mapping, frames, count))
			continue;
		if (!mapping->dso || request->mapping_count == SLOW_MAPPINGS_MAX)
			return false;
		request->mappings[request->mapping_count++] = (struct slow_mapping){
			.start = mapping->start, .end = mapping->end,
			.file_offset = mapping->file_offset };
		inputs[request->mapping_count] = mapping->dso->fd;
	}
	inputs[0] = slow_frames_request(request, &copy, NULL);
	if (inputs[0] < 0)
		fail("request", strerror(-inputs[0]));
	return true;
}

struct replay {
	struct stack_fixture *fixture;
	void (*take)(void *context, struct stack_fixture *fixture,
		     const struct remote_stack *stack);
	void *context;
	uint32_t pid;	/* the program's; 0: not started yet */
};

/* perf's numbers of the registers, by DWARF's: the same on aarch64. */
#ifdef __aarch64__
static unsigned int perf_register(size_t number)
{
	return (unsigned int)number;
}
#else
static const unsigned int perf_registers[REMOTE_REGISTERS] = {
	PERF_REG_X86_AX, PERF_REG_X86_DX, PERF_REG_X86_CX, PERF_REG_X86_BX, PERF_REG_X86_SI,
	PERF_REG_X86_DI, PERF_REG_X86_BP, PERF_REG_X86_SP, PERF_REG_X86_R8, PERF_REG_X86_R9,
	PERF_REG_X86_R10, PERF_REG_X86_R11, PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14,
	PERF_REG_X86_R15, PERF_REG_X86_IP,
};

static unsigned int perf_register(size_t number)
{
	return perf_registers[number];
}
#endif

static void replay_sample(const struct replay *replay, const struct record_format *format,
			  const struct record_sample *record)
{
	struct remote_stack stack = { .bytes = record->user_stack,
				      .count = record->user_stack_bytes };

	if (record->user_abi != PERF_SAMPLE_REGS_ABI_64 || !record->user_stack)
		return;
	for (size_t i = 0; i < REMOTE_REGISTERS; i++) {
		uint64_t bit = (uint64_t)1 << perf_register(i);
		uint64_t below = format->user_regs_mask & (bit - 1);

		if (format->user_regs_mask & bit)
			stack.registers[i] =
				record->user_regs[__builtin_popcountll(below)];
	}
	stack.start = stack.registers[REMOTE_REGISTER_SP];
	replay->take(replay->context, replay->fixture, &stack);
}

static void replay_record(struct replay *replay, const struct record_format *format,
			  const struct event_record *record)
{
	const struct record_mmap *mmap = &record->mmap;
	char path[4096];

	if (record->kind == RECORD_COMM && record->comm.is_exec &&
	    (!replay->pid || record->pid == replay->pid)) {
		replay->pid = record->pid;
		replay->fixture->mapping_count = 0;
		replay->fixture->number++;
		replay->fixture->file_number++;
	}
	if (!replay->pid || record->pid != replay->pid)
		return;
	if (record->kind == RECORD_MMAP && mmap->is_executable) {
		snprintf(path, sizeof(path), "%.*s", (int)mmap->path.len, mmap->path.bytes);
		add_mapping(replay->fixture, path, mmap->start, mmap->start + mmap->bytes,
			    mmap->file_offset);
	} else if (record->kind == RECORD_SAMPLE) {
		replay_sample(replay, format, &record->sample);
	}
}

/* False: that was the last one. */
static bool replay_item(struct replay *replay, const struct perf_data *reader,
			const struct queue_item *item, size_t bytes)
{
	struct event_record record;

	if (item->kind == QUEUE_RECORD) {
		const struct record_format *format = &perf_data_event(reader, item->event)->format;

		if (record_parse(format, item + 1, bytes - sizeof(*item), &record))
			fail("recording", "a record that can't be read");
		replay_record(replay, format, &record);
	} else if (item->kind == QUEUE_END) {
		const struct queue_end *end = (const struct queue_end *)(item + 1);

		if (end->why.err)
			fail("recording", end->why.text);
		return false;
	}
	return true;
}

static bool replay_queued(struct replay *replay, struct perf_data *reader, struct spsc *queue)
{
	const struct queue_item *item;
	bool goes_on = true;
	size_t bytes;

	while (goes_on && (item = spsc_peek(queue, &bytes))) {
		goes_on = replay_item(replay, reader, item, bytes);
		spsc_release(queue);
	}
	perf_data_consumed(reader);
	return goes_on;
}

void stack_fixture_replay(struct stack_fixture *fixture, const char *recording,
			  void (*take)(void *context, struct stack_fixture *fixture,
				       const struct remote_stack *stack),
			  void *context)
{
	struct replay replay = { fixture, take, context, 0 };
	struct diag why = { .err = 0 };
	struct perf_data *reader;
	struct pollfd items;
	struct spsc queue;
	uint64_t sum;

	if (perf_data_open(&reader, recording, &why))
		fail(recording, why.text);
	if (spsc_init(&queue, QUEUE_BYTES) || perf_data_start(reader, &queue, &why))
		fail(recording, why.text);
	items = (struct pollfd){ .fd = perf_data_queue_fd(reader), .events = POLLIN };
	do {
		if (poll(&items, 1, -1) != 1 || read(items.fd, &sum, sizeof(sum)) != sizeof(sum))
			fail(recording, strerror(errno));
	} while (replay_queued(&replay, reader, &queue));
	perf_data_close(reader);
	spsc_finish(&queue);
}

static void read_maps(struct stack_fixture *fixture, pid_t pid, uint64_t sp, uint64_t *stack_end)
{
	uint64_t start, end, offset;
	char name[64], line[4400], path[4200], rights[8];
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	maps = fopen(name, "re");
	if (!maps)
		fail(name, strerror(errno));
	while (fgets(line, sizeof(line), maps)) {
		path[0] = 0;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4199[^\n]",
			   &start, &end, rights, &offset, path) < 4)
			fail(name, line);
		if (rights[2] == 'x')
			add_mapping(fixture, path, start, end, offset);
		if (sp >= start && sp < end)
			*stack_end = end;
	}
	fclose(maps);
}

static void take_registers(const struct user_regs_struct *from, uint64_t *registers)
{
#ifdef __aarch64__
	memcpy(registers, from->regs, sizeof(from->regs));
	registers[REMOTE_REGISTER_SP] = from->sp;
	registers[REMOTE_REGISTER_IP] = from->pc;
#else
	const uint64_t all[REMOTE_REGISTERS] = {
		from->rax, from->rdx, from->rcx, from->rbx, from->rsi, from->rdi, from->rbp,
		from->rsp, from->r8, from->r9, from->r10, from->r11, from->r12, from->r13,
		from->r14, from->r15, from->rip,
	};

	memcpy(registers, all, sizeof(all));
#endif
}

static void read_stack(pid_t pid, uint64_t end, struct remote_stack *stack)
{
	unsigned char *bytes;
	char name[64];
	int fd;

	stack->start = stack->registers[REMOTE_REGISTER_SP];
	stack->count = end - stack->start;
	bytes = must(malloc(stack->count));
	snprintf(name, sizeof(name), "/proc/%d/mem", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, bytes, stack->count, (off_t)stack->start) != (ssize_t)stack->count)
		fail(name, strerror(errno));
	close(fd);
	stack->bytes = bytes;
}

void stack_fixture_take(struct stack_fixture *fixture, pid_t pid, struct remote_stack *stack)
{
	struct user_regs_struct registers;
	struct iovec part = { &registers, sizeof(registers) };
	uint64_t stack_end = 0;
	int status;

	*stack = (struct remote_stack){ .count = 0 };
	if (ptrace(PTRACE_SEIZE, pid, 0, 0) || ptrace(PTRACE_INTERRUPT, pid, 0, 0) ||
	    waitpid(pid, &status, __WALL) != pid ||
	    ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &part))
		fail("ptrace", strerror(errno));
	take_registers(&registers, stack->registers);
	read_maps(fixture, pid, stack->registers[REMOTE_REGISTER_SP], &stack_end);
	read_stack(pid, stack_end, stack);
	if (ptrace(PTRACE_DETACH, pid, 0, 0))
		fail("ptrace", strerror(errno));
}
