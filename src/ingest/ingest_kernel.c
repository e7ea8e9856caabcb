/* ingest_kernel.c - the running kernel's names, read again when its code has changed.
 *
 * Problem: no record reports that a module was loaded, and the record of a BPF program may be lost;
 * their code stays without a name. But some kernel code has no name at all, and reading the list
 * takes the kernel 50 ms.
 *
 * Idea: read the list when code is hit for which a fold found no name; the interval between two
 * reads doubles, so that code that never has a name costs nothing in the end.
 */
#include "base/clock.h"
#include "ingest/ingest.h"

#define FIRST_WAIT_NS (2 * CLOCK_NS_PER_S)
#define WAIT_MAX_NS   (1024 * CLOCK_NS_PER_S)

void ingest_kernel_sample(struct ingest *ingest, uint32_t frame)
{
	const struct symbol *symbol;

	if (frame == ID_SET_NONE || ingest->trie.frames.object[frame] != OBJECT_KERNEL)
		return;
	symbol = symbol_names_cached(&ingest->names, &ingest->trie, frame);
	if (symbol && symbol->state == SYMBOL_UNKNOWN)
		ingest->kernel.is_wanted = true;
}

void ingest_kernel_poll(struct ingest *ingest)
{
	struct open_request request = { .object = OBJECT_KERNEL, .is_kernel = true,
					.is_fresh = true };
	struct ingest_kernel *kernel = &ingest->kernel;
	uint64_t now_ns;

	if (!kernel->is_wanted || kernel->is_asked || !ingest->opener ||
	    ingest->config.is_replay ||
	    ingest->objects.objects[OBJECT_KERNEL].state != OBJECT_READY)
		return;
	now_ns = clock_now_ns();
	if (now_ns < kernel->due_ns)
		return;
	kernel->is_wanted = false;
	kernel->is_asked = true;
	kernel->requests++;
	kernel->wait_ns = kernel->wait_ns ? kernel->wait_ns * 2 : FIRST_WAIT_NS;
	if (kernel->wait_ns > WAIT_MAX_NS)
		kernel->wait_ns = WAIT_MAX_NS;
	kernel->due_ns = now_ns + kernel->wait_ns;
	ingest_request_open(ingest, &request);
}

void ingest_kernel_reply(struct ingest *ingest)
{
	ingest->kernel.is_asked = false;
}
