/* json.c - see export/json.h. A value not in the key, or unknown, is null: absent is not zero. */
#include "export/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe_print.h"
#include "export/row_changes.h"
#include "json_groups.h"
#include "json_probes.h"
#include "json_shares.h"
#include "json_text.h"

static void put_string_or_null(FILE *out, bool is_there, const char *text)
{
	if (is_there)
		json_put_string(out, sanitize_checked(text));
	else
		safe_put(out, "null");
}

static void put_number_or_null(FILE *out, bool is_there, int64_t number)
{
	if (is_there)
		safe_print(out, "%" PRId64, number);
	else
		safe_put(out, "null");
}

static void put_symbol(FILE *out, const struct snapshot_row *row, bool is_named)
{
	safe_put(out, ",\"symbol\":");
	put_string_or_null(out, is_named, row->symbol);
	safe_put(out, ",\"raw_symbol\":");
	put_string_or_null(out, is_named, row->raw_symbol);
	safe_print(out, ",\"synthetic\":%s",
		   !is_named ? SAFE_TEXT("null") : row->is_synthetic ? SAFE_TEXT("true")
								     : SAFE_TEXT("false"));
}

static void put_code(FILE *out, const struct snapshot_row *row, unsigned int keys)
{
	/* Functions of one name in several objects have no address in common. */
	const bool has_one = (keys & KEY_OBJECT) || row->state != SYMBOL_NAMED;
	const bool has_address = (keys & KEY_ADDRESS) || ((keys & KEY_SYMBOL) && has_one &&
							  row->state != SYMBOL_LOADING &&
							  row->state != SYMBOL_NO_MAP);

	safe_put(out, ",\"dso\":");
	put_string_or_null(out, keys & KEY_OBJECT, row->object_path);
	safe_put(out, ",\"build_id\":");
	put_string_or_null(out, (keys & KEY_OBJECT) && row->build_id[0], row->build_id);
	put_symbol(out, row, (keys & KEY_SYMBOL) && (row->state == SYMBOL_NAMED ||
						     row->state == SYMBOL_NO_MAP));
	safe_put(out, ",\"unreadable\":");
	put_string_or_null(out, row->reason[0], row->reason);
	safe_put(out, ",\"address\":");
	if (has_address)
		safe_print(out, "\"0x%" PRIx64 "\"", row->address);
	else
		safe_put(out, "null");
	safe_put(out, ",\"level\":");
	if (keys & (KEY_OBJECT | KEY_SYMBOL | KEY_ADDRESS))
		safe_print(out, "\"%c\"", snapshot_level(row->mode));
	else
		safe_put(out, "null");
}

static void put_tenths_or_null(FILE *out, double pct)
{
	if (pct < 0)
		safe_put(out, "null");
	else
		safe_print(out, "%.1f", pct);
}

/* Each null: in none, all: unknown. */
static void put_cgroup(FILE *out, const struct snapshot_row *row)
{
	safe_put(out, ",\"cgroup\":");
	put_string_or_null(out, row->cgroup[0], row->cgroup);
	safe_put(out, ",\"unit\":");
	put_string_or_null(out, row->unit[0], row->unit);
	safe_put(out, ",\"container\":");
	put_string_or_null(out, row->container[0], row->container);
	safe_put(out, ",\"pod\":");
	put_string_or_null(out, row->pod[0], row->pod);
}

/* Writes the stats from /proc, in rows keyed by tasks or by CPU. */
static void put_load(FILE *out, const struct snapshot_row *row, unsigned int keys)
{
	const char state[] = { row->task_state, '\0' };

	if (keys & KEY_PID) {
		safe_put(out, ",\"state\":");
		put_string_or_null(out, row->task_state, state);
		safe_put(out, ",\"cpu_pct\":");
		put_tenths_or_null(out, row->cpu_pct);
		safe_put(out, ",\"threads\":");
		put_number_or_null(out, row->threads, row->threads);
		safe_put(out, ",\"command_line\":");
		put_string_or_null(out, row->command_line[0], row->command_line);
	}
	if (keys == KEY_CPU) {
		safe_put(out, ",\"busy_pct\":");
		put_tenths_or_null(out, row->busy_pct);
	}
}

/* Writes the row's stats in the baseline. */
static void put_base(FILE *out, const struct snapshot *snapshot, const struct snapshot_row *row)
{
	static const char *const changes[] = { [ROW_IN_BOTH] = "null", [ROW_NEW] = "\"new\"",
					       [ROW_GONE] = "\"gone\"" };
	const struct json_shares shares = {
		.self_samples = row->base_self_samples, .total_samples = row->base_total_samples,
		.self_pct = row->is_idle ? -1
					 : row_changes_base_pct(snapshot, row->base_self_weight),
		.total_pct = row->is_idle ? -1
					  : row_changes_base_pct(snapshot, row->base_total_weight),
		.self_period = row->base_self_weight, .total_period = row->base_total_weight,
	};

	safe_put(out, ",");
	json_put_shares(out, SAFE_TEXT("base_"), &shares);
	safe_print(out, ",\"change\":%s", sanitize_checked(changes[row_changes_presence(row)]));
}

static void put_row(FILE *out, const struct snapshot *snapshot, const struct snapshot_row *row,
		    bool has_source)
{
	const unsigned int keys = snapshot->keys;
	const struct json_shares shares = {
		.self_samples = row->self_samples, .total_samples = row->total_samples,
		.self_pct = row->is_idle ? -1 : snapshot_pct(snapshot, row->self_weight),
		.total_pct = row->is_idle ? -1 : snapshot_pct(snapshot, row->total_weight),
		.self_period = row->self_weight, .total_period = row->total_weight,
	};

	safe_put(out, "{");
	json_put_shares(out, SAFE_TEXT(""), &shares);
	safe_put(out, ",\"comm\":");
	put_string_or_null(out, keys & KEY_COMM, row->comm);
	safe_put(out, ",\"pid\":");
	put_number_or_null(out, keys & KEY_PID, row->pid);
	safe_put(out, ",\"tid\":");
	put_number_or_null(out, keys & KEY_TID, row->tid);
	safe_put(out, ",\"cpu\":");
	put_number_or_null(out, (keys & KEY_CPU) && row->cpu >= 0, row->cpu);
	put_code(out, row, keys);
	if (has_source) {
		safe_put(out, ",\"source\":");
		put_string_or_null(out, row->source[0], row->source);
	}
	if (keys & (KEY_PID | KEY_TID))
		put_cgroup(out, row);
	put_load(out, row, keys);
	if (snapshot->is_compared)
		put_base(out, snapshot, row);
	safe_print(out, ",\"idle\":%s}", row->is_idle ? SAFE_TEXT("true") : SAFE_TEXT("false"));
}

static void put_head(FILE *out, const struct snapshot *snapshot)
{
	safe_print(out, "{\"time_ns\":%" PRIu64 ",\"host\":", snapshot->time_ns);
	json_put_string(out, sanitize_checked(snapshot->host));
	safe_put(out, ",\"event\":");
	json_put_string(out, sanitize_checked(snapshot->event));
	safe_put(out, ",\"freq_hz\":");
	put_number_or_null(out, snapshot->freq_hz, (int64_t)snapshot->freq_hz);
	safe_put(out, ",\"period\":");
	put_number_or_null(out, snapshot->fixed_period, (int64_t)snapshot->fixed_period);
	safe_put(out, ",\"target\":");
	json_put_string(out, sanitize_checked(snapshot->target));
	safe_print(out, ",\"window_s\":%.3f,\"samples\":%" PRIu64 ",\"samples_per_s\":",
		   snapshot->window_s, snapshot->samples);
	put_tenths_or_null(out, snapshot->samples_per_s);
	safe_put(out, ",\"busy_pct\":");
	put_tenths_or_null(out, snapshot->busy_pct);
	safe_print(out, ",\"idle_samples\":%" PRIu64 ",\"unresolved\":%" PRIu64,
		   snapshot->idle_samples, snapshot->unresolved);
	safe_print(out, ",\"own_cpu_pct\":%.2f,\"own_rss_bytes\":%" PRIu64, snapshot->own_cpu_pct,
		   snapshot->own_rss_bytes);
}

static void put_stacks(FILE *out, const struct snapshot *snapshot)
{
	static const char *const kinds[] = { [STACKS_CHAINED] = "fp", [STACKS_COPIED] = "copies",
					     [STACKS_OFF] = "off" };
	const bool is_copied = snapshot->stacks == STACKS_COPIED;

	safe_print(out, ",\"stacks\":{\"kind\":\"%s\",\"copy_bytes\":",
		   sanitize_checked(kinds[snapshot->stacks]));
	put_number_or_null(out, is_copied && snapshot->stack_copy_bytes > 0,
			   snapshot->stack_copy_bytes);
	safe_put(out, ",\"user\":");
	put_number_or_null(out, is_copied, (int64_t)snapshot->user_stacks);
	safe_put(out, ",\"complete\":");
	put_number_or_null(out, is_copied, (int64_t)snapshot->complete_stacks);
	safe_put(out, ",\"cut\":");
	put_number_or_null(out, is_copied, (int64_t)snapshot->cut_stacks);
	safe_put(out, "}");
}

/* Writes the process with most losses of a cause, if there is one. */
static void put_process(FILE *out, const struct loss_process *process)
{
	if (!process->pid)
		return;
	safe_print(out, ",\"mostly_in\":{\"pid\":%" PRIu32 ",\"program\":", process->pid);
	json_put_string(out, sanitize_checked(process->program));
	safe_put(out, "}");
}

/* All causes; what the kernel does not count, or nobody has kept, is null. */
static void put_ledger(FILE *out, const struct loss_ledger *ledger)
{
	safe_put(out, ",\"losses\":");
	if (!ledger->is_set) {
		safe_put(out, "null");
		return;
	}
	for (size_t cause = 0; cause < LOSS_CAUSES; cause++) {
		const struct loss_count *count = &ledger->counts[cause];

		safe_print(out, "%c\"%s%s\":{\"since_start\":", (char)(cause ? ',' : '{'),
			   sanitize_checked(loss_descriptions[cause].name),
			   sanitize_checked(loss_descriptions[cause].is_time ? "_ns" : ""));
		put_number_or_null(out, count->has_start, (int64_t)count->since_start);
		safe_put(out, ",\"in_window\":");
		put_number_or_null(out, count->has_window, (int64_t)count->in_window);
		put_process(out, &ledger->processes[cause]);
		safe_put(out, "}");
	}
	safe_put(out, "}");
}

static void put_losses(FILE *out, const struct snapshot *snapshot)
{
	safe_print(out,
		   ",\"lost\":{\"kernel\":%" PRIu64 ",\"malformed\":%" PRIu64
		   ",\"late\":%" PRIu64 "}",
		   snapshot->lost_kernel, snapshot->lost_malformed, snapshot->lost_late);
	safe_print(out, ",\"stalled_rounds\":%" PRIu64 ",\"throttled_ns\":%" PRIu64,
		   snapshot->stalled_rounds, snapshot->throttled_ns);
	safe_print(out, ",\"truncated_stacks\":%" PRIu64 ",\"unattributed\":%" PRIu64,
		   snapshot->truncated_stacks, snapshot->unattributed);
	safe_print(out, ",\"unknown_uid\":%" PRIu64 ",\"evicted\":%" PRIu64,
		   snapshot->filtered_unknown_uid, snapshot->evicted_samples);
	put_ledger(out, &snapshot->ledger);
	safe_put(out, ",\"notice\":");
	if (snapshot->notice[0])
		json_put_lines(out, snapshot->notice);
	else
		safe_put(out, "null");
}

static void put_absent(FILE *out, const struct snapshot *snapshot)
{
	const char *at = snapshot->absent_events;
	struct snapshot_absence absence;
	char text[JSON_LINE_BYTES];
	bool has_one = false;

	safe_put(out, ",\"not_supported\":[");
	for (; snapshot_next_absence(&at, &absence); has_one = true) {
		safe_put_text(out, has_one ? SAFE_TEXT(",{\"event\":") : SAFE_TEXT("{\"event\":"));
		json_put_string(out, sanitize(text, sizeof(text), absence.event,
					      (size_t)absence.event_bytes));
		safe_put(out, ",\"reason\":");
		json_put_string(out, sanitize(text, sizeof(text), absence.reason,
					      (size_t)absence.reason_bytes));
		safe_put(out, "}");
	}
	safe_put(out, "]");
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

/* Writes a part of the filter; its text may be the user's. */
static void put_part(FILE *out, const struct filter_part *part)
{
	char text[12 * FILTER_TEXT_BYTES];	/* the worst: "<U+NNNN>" per byte */

	safe_print(out, "{\"field\":\"%s\",\"negated\":%s",
		   sanitize_checked(field_name(part->field)),
		   part->is_negated ? SAFE_TEXT("true") : SAFE_TEXT("false"));
	switch (part->field) {
	case FILTER_TEXT:
	case FILTER_COMMAND:
	case FILTER_OBJECT:
	case FILTER_SYMBOL:
	case FILTER_CGROUP:
	case FILTER_UNIT:
	case FILTER_CONTAINER:
	case FILTER_POD:
		safe_put(out, ",\"value\":");
		json_put_string(out, sanitize(text, sizeof(text), part->text, strlen(part->text)));
		break;
	case FILTER_PID:
	case FILTER_TID:
	case FILTER_CPU:
		safe_print(out, ",\"value\":%" PRIu64, part->number);
		break;
	case FILTER_KERNEL:
	case FILTER_USER:
		break;
	}
	safe_put(out, "}");
}

static void put_filter(FILE *out, const struct snapshot *snapshot, const struct filter *filter)
{
	if (snapshot->is_relative)
		safe_put(out, ",\"percentage\":\"relative\"");
	safe_print(out, ",\"shown_samples\":%" PRIu64 ",\"filter\":[", snapshot->shown_samples);
	for (uint32_t i = 0; i < filter->count; i++) {
		if (i)
			safe_put(out, ",");
		put_part(out, &filter->parts[i]);
	}
	safe_put(out, "]");
}

/* Writes the baseline of the rows; null if there is one, but without this event. */
static void put_baseline(FILE *out, const struct snapshot *snapshot)
{
	const struct snapshot_baseline *baseline = &snapshot->baseline;

	if (!snapshot->has_baseline)
		return;
	safe_put(out, ",\"baseline\":");
	if (!snapshot->is_compared) {
		safe_put(out, "null");
		return;
	}
	safe_put(out, "{\"label\":");
	put_string_or_null(out, baseline->label[0], baseline->label);
	safe_print(out, ",\"begin_ns\":%" PRIu64 ",\"end_ns\":%" PRIu64 ",\"window_s\":%.3f",
		   baseline->begin_ns, baseline->end_ns, baseline->window_s);
	safe_print(out, ",\"samples\":%" PRIu64 ",\"samples_per_s\":%.1f,\"period\":%.0f}",
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
			safe_put(out, ",");
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
	put_absent(out, snapshot);
	put_filter(out, snapshot, &options->filter);
	put_baseline(out, snapshot);
	safe_put(out, ",\"rows\":[");
	put_rows(out, snapshot, options, order);
	safe_put(out, "]");
	json_put_groups(out, &snapshot->groups, options->max_rows);
	json_put_probes(out, &snapshot->probes);
	safe_put(out, "}\n");
	free(order);
}
