/* elf_unwind.c - see elf_unwind.h. */
#include "elf_unwind.h"

#include "frame_entries.h"

static int add_range(void *context, const struct frame_entry *entry)
{
	return flat_builder_add_unwind(context, entry->offset, entry->bytes, entry->vaddr);
}

int elf_unwind_add(struct elf_file *main, struct elf_file *debug, struct flat_builder *builder)
{
	return frame_entries_walk(main, debug, add_range, builder);
}
