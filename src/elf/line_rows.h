/* line_rows.h - worker side: builder of the reply of a SANDBOX_LINE_RANGES job.
 *
 * Use:    zero it and set `index`; add ranges by rising addresses, each followed by its statements;
 *         line_rows_finish(), line_rows_destroy().
 * Errors: the first one stays in `err` and ends up in line_rows_finish(): -ENOMEM, or -E2BIG: more
 *         than a reply holds. What is added afterwards is left out.
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_LINE_ROWS_H
#define ELF_LINE_ROWS_H

#include "base/id_map.h"
#include "dwarf_index.h"
#include "sandbox/lines.h"

struct line_rows {
	struct dwarf_index *index;		/* BORROWED */
	struct line_ranges_header header;	/* the caller fills build-ids and the name */
	struct line_range *ranges;		/* all five are owned */
	struct line_statement *statements;
	struct line_range_frame *frames;
	struct line_file *files;
	char *strings;
	uint32_t range_room, statement_room, frame_room, file_room, string_room;
	uint32_t text_bytes;		/* size of the embedded sources */
	struct id_map texts;		/* address of a name in the Dwarf -> text */
	struct id_map paths;		/* address of a path in the Dwarf -> file */
	struct id_map path_hashes;	/* hash of a path -> file */
	int err;
};

/* Adds code with the chain @frames[@count], @count > 0; or extends the last range if it ends at
 * @begin, has the same frames, and no statement begins at @begin. */
void line_rows_add_range(struct line_rows *rows, uint64_t begin, uint64_t end,
			 const struct dwarf_frame *frames, uint32_t count, uint32_t column,
			 bool is_statement);
/* Adds a statement at @at in the last range. @frame: which frame of that range it is in. */
void line_rows_add_statement(struct line_rows *rows, uint64_t at, uint32_t file, uint32_t line,
			     uint32_t frame, uint32_t flags);
/* Returns the index of the file of @place, UINT32_MAX if it is unknown. */
uint32_t line_rows_file(struct line_rows *rows, const struct dwarf_place *place);
/* Returns the frames of the last range. BORROWED until the next range. */
const struct line_range_frame *line_rows_last_frames(const struct line_rows *rows);

/* Builds the reply; *@bytes is malloc'd for the caller. Returns 0, or rows->err with the reason. */
int line_rows_finish(struct line_rows *rows, void **bytes, size_t *bytes_count, struct diag *why);
void line_rows_destroy(struct line_rows *rows);

#endif
