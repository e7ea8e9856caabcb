/* probe_dump.c - prints what probe_resolver_find() finds, for check_probe_points.
 *
 * usage: probe_dump SPEC [PID]
 *
 * place NAME | PATH | VERDICT | REASON
 * site OFFSET SYMBOL own|inlined COST
 * value NAME | TYPE | FETCH | REASON | ORIGIN         offered ...     the same
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "elf/file_jobs.h"
#include "probe/probe_point.h"

static void print_fetch(const char *what, const struct probe_fetch *fetch)
{
	static const char *const origins[] = { "typed", "dwarf", "btf", "abi", "format", "note" };

	printf("%s %s | %s | %s | %s | %s%s\n", what, fetch->name, fetch->type, fetch->fetch,
	       fetch->reason, origins[fetch->origin], fetch->is_return ? " return" : "");
}

static void print_place(const struct probe_point *place)
{
	static const char *const verdicts[] = { "ok", "costly", "asks", "refused", "unable" };

	printf("place %s | %s | %s | %s\n", place->spec.function, place->path,
	       verdicts[place->verdict], place->reason);
	for (uint32_t i = 0; i < place->site_count; i++) {
		const struct probe_site *site = &place->sites[i];

		printf("site %#" PRIx64 " %s %s\n", site->offset,
		       site->symbol[0] ? site->symbol : "-",
		       site->is_inlined ? "inlined" : "own");
		for (uint32_t k = 0; k < site->value_count; k++)
			print_fetch("value", &site->values[k]);
	}
	for (uint32_t i = 0; i < place->offered_count; i++)
		print_fetch("offered", &place->offered[i]);
}

int main(int count, char **words)
{
	struct probe_resolver *finder = NULL;
	struct probe_point *places = NULL;
	struct sandbox *sandbox = NULL;
	struct probe_spec *spec = calloc(1, sizeof(*spec));
	struct diag why = { .err = 0 };
	uint32_t found = 0;
	int err, pid = count > 2 ? atoi(words[2]) : 0;

	if (count < 2 || !spec) {
		fprintf(stderr, "usage: probe_dump SPEC [PID]\n");
		return 2;
	}
	err = probe_spec_parse(spec, words[1], &why);
	if (!err)
		err = sandbox_start(&sandbox, worker_run, &why);
	if (!err)
		err = probe_resolver_create(&finder, sandbox, &why);
	if (!err)
		err = probe_resolver_find(finder, spec, pid, &places, &found, &why);
	if (err)
		printf("error %d %s\n", err, why.text);
	for (uint32_t i = 0; i < found; i++)
		print_place(&places[i]);
	probe_point_free(places, found);
	probe_resolver_destroy(finder);
	sandbox_stop(sandbox);
	free(spec);
	return err ? 1 : 0;
}
