/* request_take.c - see request_take.h. */
#include "request_take.h"

/* True: rows are keyed by tasks, for which /proc has stats. */
static bool take_query(const struct request *request, struct analyzer_config *config,
		       const struct publisher *publisher)
{
	config->query = request->query;
	/* Before its first snapshot the screen can't know that there is a baseline. */
	config->query.compare |= config->second && !publisher->seq;
	return config->reader && (config->query.keys & (KEY_PID | KEY_TID));
}

bool request_take(const struct request *request, struct analyzer_config *config,
		  struct publisher *publisher, bool is_zero_refused)
{
	switch (request->kind) {
	case REQUEST_REFRESH:
		break;
	case REQUEST_BEGIN:
		publisher_start(publisher, request->value_ns);
		break;
	case REQUEST_WINDOW:
		config->window = (enum window_kind)request->value;
		config->window_ns = request->value_ns;
		break;
	case REQUEST_INTERVAL:
		config->interval_ns = request->value_ns;
		break;
	case REQUEST_ZERO:
		if (!is_zero_refused)
			publisher_zero(publisher);
		break;
	case REQUEST_FREEZE:
		publisher_freeze(publisher, request->begin_ns, request->value_ns);
		break;
	case REQUEST_QUERY:
		return take_query(request, config, publisher);
	case REQUEST_BASELINE:
		publisher_mark(publisher, request->begin_ns, request->value_ns, request->value);
		break;
	case REQUEST_EVENT:
		publisher->event = request->value;
		break;
	case REQUEST_STACKS:
		publisher->wants_stacks = true;
		publisher->wants_idle_stacks = request->value;
		break;
	case REQUEST_SOURCES:
		source_lines_wish(&publisher->source_lines, request->wishes, request->value);
		break;
	}
	return false;
}
