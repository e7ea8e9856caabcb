/* probe_dump.c - prints what probe_places_find() finds, for check_probe_places.
 *
 * usage: probe_dump KIND EDGE FILE GROUP FUNCTION OFFSET SOURCE LINE PID [VALUE[:TYPE]]...
 *        KIND k u t U, EDGE e r l; "-" for what is not there
 *
 * place NAME | PATH | VERDICT | REASON
 * site OFFSET SYMBOL INLINED COST
 * value NAME | TYPE | FETCH | REASON | ORIGIN         offered ...     the same
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe_places.h"

static void copy(char *out, size_t room, const char *text)
{
	snprintf(out, room, "%s", strcmp(text, "-") ? text : "");
}

static void fill_argument(struct probe_argument *out, const char *text)
{
	const char *colon = strchr(text, ':');

	snprintf(out->value, sizeof(out->value), "%.*s",
		 colon ? (int)(colon - text) : (int)strlen(text), text);
	snprintf(out->name, sizeof(out->name), "%.*s", (int)strcspn(text, ":"), text);
	copy(out->type, sizeof(out->type), colon ? colon + 1 : "");
}

static void fill_spec(struct probe_spec *spec, char **words, int count)
{
	spec->kind = words[0][0] == 'k'	  ? PROBE_KERNEL
		     : words[0][0] == 'u' ? PROBE_USER
		     : words[0][0] == 't' ? PROBE_TRACEPOINT
					  : PROBE_USDT;
	spec->edge = words[1][0] == 'e'	  ? PROBE_ENTRY
		     : words[1][0] == 'r' ? PROBE_RETURN
					  : PROBE_LATENCY;
	copy(spec->file, sizeof(spec->file), words[2]);
	copy(spec->group, sizeof(spec->group), words[3]);
	copy(spec->function, sizeof(spec->function), words[4]);
	spec->is_wildcard = strpbrk(spec->function, "*?") != NULL;
	spec->offset = strtoull(words[5], NULL, 0);
	copy(spec->source, sizeof(spec->source), words[6]);
	spec->line = (uint32_t)strtoul(words[7], NULL, 0);
	for (int i = 9; i < count && spec->argument_count < PROBE_ARGUMENTS_MAX; i++)
		fill_argument(&spec->arguments[spec->argument_count++], words[i]);
}

static void print_fetch(const char *what, const struct probe_fetch *fetch)
{
	static const char *const origins[] = { "typed", "dwarf", "btf", "abi", "format", "note" };

	printf("%s %s | %s | %s | %s | %s%s\n", what, fetch->name, fetch->type, fetch->fetch,
	       fetch->reason, origins[fetch->origin], fetch->is_return ? " return" : "");
}

static void print_place(const struct probe_places *place)
{
	static const char *const verdicts[] = { "ok", "costly", "asks", "refused", "unable" };

	printf("place %s | %s | %s | %s\n", place->spec.function, place->path,
	       verdicts[place->verdict], place->reason);
	for (uint32_t i = 0; i < place->site_count; i++) {
		const struct probe_site *site = &place->sites[i];

		printf("site %#" PRIx64 " %s %s %u\n", site->offset, site->symbol,
		       site->is_inlined ? "inlined" : "own", site->cost_ns);
		for (uint32_t k = 0; k < site->value_count; k++)
			print_fetch("value", &site->values[k]);
	}
	for (uint32_t i = 0; i < place->offered_count; i++)
		print_fetch("offered", &place->offered[i]);
}

int main(int count, char **words)
{
	struct probe_finder_of_places *finder = NULL;
	struct probe_places *places = NULL;
	struct sandbox *sandbox = NULL;
	struct probe_spec *spec = calloc(1, sizeof(*spec));
	struct diag why = { .err = 0 };
	uint32_t found = 0;
	int err;

	if (count < 10 || !spec) {
		fprintf(stderr, "usage: see the head of probe_dump.c\n");
		return 2;
	}
	fill_spec(spec, words + 1, count - 1);
	err = sandbox_start(&sandbox, &why);
	if (!err)
		err = probe_places_open(&finder, sandbox, &why);
	if (!err)
		err = probe_places_find(finder, spec, atoi(words[9]), &places, &found, &why);
	if (err)
		printf("error %d %s\n", err, why.text);
	for (uint32_t i = 0; i < found; i++)
		print_place(&places[i]);
	probe_places_free(places, found);
	probe_places_close(finder);
	sandbox_stop(sandbox);
	free(spec);
	return err ? 1 : 0;
}
