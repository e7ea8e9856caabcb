/* kernel.h - where kernel code is, and when its names are read. Thread: the analyzer's. */
#ifndef INGEST_KERNEL_H
#define INGEST_KERNEL_H

#include "ingest/ingest.h"

struct kernel {
	struct process_maps *maps;	/* owned; replay: the kernel's mappings in the recording */
	struct process_maps *overlay;	/* owned; BPF programs loaded while flametop runs */
	uint64_t text_address;	/* replay: recorded address of _text or _stext; 0: not recorded */
	uint64_t shift;		/* replay: added to kernel addresses if the kernel's address differs
				 * from the first recording's */
	bool is_recorded;	/* replay: the running kernel is the recorded one */
	bool is_assumed;	/* replay: is_recorded without a build-id; the address of _text must
				 * match, too */
	bool is_slid;		/* replay: names were requested with a slide */
	/* Live: names are read again when the kernel's code changes. */
	bool is_wanted;		/* a sample hit code that the kernel's table does not know */
	bool is_asked;
	uint64_t requests;	/* requests sent so far */
	uint64_t due_ns, wait_ns;	/* earliest time of the next request; pause after it */
};

struct kernel *kernel_create(void);	/* NULL: out of memory */
void kernel_destroy(struct kernel *kernel);	/* NULL is fine */
/* Replay: forgets the mappings, for another recording. 0 or -ENOMEM: nothing was done. */
int kernel_begin_recording(struct kernel *kernel);
void kernel_look_at_config(struct ingest *ingest);	/* call it after `config` has changed */
void kernel_request_names(struct ingest *ingest);	/* at start: the live kernel's */
/* Replay: applies an MMAP record of the kernel or a module. */
void kernel_mmap(struct ingest *ingest, const struct event_record *record);
void kernel_ksymbol(struct ingest *ingest, const struct event_record *record);
/* Replay: if the recorded kernel's address differs from the one in @reply (KASLR), requests the
 * names again with a slide, or refuses them where a match is required, and returns true. */
bool kernel_slide(struct ingest *ingest, const struct open_reply *reply);
/* Replay: modules share the kernel's table, which has their symbols. */
void kernel_share_table(struct ingest *ingest, uint32_t id_of_kernel);
/* Requests the kernel's names anew if @frame has none (a module was loaded, or kernel memory was
 * reused); the interval between requests doubles each time. */
void kernel_note_frame(struct ingest *ingest, uint32_t frame);
void kernel_poll(struct ingest *ingest);

#endif
