/* source_wishes.c - see source_wishes.h. */
#include "source_wishes.h"

#include "base/id_map.h"
#include "state.h"

static bool can_be_wished(const struct snapshot_row *row)
{
	return row->object_id != UINT32_MAX && row->mode == MODE_USER &&
	       row->state != SYMBOL_LOADING && row->state != SYMBOL_UNREADABLE &&
	       row->state != SYMBOL_NO_MAP &&
	       !row->source[0] && !row->source_reason[0];
}

static void add_wish(struct request *request, const struct snapshot_row *row)
{
	if (request->value < SOURCE_WISHES_MAX && can_be_wished(row))
		request->wishes[request->value++] =
			(struct source_wish){ row->address, row->object_id };
}

/* Returns a hash that tells lists apart; 0: an empty list. */
static uint64_t hash_of(const struct request *request)
{
	uint64_t hash = request->value;

	for (uint32_t i = 0; i < request->value; i++)
		hash = id_map_mix(hash ^ request->wishes[i].address ^
				  id_map_mix(request->wishes[i].object + 1ull));
	return hash;
}

void source_wishes_update(struct ui_state *state)
{
	const struct table_rows *rows = &state->table.rows;
	struct request request = { .kind = REQUEST_SOURCES };
	uint64_t hash;

	if (!state_is_table(state))
		state->wishes_hash = 0;		/* a tree's own requests may have replaced these */
	if (!state_is_table(state) || !state->shown)
		return;
	if (rows->place.cursor < rows->count)
		add_wish(&request, rows->rows[rows->place.cursor]);
	if (state->table.drawn & 1u << COL_SOURCE)
		for (size_t i = 0; i < rows->page && rows->place.top + i < rows->count; i++)
			if (rows->place.top + i != rows->place.cursor)
				add_wish(&request, rows->rows[rows->place.top + i]);
	hash = hash_of(&request);
	if (!hash || hash == state->wishes_hash)
		return;
	state->wishes_hash = hash;
	state_request(state, REQUEST_SOURCES, request.value, 0);
	state->outbox[state->outbox_count - 1] = request;
}
