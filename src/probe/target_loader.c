/* target_loader.c - see target_loader.h.
 *
 * Problem: a worker may need seconds for one file; a key that is pressed meanwhile must be answered
 * with the names that are loaded.
 *
 * Idea: reading and searching are two threads. This one hands over each index when it is complete,
 * and reads its orders between two files.
 */
#include "target_loader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/service.h"
#include "probe/probe_presets.h"
#include "probe/probe_spec.h"
#include "target_events.h"
#include "target_kernel.h"
#include "target_objects.h"

#define ORDER_BYTES   4096	/* room for 15 orders */
#define LOADED_BYTES  (1u << 20)	/* room for 2,000: exceeds files and orders */
#define NAMES_MAX_BYTES (256u << 20)	/* room for two million names */

struct order {
	bool is_of_leftovers;		/* load only the leftovers */
	char path[TARGET_QUERY_BYTES];
};

struct target_loader {
	struct service *service;
	struct target_finder_config config;
	struct probe_abilities abilities;	/* used if the config has none */
	void (*wake)(void *context);
	void *context;
	struct target_objects objects;	/* private to the thread, down to `bytes` */
	size_t next_object;		/* index of the next one to load */
	size_t bytes;			/* size of all indexes so far */
};

static void hand_over(struct target_loader *loader, const struct target_loaded *loaded)
{
	struct target_loaded *slot = spsc_reserve(&loader->service->replies, sizeof(*slot));

	if (!slot) {
		target_index_destroy(loaded->index);
		return;
	}
	if (loaded->index)
		loader->bytes += target_index_bytes(loaded->index);
	*slot = *loaded;
	spsc_commit(&loader->service->replies);
	loader->wake(loader->context);
}

/* Hands over one source of many: an error in one does not stop the others. */
static void hand_over_source(struct target_loader *loader, struct target_index *index, int err,
			     const struct diag *why, const char *what)
{
	const struct target_loaded loaded = { .index = index };

	if (err)
		log_note("finder: no %s: %s", what, why->err ? why->text : strerror(-err));
	else
		hand_over(loader, &loaded);
}

static void hand_over_end(struct target_loader *loader, const char *path, const char *failure)
{
	struct target_loaded loaded = { .is_end = true };

	snprintf(loaded.path, sizeof(loaded.path), "%s", path);
	snprintf(loaded.failure, sizeof(loaded.failure), "%s", failure);
	hand_over(loader, &loaded);
}

/* Returns why probes like @text are impossible here, for target_name; 0: they are possible. */
static unsigned int unable_of(struct target_index *index, const struct probe_abilities *abilities,
			      const char *text)
{
	static const struct {
		enum probe_ability tracefs, pmu;
	} needs[] = {
		[PROBE_KERNEL] = { PROBE_CAN_TRACEFS_KPROBE, PROBE_CAN_KPROBE_PMU },
		[PROBE_USER] = { PROBE_CAN_TRACEFS_UPROBE, PROBE_CAN_UPROBE_PMU },
		[PROBE_USDT] = { PROBE_CAN_TRACEFS_UPROBE, PROBE_CAN_UPROBE_PMU },
		[PROBE_TRACEPOINT] = { PROBE_CAN_TRACEPOINT, PROBE_CAN_TRACEPOINT },
	};
	struct probe_spec spec;

	if (probe_spec_parse(&spec, text, NULL) ||
	    abilities->list[needs[spec.kind].tracefs].is_there ||
	    abilities->list[needs[spec.kind].pmu].is_there)
		return 0;
	return target_index_reason(index, abilities->list[needs[spec.kind].tracefs].reason);
}

static int load_presets(struct target_index **out, const struct probe_abilities *abilities)
{
	struct target_index *index = target_index_create(TARGET_PRESET, "", "");
	int err = index ? 0 : -ENOMEM;

	for (size_t i = 0; i < probe_preset_count && !err; i++) {
		const struct target_name name = {
			.raw = probe_presets[i].spec, .shown = probe_presets[i].name,
			.note = probe_presets[i].description,
			.aliases = probe_presets[i].aliases,
			.reason = unable_of(index, abilities, probe_presets[i].spec),
		};

		err = target_index_add(index, &name);
	}
	if (err)
		target_index_destroy(index);
	*out = err ? NULL : index;
	return err;
}

static void load_leftovers(struct target_loader *loader)
{
	struct target_index *index;
	struct diag why = { .err = 0 };
	int err = target_events_load_leftovers(&index, &why);

	hand_over_source(loader, index, err, &why, "leftover events");
}

static void load_system(struct target_loader *loader)
{
	struct target_index *index;
	struct diag why = { .err = 0 };
	int err;

	if (!loader->config.abilities) {
		probe_abilities_try(&loader->abilities);
		loader->config.abilities = &loader->abilities;
	}
	err = load_presets(&index, loader->config.abilities);
	hand_over_source(loader, index, err, &why, "presets");
	load_leftovers(loader);
	why.err = 0;
	err = target_events_load_tracepoints(&index, loader->config.abilities, &why);
	hand_over_source(loader, index, err, &why, "tracepoints");
	why.err = 0;
	err = target_kernel_load(&index, loader->config.abilities,
				 &loader->service->is_stopping, &why);
	hand_over_source(loader, index, err, &why, "kernel functions");
	target_objects_list(&loader->objects, loader->config.pid, &loader->service->is_stopping);
	loader->next_object = 0;
}

static void hand_over_names(struct target_loader *loader, struct target_index *functions,
			    struct target_index *marks)
{
	const struct target_loaded both[] = { { .index = marks }, { .index = functions } };

	for (size_t i = 0; i < 2; i++)
		if (both[i].index)
			hand_over(loader, &both[i]);
}

static void load_next_object(struct target_loader *loader)
{
	const struct target_object *object = &loader->objects.rows[loader->next_object++];
	struct target_index *functions, *marks;
	struct diag why = { .err = 0 };

	if (target_objects_load(object, loader->config.sandbox, loader->config.abilities,
				&functions, &marks, &why))
		log_note("finder: %s: %s", object->mapping.path, why.text);
	if (object->pid == loader->config.pid && functions)
		target_index_prefer(functions);
	if (object->pid == loader->config.pid && marks)
		target_index_prefer(marks);
	hand_over_names(loader, functions, marks);
	if (loader->next_object < loader->objects.count && loader->bytes < NAMES_MAX_BYTES)
		return;
	target_objects_finish(&loader->objects);
	hand_over_end(loader, "", "");
}

static void load_path(struct target_loader *loader, const char *path)
{
	struct target_index *functions, *marks;
	struct diag why = { .err = 0 };

	target_objects_load_path(path, loader->config.sandbox, loader->config.abilities,
				 &functions, &marks, &why);
	hand_over_names(loader, functions, marks);
	hand_over_end(loader, path, why.err ? why.text : "");
}

static void carry_out(struct target_loader *loader, const struct order *order)
{
	if (order->path[0]) {
		load_path(loader, order->path);
		return;
	}
	if (order->is_of_leftovers)
		load_leftovers(loader);
	else
		load_system(loader);
	if (order->is_of_leftovers || !loader->objects.count)
		hand_over_end(loader, "", "");
}

static int serve(void *owner)
{
	struct target_loader *loader = owner;
	const struct order *order;
	size_t bytes;

	order = spsc_peek(&loader->service->requests, &bytes);
	if (order) {
		carry_out(loader, order);
		spsc_release(&loader->service->requests);
	} else if (loader->objects.count) {
		load_next_object(loader);
	} else {
		return SERVICE_SLEEP;
	}
	return SERVICE_AGAIN;
}

static void interrupt(void *owner)
{
	struct target_loader *loader = owner;

	sandbox_cancel(loader->config.sandbox);
}

int target_loader_create(struct target_loader **out, const struct target_finder_config *config,
			 void (*wake)(void *context), void *context, struct diag *why)
{
	struct target_loader *loader = calloc(1, sizeof(*loader));
	const struct service_plan plan = {
		.name = "flametop-names", .request_bytes = ORDER_BYTES,
		.reply_bytes = LOADED_BYTES, .serve = serve, .interrupt = interrupt,
		.may_hang = true, .owner = loader,
	};
	int err;

	*out = NULL;
	if (!loader)
		return diag_set(why, -ENOMEM, "no memory to find targets of probes");
	loader->config = *config;
	loader->wake = wake;
	loader->context = context;
	err = service_create(&loader->service, &plan);
	if (err) {
		free(loader);
		return diag_set(why, err, "cannot start the thread that lists targets of probes: "
				"%s", strerror(-err));
	}
	*out = loader;
	return 0;
}

bool target_loader_destroy(struct target_loader *loader)
{
	struct target_loaded loaded;

	if (!loader)
		return true;
	if (!service_stop(loader->service))
		return false;
	while (target_loader_take(loader, &loaded))
		target_index_destroy(loaded.index);
	service_destroy(loader->service);
	target_objects_finish(&loader->objects);
	free(loader);
	return true;
}

static bool put_order(struct target_loader *loader, const char *path, bool is_of_leftovers)
{
	struct order *order = spsc_reserve(&loader->service->requests, sizeof(*order));

	if (!order)
		return false;
	order->is_of_leftovers = is_of_leftovers;
	snprintf(order->path, sizeof(order->path), "%s", path);
	spsc_commit(&loader->service->requests);
	service_wake(loader->service);
	return true;
}

bool target_loader_order(struct target_loader *loader, const char *path)
{
	return put_order(loader, path, false);
}

bool target_loader_order_leftovers(struct target_loader *loader)
{
	return put_order(loader, "", true);
}

bool target_loader_take(struct target_loader *loader, struct target_loaded *out)
{
	const struct target_loaded *loaded;
	size_t bytes;

	loaded = spsc_peek(&loader->service->replies, &bytes);
	if (!loaded)
		return false;
	*out = *loaded;
	spsc_release(&loader->service->replies);
	return true;
}
