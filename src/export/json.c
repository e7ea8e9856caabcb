/* json.c - see export/json.h. What is not in the key, or not known, is null: absent is not zero. */
#include "export/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize.h"
#include "export/json_groups.h"
#include "export/json_probes.h"
#include "export/json_text.h"
#include "export/row_changes.h"

static void put_string_or_null(FILE *out, bool is_there, const char *text)
{
	if (is_there)
		json_put_string(out, text);
	else
		fputs("null", out);
}

static void put_number_or_null(FILE *out, bool is_there, int64_t number)
{
	if (is_there)
		fprintf(out, "%" PRId64, number);
	else
		fputs("null", out);
}

static void put_symbol(FILE *out, const struct snapshot_row *row, bool is_named)
{
	fputs(",\"symbol\":", out);
	put_string_or_null(out, is_named, row->symbol);
	fputs(",\"raw_symbol\":", out);
	put_string_or_null(out, is_named, row->raw_symbol);
	fprintf(out, ",\"synthetic\":%s",
		!is_named ? "null" : row->is_synthetic ? "true" : "false");
}

static void put_code(FILE *out, const struct snapshot_row *row, unsigned int keys)
{
	/* Functions of one name in several objects have no address in common. */
	const bool has_one = (keys & KEY_OBJECT) || row->state != SYMBOL_NAMED;
	const bool has_address = (keys & KEY_ADDRESS) || ((keys & KEY_SYMBOL) && has_one &&
							  row->state != SYMBOL_LOADING);

	fputs(",\"dso\":", out);
	put_string_or_null(out, keys & KEY_OBJECT, row->object_path);
	fputs(",\"build_id\":", out);
	put_string_or_null(out, (keys & KEY_OBJECT) && row->build_id[0], row->build_id);
	put_symbol(out, row, (keys & KEY_SYMBOL) && row->state == SYMBOL_NAMED);
	fputs(",\"unreadable\":", out);
	put_string_or_null(out, row->reason[0], row->reason);
	fputs(",\"address\":", out);
	if (has_address)
		fprintf(out, "\"0x%" PRIx64 "\"", row->address);
	else
		fputs("null", out);
	fputs(",\"level\":", out);
	if (keys & (KEY_OBJECT | KEY_SYMBOL | KEY_ADDRESS))
		fprintf(out, "\"%c\"", snapshot_level(row->mode));
	else
		fputs("null", out);
}

static void put_pct_or_null(FILE *out, double pct)
{
	if (pct < 0)
		fputs("null", out);
	else
		fprintf(out, "%.1f", pct);
}

/* Each null: in none, all: unknown. */
static void put_cgroup(FILE *out, const struct snapshot_row *row)
{
	fputs(",\"cgroup\":", out);
	put_string_or_null(out, row->cgroup[0], row->cgroup);
	fputs(",\"unit\":", out);
	put_string_or_null(out, row->unit[0], row->unit);
	fputs(",\"container\":", out);
	put_string_or_null(out, row->container[0], row->container);
	fputs(",\"pod\":", out);
	put_string_or_null(out, row->pod[0], row->pod);
}

/* Of rows that stand for tasks, or for a CPU: what the kernel says of them besides samples. */
static void put_load(FILE *out, const struct snapshot_row *row, unsigned int keys)
{
	const char state[] = { row->task_state, '\0' };

	if (keys & KEY_PID) {
		fputs(",\"state\":", out);
		put_string_or_null(out, row->task_state, state);
		fputs(",\"cpu_pct\":", out);
		put_pct_or_null(out, row->cpu_pct);
		fputs(",\"threads\":", out);
		put_number_or_null(out, row->threads, row->threads);
		fputs(",\"command_line\":", out);
		put_string_or_null(out, row->command_line[0], row->command_line);
	}
	if (keys == KEY_CPU) {
		fputs(",\"busy_pct\":", out);
		put_pct_or_null(out, row->busy_pct);
	}
}

/* The same figures in the baseline. */
static void put_base(FILE *out, const struct snapshot *snapshot, const struct snapshot_row *row)
{
	static const char *const changes[] = { [ROW_IN_BOTH] = "null", [ROW_NEW] = "\"new\"",
					       [ROW_GONE] = "\"gone\"" };

	fprintf(out, ",\"base_self\":%" PRIu64 ",\"base_total\":%" PRIu64,
		row->base_self_samples, row->base_total_samples);
	fprintf(out, ",\"base_self_pct\":%.4f,\"base_total_pct\":%.4f",
		row_changes_base_pct(snapshot, row->base_self_weight),
		row_changes_base_pct(snapshot, row->base_total_weight));
	fprintf(out, ",\"base_self_period\":%.0f,\"base_total_period\":%.0f",
		row->base_self_weight, row->base_total_weight);
	fprintf(out, ",\"change\":%s", changes[row_changes_presence(row)]);
}

static void put_row(FILE *out, const struct snapshot *snapshot, const struct snapshot_row *row,
		    bool has_source)
{
	const unsigned int keys = snapshot->keys;

	fprintf(out, "{\"self\":%" PRIu64 ",\"total\":%" PRIu64, row->self_samples,
		row->total_samples);
	fprintf(out, ",\"self_pct\":%.4f,\"total_pct\":%.4f",
		snapshot_pct(snapshot, row->self_weight),
		snapshot_pct(snapshot, row->total_weight));
	fprintf(out, ",\"self_period\":%.0f,\"total_period\":%.0f", row->self_weight,
		row->total_weight);
	fputs(",\"comm\":", out);
	put_string_or_null(out, keys & KEY_COMM, row->comm);
	fputs(",\"pid\":", out);
	put_number_or_null(out, keys & KEY_PID, row->pid);
	fputs(",\"tid\":", out);
	put_number_or_null(out, keys & KEY_TID, row->tid);
	fputs(",\"cpu\":", out);
	put_number_or_null(out, (keys & KEY_CPU) && row->cpu >= 0, row->cpu);
	put_code(out, row, keys);
	if (has_source) {
		fputs(",\"source\":", out);
		put_string_or_null(out, row->source[0], row->source);
	}
	if (keys & (KEY_PID | KEY_TID))
		put_cgroup(out, row);
	put_load(out, row, keys);
	if (snapshot->is_compared)
		put_base(out, snapshot, row);
	fprintf(out, ",\"idle\":%s}", row->is_idle ? "true" : "false");
}

static void put_head(FILE *out, const struct snapshot *snapshot)
{
	fprintf(out, "{\"time_ns\":%" PRIu64 ",\"host\":", snapshot->time_ns);
	json_put_string(out, snapshot->host);
	fputs(",\"event\":", out);
	json_put_string(out, snapshot->event);
	fputs(",\"freq_hz\":", out);
	put_number_or_null(out, snapshot->freq_hz, (int64_t)snapshot->freq_hz);
	fputs(",\"period\":", out);
	put_number_or_null(out, snapshot->fixed_period, (int64_t)snapshot->fixed_period);
	fputs(",\"target\":", out);
	json_put_string(out, snapshot->target);
	fprintf(out, ",\"window_s\":%.3f,\"samples\":%" PRIu64 ",\"samples_per_s\":%.1f",
		snapshot->window_s, snapshot->samples, snapshot->samples_per_s);
	fputs(",\"busy_pct\":", out);
	put_pct_or_null(out, snapshot->busy_pct);
	fprintf(out, ",\"idle_samples\":%" PRIu64 ",\"unresolved\":%" PRIu64,
		snapshot->idle_samples, snapshot->unresolved);
	fprintf(out, ",\"own_cpu_pct\":%.2f,\"own_rss_bytes\":%" PRIu64, snapshot->own_cpu_pct,
		snapshot->own_rss_bytes);
}

static void put_stacks(FILE *out, const struct snapshot *snapshot)
{
	static const char *const kinds[] = { [STACKS_CHAINED] = "fp", [STACKS_COPIED] = "copies",
					     [STACKS_OFF] = "off" };
	const bool is_copied = snapshot->stacks == STACKS_COPIED;

	fprintf(out, ",\"stacks\":{\"kind\":\"%s\",\"copy_bytes\":", kinds[snapshot->stacks]);
	put_number_or_null(out, is_copied && snapshot->stack_copy_bytes > 0,
			   snapshot->stack_copy_bytes);
	fputs(",\"user\":", out);
	put_number_or_null(out, is_copied, (int64_t)snapshot->user_stacks);
	fputs(",\"complete\":", out);
	put_number_or_null(out, is_copied, (int64_t)snapshot->complete_stacks);
	fputs(",\"cut\":", out);
	put_number_or_null(out, is_copied, (int64_t)snapshot->cut_stacks);
	putc('}', out);
}

static void put_losses(FILE *out, const struct snapshot *snapshot)
{
	fprintf(out,
		",\"lost\":{\"kernel\":%" PRIu64 ",\"malformed\":%" PRIu64 ",\"late\":%" PRIu64 "}",
		snapshot->lost_kernel, snapshot->lost_malformed, snapshot->lost_late);
	fprintf(out, ",\"stalled_rounds\":%" PRIu64 ",\"throttled_ns\":%" PRIu64,
		snapshot->stalled_rounds, snapshot->throttled_ns);
	fprintf(out, ",\"truncated_stacks\":%" PRIu64 ",\"unattributed\":%" PRIu64,
		snapshot->truncated_stacks, snapshot->unattributed);
	fprintf(out, ",\"unknown_uid\":%" PRIu64 ",\"evicted\":%" PRIu64 ",\"notice\":",
		snapshot->filtered_unknown_uid, snapshot->evicted_samples);
	put_string_or_null(out, snapshot->notice[0], snapshot->notice);
}

static const char *field_name(enum filter_field field)
{
	switch (field) {
	case FILTER_TEXT:    return "text";
	case FILTER_COMMAND: return "comm";
	case FILTER_OBJECT:  return "dso";
	case FILTER_SYMBOL:  return "symbol";
	case FILTER_PID:     return "pid";
	case FILTER_TID:     return "tid";
	case FILTER_CPU:     return "cpu";
	case FILTER_CGROUP:  return "cgroup";
	case FILTER_UNIT:    return "unit";
	case FILTER_CONTAINER: return "container";
	case FILTER_POD:     return "pod";
	case FILTER_KERNEL:  return "kernel";
	case FILTER_USER:    break;
	}
	return "user";
}

/* What a part compares with, typed by the user as it may be. */
static void put_part(FILE *out, const struct filter_part *part)
{
	char text[12 * FILTER_TEXT_BYTES];	/* the worst: "<U+NNNN>" per byte */

	fprintf(out, "{\"field\":\"%s\",\"negated\":%s", field_name(part->field),
		part->is_negated ? "true" : "false");
	switch (part->field) {
	case FILTER_TEXT:
	case FILTER_COMMAND:
	case FILTER_OBJECT:
	case FILTER_SYMBOL:
	case FILTER_CGROUP:
	case FILTER_UNIT:
	case FILTER_CONTAINER:
	case FILTER_POD:
		sanitize_text(text, sizeof(text), part->text, strlen(part->text));
		fputs(",\"value\":", out);
		json_put_string(out, text);
		break;
	case FILTER_PID:
	case FILTER_TID:
	case FILTER_CPU:
		fprintf(out, ",\"value\":%" PRIu64, part->number);
		break;
	case FILTER_KERNEL:
	case FILTER_USER:
		break;
	}
	putc('}', out);
}

static void put_filter(FILE *out, const struct snapshot *snapshot, const struct filter *filter)
{
	fprintf(out, ",\"shown_samples\":%" PRIu64 ",\"filter\":[", snapshot->shown_samples);
	for (uint32_t i = 0; i < filter->count; i++) {
		if (i)
			putc(',', out);
		put_part(out, &filter->parts[i]);
	}
	putc(']', out);
}

/* What the rows are compared with. There is one, but not of this event: null. */
static void put_baseline(FILE *out, const struct snapshot *snapshot)
{
	const struct snapshot_baseline *baseline = &snapshot->baseline;

	if (!snapshot->has_baseline)
		return;
	fputs(",\"baseline\":", out);
	if (!snapshot->is_compared) {
		fputs("null", out);
		return;
	}
	fputs("{\"label\":", out);
	put_string_or_null(out, baseline->label[0], baseline->label);
	fprintf(out, ",\"begin_ns\":%" PRIu64 ",\"end_ns\":%" PRIu64 ",\"window_s\":%.3f",
		baseline->begin_ns, baseline->end_ns, baseline->window_s);
	fprintf(out, ",\"samples\":%" PRIu64 ",\"samples_per_s\":%.1f,\"period\":%.0f}",
		baseline->samples, row_changes_per_s(baseline->samples, baseline->window_s),
		baseline->weight);
}

static void put_rows(FILE *out, const struct snapshot *snapshot,
		     const struct export_options *options, const size_t *order)
{
	size_t written = 0;

	for (size_t i = 0; i < snapshot->row_count && written < options->max_rows; i++) {
		const struct snapshot_row *row = &snapshot->rows[order ? order[i] : i];

		if (row->is_idle && !options->show_idle)
			continue;
		if (written++)
			putc(',', out);
		put_row(out, snapshot, row, options->has_source);
	}
}

void json_write(FILE *out, const struct snapshot *snapshot, const struct export_options *options)
{
	size_t *order = NULL;	/* without memory: as they stand */

	if (snapshot->is_compared)
		order = row_changes_order(snapshot, options->by_total);
	put_head(out, snapshot);
	put_stacks(out, snapshot);
	put_losses(out, snapshot);
	put_filter(out, snapshot, &options->filter);
	put_baseline(out, snapshot);
	fputs(",\"rows\":[", out);
	put_rows(out, snapshot, options, order);
	putc(']', out);
	json_put_groups(out, &snapshot->groups, options->max_rows);
	json_put_probes(out, &snapshot->probes);
	fputs("}\n", out);
	free(order);
}
