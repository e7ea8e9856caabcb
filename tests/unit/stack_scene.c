/* stack_scene.c - see stack_scene.h. */
#include "stack_scene.h"

#include <asm/perf_regs.h>
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
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/perf_data.h"
#include "capture/record_queue.h"
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
static struct scene_object *open_object(const char *path)
{
	struct scene_object *object = must(calloc(1, sizeof(*object)));
	struct diag why = { .err = 0 };
	size_t count;

	object->fd = strcmp(path, "[vdso]") == 0 ? open_vdso() : open(path, O_RDONLY | O_CLOEXEC);
	if (object->fd < 0 || elf_file_open(&object->file, object->fd, &why)) {
		if (object->fd >= 0)
			close(object->fd);
		free(object);
		return NULL;
	}
	object->path = must(strdup(path));
	if (elf_file_read_segments(&object->file, &why) ||
	    elf_cfi_compile(object->fd, -1, &object->bytes, &count, &why) ||
	    unwind_table_check(&object->table, object->bytes, count, &why))
		fail(path, why.text);
	return object;
}

static const struct scene_object *get_object(struct stack_scene *scene, const char *path)
{
	struct scene_object *object;

	for (size_t i = 0; i < scene->object_count; i++)
		if (strcmp(scene->objects[i]->path, path) == 0)
			return scene->objects[i];
	object = path[0] == '/' || path[0] == '[' ? open_object(path) : NULL;
	if (!object)
		return NULL;
	scene->objects = must(realloc(scene->objects,
				      (scene->object_count + 1) * sizeof(struct scene_object *)));
	scene->objects[scene->object_count++] = object;
	return object;
}

/* Pages are mapped, so what is at @file_offset may begin before the segment that is meant. */
static bool find_bias(const struct scene_object *object, struct scene_mapping *mapping)
{
	uint64_t end = mapping->file_offset + (mapping->end - mapping->start);

	for (size_t i = 0; i < object->file.segment_count; i++) {
		const struct elf_segment *segment = &object->file.segments[i];

		if (segment->is_code && segment->offset < end &&
		    segment->offset + segment->bytes > mapping->file_offset) {
			mapping->bias = mapping->start - mapping->file_offset + segment->offset -
					segment->vaddr;
			return true;
		}
	}
	return false;
}

static void add_mapping(struct stack_scene *scene, const char *path, uint64_t start, uint64_t end,
			uint64_t file_offset)
{
	struct scene_mapping mapping = { start, end, file_offset, get_object(scene, path), 0 };

	if (mapping.object && !find_bias(mapping.object, &mapping))
		mapping.object = NULL;
	scene->mappings = must(realloc(scene->mappings,
				       (scene->mapping_count + 1) * sizeof(mapping)));
	scene->mappings[scene->mapping_count++] = mapping;
	scene->number++;
	scene->file_number += mapping.object != NULL;
}

void stack_scene_finish(struct stack_scene *scene)
{
	for (size_t i = 0; i < scene->object_count; i++) {
		elf_file_close(&scene->objects[i]->file);
		close(scene->objects[i]->fd);
		free(scene->objects[i]->bytes);
		free(scene->objects[i]->path);
		free(scene->objects[i]);
	}
	free(scene->objects);
	free(scene->mappings);
	*scene = (struct stack_scene){ .number = 0 };
}

static struct walker_code find_code(void *context, uint64_t ip)
{
	const struct stack_scene *scene = context;

	for (size_t i = scene->mapping_count; i-- > 0;) {
		const struct scene_mapping *mapping = &scene->mappings[i];

		if (ip >= mapping->start && ip < mapping->end)
			return (struct walker_code){
				.table = mapping->object ? &mapping->object->table : NULL,
				.address = ip - mapping->start + mapping->file_offset,
				.is_mapped = true,
			};
	}
	return (struct walker_code){ .table = NULL };
}

struct walker_space stack_scene_space(struct stack_scene *scene)
{
	return (struct walker_space){ .number = scene->number, .find = find_code,
				      .context = scene };
}

size_t stack_scene_walk(struct stack_scene *scene, struct walker *walker,
			const struct remote_stack *stack, uint64_t frames[WALKER_FRAMES_MAX],
			enum walker_end *end)
{
	const struct walker_space space = stack_scene_space(scene);
	const uint64_t *registers = stack->registers;
	const struct walker_registers start = { registers[REMOTE_REGISTER_IP],
						registers[REMOTE_REGISTER_SP],
						registers[REMOTE_REGISTER_BP],
						registers[REMOTE_REGISTER_BX],
						registers[REMOTE_REGISTER_DI], true };
	const struct walker_stack copy = { stack->start, stack->bytes, stack->count };

	return walker_walk(walker, &space, &start, &copy, frames, WALKER_FRAMES_MAX, end);
}

static bool is_hit(const struct scene_mapping *mapping, const uint64_t *frames, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (frames[i] >= mapping->start && frames[i] < mapping->end)
			return true;
	return false;
}

bool stack_scene_request(const struct stack_scene *scene, const struct remote_stack *stack,
			 const uint64_t *frames, size_t count, struct rare_request *request,
			 int inputs[SANDBOX_INPUTS_MAX])
{
	struct remote_stack copy = *stack;

	*request = (struct rare_request){ .stack_count = 1 };
	if (copy.count > RARE_STACK_BYTES_MAX)
		copy.count = RARE_STACK_BYTES_MAX;
	for (size_t i = 0; i < scene->mapping_count; i++) {
		const struct scene_mapping *mapping = &scene->mappings[i];

		if (!is_hit(mapping, frames, count))
			continue;
		if (!mapping->object || request->mapping_count == RARE_MAPPINGS_MAX)
			return false;
		request->mappings[request->mapping_count++] = (struct rare_mapping){
			.start = mapping->start, .end = mapping->end,
			.file_offset = mapping->file_offset };
		inputs[request->mapping_count] = mapping->object->fd;
	}
	inputs[0] = rare_frames_request(request, &copy, NULL);
	if (inputs[0] < 0)
		fail("request", strerror(-inputs[0]));
	return true;
}

struct replay {
	struct stack_scene *scene;
	void (*take)(void *context, struct stack_scene *scene, const struct remote_stack *stack);
	void *context;
	uint32_t pid;	/* of the program; 0: not started yet */
};

/* perf's numbers of the registers, by DWARF's. */
static const unsigned int perf_registers[REMOTE_REGISTERS] = {
	PERF_REG_X86_AX, PERF_REG_X86_DX, PERF_REG_X86_CX, PERF_REG_X86_BX, PERF_REG_X86_SI,
	PERF_REG_X86_DI, PERF_REG_X86_BP, PERF_REG_X86_SP, PERF_REG_X86_R8, PERF_REG_X86_R9,
	PERF_REG_X86_R10, PERF_REG_X86_R11, PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14,
	PERF_REG_X86_R15, PERF_REG_X86_IP,
};

static void replay_sample(const struct replay *replay, const struct record_format *format,
			  const struct record_sample *record)
{
	struct remote_stack stack = { .bytes = record->user_stack,
				      .count = record->user_stack_bytes };

	if (record->user_abi != PERF_SAMPLE_REGS_ABI_64 || !record->user_stack)
		return;
	for (size_t i = 0; i < REMOTE_REGISTERS; i++) {
		uint64_t bit = (uint64_t)1 << perf_registers[i];
		uint64_t below = format->user_regs_mask & (bit - 1);

		if (format->user_regs_mask & bit)
			stack.registers[i] =
				record->user_regs[__builtin_popcountll(below)];
	}
	stack.start = stack.registers[REMOTE_REGISTER_SP];
	replay->take(replay->context, replay->scene, &stack);
}

static void replay_record(struct replay *replay, const struct record_format *format,
			  const struct event_record *record)
{
	const struct record_mmap *mmap = &record->mmap;
	char path[4096];

	if (record->kind == RECORD_COMM && record->comm.is_exec &&
	    (!replay->pid || record->pid == replay->pid)) {
		replay->pid = record->pid;
		replay->scene->mapping_count = 0;
		replay->scene->number++;
		replay->scene->file_number++;
	}
	if (!replay->pid || record->pid != replay->pid)
		return;
	if (record->kind == RECORD_MMAP && mmap->is_executable) {
		snprintf(path, sizeof(path), "%.*s", (int)mmap->path.len, mmap->path.bytes);
		add_mapping(replay->scene, path, mmap->start, mmap->start + mmap->bytes,
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

void stack_scene_replay(struct stack_scene *scene, const char *recording,
			void (*take)(void *context, struct stack_scene *scene,
				     const struct remote_stack *stack),
			void *context)
{
	struct replay replay = { scene, take, context, 0 };
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

static void read_maps(struct stack_scene *scene, pid_t pid, uint64_t sp, uint64_t *stack_end)
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
			add_mapping(scene, path, start, end, offset);
		if (sp >= start && sp < end)
			*stack_end = end;
	}
	fclose(maps);
}

static void take_registers(const struct user_regs_struct *from, uint64_t *registers)
{
	const uint64_t all[REMOTE_REGISTERS] = {
		from->rax, from->rdx, from->rcx, from->rbx, from->rsi, from->rdi, from->rbp,
		from->rsp, from->r8, from->r9, from->r10, from->r11, from->r12, from->r13,
		from->r14, from->r15, from->rip,
	};

	memcpy(registers, all, sizeof(all));
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

void stack_scene_take(struct stack_scene *scene, pid_t pid, struct remote_stack *stack)
{
	struct user_regs_struct registers;
	uint64_t stack_end = 0;
	int status;

	*stack = (struct remote_stack){ .count = 0 };
	if (ptrace(PTRACE_SEIZE, pid, 0, 0) || ptrace(PTRACE_INTERRUPT, pid, 0, 0) ||
	    waitpid(pid, &status, __WALL) != pid || ptrace(PTRACE_GETREGS, pid, 0, &registers))
		fail("ptrace", strerror(errno));
	take_registers(&registers, stack->registers);
	read_maps(scene, pid, registers.rsp, &stack_end);
	read_stack(pid, stack_end, stack);
	if (ptrace(PTRACE_DETACH, pid, 0, 0))
		fail("ptrace", strerror(errno));
}
