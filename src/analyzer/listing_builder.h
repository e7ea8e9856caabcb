/* listing_builder.h - adds the listing of a function to a snapshot: which function, its document,
 * and the counts of the window.
 *
 * Use:    a snapshot whose query has a listing is given one by listing_builder_make(). Its document
 *         is requested then; when listing_builder_take() is true, another snapshot has more of it.
 *         In batch mode, which prints a snapshot once, listing_builder_complete() adds the document
 *         to one that was made before it came.
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_LISTING_BUILDER_H
#define ANALYZER_LISTING_BUILDER_H

#include "analyzer/snapshot.h"
#include "fold/fold.h"
#include "ingest/ingest.h"
#include "listing/listing.h"

#define LISTINGS_BYTES_MAX ((size_t)192 << 20)	/* all but the latest; a few MB are usual */
#define LISTINGS_KEPT 16	/* documents: no function is decoded twice while one looks around */

struct listing_builder {
	struct listing_server *server;	/* borrowed; NULL: there are no listings */
	struct ingest *ingest;		/* borrowed */
	/* Owned references, the latest used first; NULL: free. */
	struct listing_document *documents[LISTINGS_KEPT];
	struct listing_function requested;	/* section_count 0: none is under way */
	struct listing_function open;		/* the one in the last snapshot that listed one */
	struct diag why;		/* why the request failed */
	struct id_map kept;		/* run-time functions whose bytes were kept */
};

void listing_builder_init(struct listing_builder *builder, struct listing_server *server,
			  struct ingest *ingest);
void listing_builder_finish(struct listing_builder *builder);

/* What a listing is made of. */
struct listing_sources {
	const struct query *query;
	const struct fold *rows;	/* rows of the window, to find a function by its name */
	uint32_t event;			/* the one shown */
	uint32_t event_count;		/* events that are sampled */
	const char *(*event_name)(const void *owner, uint32_t event);
	const void *owner;
	bool is_compared;
	const struct wait_stacks *waits;	/* see struct fold; NULL: none */
};

/* Finds the function that the query lists and prepares @fold for the entries of the window. False:
 * there is none; then *@out says why, or is NULL without memory. Otherwise @fold is to be finished
 * by the caller. */
bool listing_builder_begin(struct listing_builder *builder, const struct listing_sources *sources,
			   struct listing_function *function, struct listing_fold *fold,
			   struct listing **out);
/* Makes the listing from the finished @fold. NULL: no memory. */
struct listing *listing_builder_make(struct listing_builder *builder,
				     const struct listing_sources *sources,
				     struct listing_fold *fold);

/* A snapshot lists nothing: what is listed next is opened anew, and patched code is read again. */
void listing_builder_close(struct listing_builder *builder);

/* Takes what the server has made. True: there is more to show. */
bool listing_builder_take(struct listing_builder *builder);
/* Returns whether later versions of the requested document will come. */
bool listing_builder_is_pending(const struct listing_builder *builder);
/* Sets the document of @listing to the newest version. */
void listing_builder_complete(struct listing_builder *builder, struct listing *listing);

/* Keeps the bytes of code that was made at run time and is hot in @rows: it may be overwritten, or
 * its process gone, when it is listed. */
void listing_builder_keep(struct listing_builder *builder, const struct fold *rows);

#endif
