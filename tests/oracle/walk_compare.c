/* walk_compare.c - the walker, libdwfl and libunwind over the same registers and stack bytes.
 *
 *   walk_compare RECORDING      of perf-record(1) with --call-graph dwarf, on one CPU: the first
 *                               stacks that differ, then a line: what ours made of the samples,
 *                               how many of the others' are equal, address by address; where
 *                               libunwind alone differs and that after run-time code alone
 *                               (guess); where both others end early alike (beyond)
 *   walk_compare --stopped PID  our addresses of a process that stands still, a line each
 *
 * libdwfl has one session per process, with callbacks over the bytes; it knows the DSOs by the
 * same mappings. libunwind is elf/slow_frames.h. */
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/stack_fixture.h"

#define SHOWN_MAX 4

struct chain {
	uint64_t frames[WALKER_FRAMES_MAX];
	size_t count;
};

struct comparison {
	struct walker walker;
	Dwfl *dwfl;
	const struct remote_stack *stack;	/* that libdwfl asks about */
	struct remote_dso *dsos;
	struct remote_unwind *unwind;
	uint64_t file_number;	/* number of the file in both maps */
	size_t samples, ends[WALKER_DEEP + 1], depths[WALKER_FRAMES_MAX + 1], shown;
	size_t dwfl_same, unwind_same, unwind_guess, beyond, slow;
};

static struct comparison comparison;	/* libdwfl's callbacks don't all get an argument */

static int find_no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			      const char *file, const char *link, GElf_Word crc, char **path)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc;
	(void)path;
	return -1;
}

static int find_no_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			char **path, Elf **elf)
{
	(void)module, (void)data, (void)name, (void)base, (void)path, (void)elf;
	return -1;
}

static pid_t next_thread(Dwfl *dwfl, void *argument, void **thread)
{
	(void)dwfl;
	if (*thread)
		return 0;
	*thread = argument;
	return 1;
}

static bool get_thread(Dwfl *dwfl, pid_t pid, void *argument, void **thread)
{
	(void)dwfl, (void)pid;
	*thread = argument;
	return true;
}

/* libdwfl 0.188 takes a signed return address as it is. It gets it without its signature. */
static Dwarf_Word without_signature(Dwarf_Word word)
{
#ifdef __aarch64__
	const Dwarf_Word address = word & (((Dwarf_Word)1 << 48) - 1);

	for (const struct remote_dso *dso = comparison.dsos; dso && dso->file; dso++)
		if (address >= dso->start && address < dso->end)
			return address;
#endif
	return word;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *argument)
{
	const struct remote_stack *stack = comparison.stack;
	uint64_t offset = address - stack->start;

	(void)dwfl, (void)argument;
	if (stack->count < sizeof(*word) || offset > stack->count - sizeof(*word))
		return false;
	memcpy(word, stack->bytes + offset, sizeof(*word));
	*word = without_signature(*word);
	return true;
}

/* On x86-64 the program counter is the last of DWARF's registers; aarch64 has none for it. */
static bool set_registers(Dwfl_Thread *thread, void *argument)
{
	Dwarf_Word registers[REMOTE_REGISTERS];

	(void)argument;
	for (size_t i = 0; i < REMOTE_REGISTERS; i++)
		registers[i] = without_signature(comparison.stack->registers[i]);
#ifdef __aarch64__
	dwfl_thread_state_register_pc(thread, registers[REMOTE_REGISTER_IP]);
	return dwfl_thread_state_registers(thread, 0, REMOTE_REGISTER_IP, registers);
#else
	return dwfl_thread_state_registers(thread, 0, REMOTE_REGISTERS, registers);
#endif
}

static int take_frame(Dwfl_Frame *frame, void *argument)
{
	struct chain *chain = argument;
	Dwarf_Addr ip;

	if (chain->count == WALKER_FRAMES_MAX || !dwfl_frame_pc(frame, &ip, NULL))
		return DWARF_CB_ABORT;
	chain->frames[chain->count++] = ip;
	return DWARF_CB_OK;
}

/* libdwfl removes a DSO that is reported twice. */
static bool is_reported(const struct stack_fixture *fixture, size_t number)
{
	for (size_t i = 0; i < number; i++)
		if (fixture->mappings[i].dso == fixture->mappings[number].dso)
			return true;
	return false;
}

static void report_dsos(const struct stack_fixture *fixture)
{
	dwfl_report_begin(comparison.dwfl);
	for (size_t i = 0; i < fixture->mapping_count; i++) {
		const struct fixture_mapping *mapping = &fixture->mappings[i];

		if (mapping->dso && !is_reported(fixture, i))
			dwfl_report_elf(comparison.dwfl, mapping->dso->path,
					mapping->dso->path, dup(mapping->dso->fd),
					mapping->bias, true);
	}
	dwfl_report_end(comparison.dwfl, NULL, NULL);
}

/* False: nothing of the program is mapped yet. */
static bool begin_dwfl(const struct stack_fixture *fixture)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = find_no_file,
		.find_debuginfo = find_no_debug_file,
		.section_address = dwfl_offline_section_address,
	};
	static const Dwfl_Thread_Callbacks thread_callbacks = {
		.next_thread = next_thread,
		.get_thread = get_thread,
		.memory_read = read_memory,
		.set_initial_registers = set_registers,
	};

	if (comparison.dwfl)
		dwfl_end(comparison.dwfl);
	comparison.dwfl = dwfl_begin(&callbacks);
	if (!comparison.dwfl)
		exit(3);
	report_dsos(fixture);
	return dwfl_attach_state(comparison.dwfl, NULL, 1, &thread_callbacks, &comparison);
}

static void begin_unwind(const struct stack_fixture *fixture)
{
	size_t count = 0;

	remote_unwind_destroy(comparison.unwind);
	free(comparison.dsos);
	comparison.dsos = calloc(fixture->mapping_count + 1, sizeof(*comparison.dsos));
	for (size_t i = fixture->mapping_count; comparison.dsos && i-- > 0;) {
		const struct fixture_mapping *mapping = &fixture->mappings[i];

		if (mapping->dso)
			comparison.dsos[count++] = (struct remote_dso){
				(struct elf_file *)&mapping->dso->file, mapping->start,
				mapping->end, mapping->bias };
	}
	comparison.unwind = remote_unwind_create(comparison.dsos, count);
	if (!comparison.unwind)
		exit(3);
}

/* What the program asks a worker for, done here: then the walker goes on. */
static void pass_slow_frame(struct stack_fixture *fixture, const struct remote_stack *stack,
			    struct chain *ours, enum walker_end *end)
{
	const struct walker_stack copy = { stack->start, stack->bytes, stack->count };
	const struct walker_space space = stack_fixture_space(fixture);
	struct slow_reply reply;
	struct slow_request request;
	int inputs[SANDBOX_INPUTS_MAX];
	struct diag why = { .err = 0 };
	size_t bytes_count;
	void *bytes;

	if (!stack_fixture_request(fixture, stack, ours->frames, ours->count, &request, inputs))
		return;
	if (slow_frames_unwind(inputs, request.mapping_count + 1, &bytes, &bytes_count, &why) ||
	    slow_frames_check(&request, stack, bytes, bytes_count, &reply, &why)) {
		fprintf(stderr, "slow path: %s\n", why.text);
		exit(3);
	}
	ours->count = walker_resume(&comparison.walker, &space, reply.frames, reply.count, &copy,
				    ours->frames, WALKER_FRAMES_MAX, end);
	free(bytes);
	close(inputs[0]);
}

static void ask_dwfl(const struct remote_stack *stack, struct chain *chain)
{
	comparison.stack = stack;
	chain->count = 0;
	dwfl_getthread_frames(comparison.dwfl, 1, take_frame, chain);
}

static void ask_unwind(const struct remote_stack *stack, struct chain *chain)
{
	static struct remote_frame frames[WALKER_FRAMES_MAX];

	chain->count = remote_unwind_frames(comparison.unwind, stack, frames,
					    WALKER_FRAMES_MAX);
	for (size_t i = 0; i < chain->count; i++)
		chain->frames[i] = frames[i].ip;
}

static bool is_same(const struct chain *one, const struct chain *other)
{
	return one->count == other->count &&
	       memcmp(one->frames, other->frames, one->count * sizeof(one->frames[0])) == 0;
}

/* Whether @unwind differs from @ours in callers of run-time code alone. */
static bool is_guess(struct stack_fixture *fixture, const struct chain *ours,
		     const struct chain *unwind)
{
	const struct walker_space space = stack_fixture_space(fixture);

	if (ours->count != unwind->count)
		return false;
	for (size_t i = 1; i < ours->count; i++)
		if (ours->frames[i] != unwind->frames[i] &&
		    space.find(space.context, ours->frames[i - 1] - 1).table)
			return false;
	return true;
}

/* Whether both others are alike and end early where ours reaches the outermost frame. */
static bool is_beyond(const struct chain *ours, const struct chain *dwfl,
		      const struct chain *unwind, enum walker_end end)
{
	return end == WALKER_COMPLETE && is_same(dwfl, unwind) && dwfl->count < ours->count &&
	       memcmp(ours->frames, dwfl->frames, dwfl->count * sizeof(dwfl->frames[0])) == 0;
}

static size_t usual_depth(void)
{
	size_t usual = 0;

	for (size_t depth = 1; depth <= WALKER_FRAMES_MAX; depth++)
		if (comparison.depths[depth] > comparison.depths[usual])
			usual = depth;
	return usual;
}

static void show_address(const struct stack_fixture *fixture, const struct chain *chain, size_t i)
{
	if (i >= chain->count) {
		printf(" %-34s", "-");
		return;
	}
	for (size_t at = fixture->mapping_count; at-- > 0;) {
		const struct fixture_mapping *mapping = &fixture->mappings[at];

		if (chain->frames[i] >= mapping->start && chain->frames[i] < mapping->end) {
			const char *path = mapping->dso ? mapping->dso->path : "/anonymous";
			const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

			printf(" %16.16s+%-16" PRIx64 " ", name,
			       chain->frames[i] - mapping->bias);
			return;
		}
	}
	printf(" %16s %-16" PRIx64 " ", "nowhere", chain->frames[i]);
}

static void show_difference(const struct stack_fixture *fixture, const struct chain *ours,
			    const struct chain *dwfl, const struct chain *unwind,
			    enum walker_end end)
{
	static const char *const names[] = { "complete", "cut", "lost", "complex", "loading",
					     "deep" };
	size_t most = ours->count;
	size_t same = 0;

	if (comparison.shown++ >= SHOWN_MAX)
		return;
	most = dwfl->count > most ? dwfl->count : most;
	most = unwind->count > most ? unwind->count : most;
	while (same < ours->count && same < dwfl->count && same < unwind->count &&
	       ours->frames[same] == dwfl->frames[same] &&
	       ours->frames[same] == unwind->frames[same])
		same++;
	printf("  ours: %zu frames, %s; libdwfl: %zu; libunwind: %zu; alike but for\n",
	       ours->count, names[end], dwfl->count, unwind->count);
	for (size_t i = same > 2 ? same - 2 : 0; i < most && i < same + 4; i++) {
		show_address(fixture, ours, i);
		show_address(fixture, dwfl, i);
		show_address(fixture, unwind, i);
		putchar('\n');
	}
}

static void compare(void *context, struct stack_fixture *fixture, const struct remote_stack *stack)
{
	static struct chain ours, dwfl, unwind;
	enum walker_end end;
	bool dwfl_same, unwind_same;

	(void)context;
	if (comparison.file_number != fixture->file_number) {
		if (!begin_dwfl(fixture))
			return;
		begin_unwind(fixture);
		comparison.file_number = fixture->file_number;
	}
	ours.count = stack_fixture_walk(fixture, &comparison.walker, stack, ours.frames, &end);
	if (end == WALKER_COMPLEX) {
		comparison.slow++;
		pass_slow_frame(fixture, stack, &ours, &end);
	}
	ask_dwfl(stack, &dwfl);
	ask_unwind(stack, &unwind);
	dwfl_same = is_same(&ours, &dwfl);
	unwind_same = is_same(&ours, &unwind);
	comparison.samples++;
	comparison.depths[ours.count]++;
	comparison.ends[end]++;
	comparison.dwfl_same += dwfl_same;
	comparison.unwind_same += unwind_same;
	comparison.unwind_guess += !unwind_same && dwfl_same && is_guess(fixture, &ours, &unwind);
	comparison.beyond += is_beyond(&ours, &dwfl, &unwind, end);
	if (!dwfl_same || !unwind_same)
		show_difference(fixture, &ours, &dwfl, &unwind, end);
}

static void compare_recording(const char *path)
{
	struct stack_fixture fixture = { .number = 0 };

	comparison = (struct comparison){ .file_number = 0 };
	if (walker_init(&comparison.walker))
		exit(3);
	stack_fixture_replay(&fixture, path, compare, NULL);
	printf("samples=%zu usual_depth=%zu complete=%zu cut=%zu lost=%zu deep=%zu slow=%zu "
	       "libdwfl=%zu libunwind=%zu libunwind_guess=%zu beyond=%zu\n",
	       comparison.samples, usual_depth(), comparison.ends[WALKER_COMPLETE],
	       comparison.ends[WALKER_CUT], comparison.ends[WALKER_LOST],
	       comparison.ends[WALKER_DEEP], comparison.slow,
	       comparison.dwfl_same, comparison.unwind_same, comparison.unwind_guess,
	       comparison.beyond);
	dwfl_end(comparison.dwfl);
	remote_unwind_destroy(comparison.unwind);
	free(comparison.dsos);
	walker_finish(&comparison.walker);
	stack_fixture_finish(&fixture);
}

static void print_stopped(pid_t pid)
{
	struct stack_fixture fixture = { .number = 1 };
	struct remote_stack stack;
	struct walker walker;
	uint64_t frames[WALKER_FRAMES_MAX];
	enum walker_end end;
	size_t count;

	if (walker_init(&walker))
		exit(3);
	stack_fixture_take(&fixture, pid, &stack);
	count = stack_fixture_walk(&fixture, &walker, &stack, frames, &end);
	for (size_t i = 0; i < count; i++)
		printf("%" PRIx64 "\n", frames[i]);
	puts(end == WALKER_COMPLETE ? "complete" : "not complete");
	free((void *)stack.bytes);
	walker_finish(&walker);
	stack_fixture_finish(&fixture);
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--stopped") == 0)
		print_stopped((pid_t)strtol(argv[2], NULL, 10));
	else if (argc == 2)
		compare_recording(argv[1]);
	else
		return 2;
	return 0;
}
