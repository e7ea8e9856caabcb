/* perf_rows.c - has `perf script --dlfilter` write down what perf itself makes of each sample.
 *
 * perf script's text gives a raw address in some layouts and one inside of the DSO in others;
 * here it is always both. One line per sample to the file of --dlarg:
 *   event TAB comm TAB pid TAB tid TAB mode TAB ip TAB address in the DSO TAB period TAB
 *   DSO TAB symbol TAB cpu TAB time in ns     (DSO and symbol empty when unknown)
 *
 * Source: perf-dlfilter(1). Built by replay_vs_perf.py: cc -shared -fPIC.
 */
#include <perf/perf_dlfilter.h>
#include <stdio.h>

struct perf_dlfilter_fns perf_dlfilter_fns;

int start(void **data, void *ctx)
{
	int count = 0;
	char **args = perf_dlfilter_fns.args(ctx, &count);

	if (count != 1)
		return -1;
	*data = fopen(args[0], "w");
	return *data ? 0 : -1;
}

int filter_event(void *data, const struct perf_dlfilter_sample *sample, void *ctx)
{
	const struct perf_dlfilter_al *al = perf_dlfilter_fns.resolve_ip(ctx);

	if (!al)
		return -1;
	fprintf(data, "%s\t%s\t%d\t%d\t%u\t%llx\t%llx\t%llu\t%s\t%s\t%d\t%llu\n",
		sample->event, al->comm, sample->pid, sample->tid,
		sample->misc & PERF_RECORD_MISC_CPUMODE_MASK, sample->ip, al->addr, sample->period,
		al->dso ? al->dso : "", al->sym ? al->sym : "", sample->cpu, sample->time);
	return 1;	/* perf prints nothing itself */
}

int stop(void *data, void *ctx)
{
	(void)ctx;
	return data ? fclose(data) : 0;
}
