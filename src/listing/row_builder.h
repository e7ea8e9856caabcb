/* row_builder.h - appends rows to a listing's rows, for the layers. */
#ifndef LISTING_ROW_BUILDER_H
#define LISTING_ROW_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

struct listing;
struct listing_document;
struct listing_options;
struct listing_row;
struct listing_rows;
struct load;

struct row_builder {
	struct listing_rows *out;
	const struct listing *listing;
	const struct listing_options *options;
	bool is_out_of_memory;
};

/* Appends @row, without counts. Returns its index; UINT32_MAX: out of memory. */
uint32_t row_builder_append(struct row_builder *builder, const struct listing_row *row);
/* Adds the counts at begin <= address < end to the row. */
void row_builder_count(struct row_builder *builder, uint32_t row, uint64_t begin, uint64_t end);
/* Adds the counts of @from, of which there is one per event; @base NULL: none. */
void row_builder_add(struct row_builder *builder, uint32_t row, const struct load *now,
		     const struct load *base);

/* Sets the row's text to its source line, if the document has it. */
void row_builder_set_source(const struct listing_document *document, struct listing_row *row);

/* Returns the index of the first address with samples at or after @address; address_count: there is
 * none. */
uint32_t row_builder_first_load(const struct listing *listing, uint64_t address);

/* Rows of the source layer: line_tree.c. */
void line_tree_build(struct row_builder *builder);

#endif
