/* kernel_reader.c - see kernel_reader.h. */
#include "kernel_reader.h"

#include <errno.h>
#include <stdlib.h>

#include "symbols/kallsyms.h"

#define REQUEST_QUEUE_BYTES 4096
#define REPLY_QUEUE_BYTES   16384

/* The part of struct open_request that is used here. */
struct kernel_request {
	uint32_t dso, serial;
	bool is_fresh;
	struct recorded_names names;
	uint64_t slide;
	struct build_id build_id;
};

_Static_assert(KERNEL_READER_UNDER_WAY_MAX * (sizeof(struct kernel_request) + 16) <
	       REQUEST_QUEUE_BYTES - sizeof(struct kernel_request) - 16,
	       "all requests fit, the filler at the end of the buffer included");
_Static_assert(KERNEL_READER_UNDER_WAY_MAX * (sizeof(struct open_reply) + 16) <
	       REPLY_QUEUE_BYTES - sizeof(struct open_reply) - 16, "as above");

struct kernel_table {
	struct kernel_table *next;
	uint32_t recording;	/* as in struct recorded_names */
	uint64_t slide;
	struct kallsyms kallsyms;
};

struct kernel_reader {
	struct service *service, *announce;
	uint32_t under_way;		/* the asker's */
	_Atomic size_t bytes;		/* the thread stores, kernel_reader_bytes() loads */
	struct kernel_table *tables;	/* owned; the thread's until it is joined */
};

static int read_names(struct kernel_reader *reader, const struct kernel_request *request,
		      struct kallsyms *out, struct diag *why)
{
	const atomic_bool *is_stopping = &reader->service->is_stopping;

	return request->names.recording
		       ? kallsyms_load_recorded(out, request->names.fd, request->slide,
						is_stopping, why)
		       : kallsyms_load(out, "/proc/kallsyms", request->slide, is_stopping, why);
}

static struct kernel_table *load(struct kernel_reader *reader,
				 const struct kernel_request *request, struct diag *why)
{
	struct kernel_table *table = calloc(1, sizeof(*table));

	if (!table) {
		diag_set(why, -ENOMEM, "no memory for the kernel's symbols");
		return NULL;
	}
	table->recording = request->names.recording;
	table->slide = request->slide;
	if (read_names(reader, request, &table->kallsyms, why)) {
		kallsyms_finish(&table->kallsyms);
		free(table);
		return NULL;
	}
	table->next = reader->tables;
	reader->tables = table;
	return table;
}

static bool is_wanted(const struct kernel_table *table, const struct kernel_request *request)
{
	return table->slide == request->slide && table->recording == request->names.recording;
}

/* Frees the tables of the requested kernel and slide except the newest two: they may be in use. */
static void drop_old(struct kernel_reader *reader, const struct kernel_request *request)
{
	struct kernel_table **link = &reader->tables;
	size_t bytes = 0;
	int kept = 0;

	while (*link) {
		struct kernel_table *table = *link;

		if (!is_wanted(table, request) || kept++ < 2) {
			bytes += flat_table_bytes(&table->kallsyms.table);
			link = &table->next;
			continue;
		}
		*link = table->next;
		kallsyms_finish(&table->kallsyms);
		free(table);
	}
	atomic_store_explicit(&reader->bytes, bytes, memory_order_relaxed);
}

static void reply(struct kernel_reader *reader, const struct kernel_request *request,
		  struct open_reply *reply)
{
	struct kernel_table *table = reader->tables;

	if (!request->names.recording)
		reply->build_id = kallsyms_build_id();
	if (request->build_id.count && !build_id_is_equal(&request->build_id, &reply->build_id)) {
		diag_set(&reply->why, -ESTALE, "recorded on another kernel than the running one");
		return;
	}
	while (table && !is_wanted(table, request))
		table = table->next;
	reply->is_shared = table && !request->is_fresh;
	if (!reply->is_shared)
		table = load(reader, request, &reply->why);
	if (!table)
		return;
	drop_old(reader, request);
	reply->table = table->kallsyms.table;
	reply->kernel_text_address = table->kallsyms.text_address;
	reply->is_ready = true;
}

static int serve(void *owner)
{
	struct kernel_reader *reader = owner;
	const struct kernel_request *request;
	struct open_reply *queued;
	size_t bytes;

	request = spsc_peek(&reader->service->requests, &bytes);
	if (!request)
		return SERVICE_SLEEP;
	/* Never NULL: KERNEL_READER_UNDER_WAY_MAX. */
	queued = spsc_reserve(&reader->service->replies, sizeof(*queued));
	*queued = (struct open_reply){ .dso = request->dso, .serial = request->serial,
				       .names = request->names };
	reply(reader, request, queued);
	spsc_release(&reader->service->requests);
	spsc_commit(&reader->service->replies);
	service_notify(reader->announce);
	return SERVICE_AGAIN;
}

int kernel_reader_create(struct kernel_reader **out, struct service *announce)
{
	struct kernel_reader *reader = calloc(1, sizeof(*reader));
	const struct service_plan plan = {
		.name = "flametop-kernel", .request_bytes = REQUEST_QUEUE_BYTES,
		.reply_bytes = REPLY_QUEUE_BYTES, .serve = serve, .owner = reader,
	};
	int err;

	*out = NULL;
	if (!reader)
		return -ENOMEM;
	reader->announce = announce;
	err = service_create(&reader->service, &plan);
	if (err) {
		kernel_reader_destroy(reader);
		return err;
	}
	*out = reader;
	return 0;
}

bool kernel_reader_stop(struct kernel_reader *reader)
{
	return !reader || service_stop(reader->service);
}

void kernel_reader_destroy(struct kernel_reader *reader)
{
	if (!reader)
		return;
	while (reader->tables) {
		struct kernel_table *next = reader->tables->next;

		kallsyms_finish(&reader->tables->kallsyms);
		free(reader->tables);
		reader->tables = next;
	}
	service_destroy(reader->service);
	free(reader);
}

bool kernel_reader_request(struct kernel_reader *reader, const struct open_request *request)
{
	struct kernel_request *queued;

	if (reader->under_way == KERNEL_READER_UNDER_WAY_MAX)
		return false;
	queued = spsc_reserve(&reader->service->requests, sizeof(*queued));
	if (!queued)
		return false;
	*queued = (struct kernel_request){
		.dso = request->dso, .serial = request->serial,
		.is_fresh = request->is_fresh, .names = request->names,
		.slide = request->kernel_slide, .build_id = request->build_id,
	};
	spsc_commit(&reader->service->requests);
	reader->under_way++;
	service_wake(reader->service);
	return true;
}

bool kernel_reader_reply(struct kernel_reader *reader, struct open_reply *out)
{
	const struct open_reply *reply;
	size_t bytes;

	reply = spsc_peek(&reader->service->replies, &bytes);
	if (!reply)
		return false;
	*out = *reply;
	spsc_release(&reader->service->replies);
	reader->under_way--;
	return true;
}

size_t kernel_reader_bytes(const struct kernel_reader *reader)
{
	return atomic_load_explicit(&reader->bytes, memory_order_relaxed);
}
