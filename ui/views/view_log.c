/* view_log.c - see view_log.h.
 *
 * Problem: lines are added at the end and dropped at the beginning while the user reads between.
 *
 * Idea: the log's lines are numbered, so only new ones are added; as many old ones are dropped, and
 * the pager moves its position along.
 */
#include "view_log.h"

#include <time.h>

#include "base/log.h"
#include "widgets/pager.h"

#define TEXT_CELLS 11		/* "14:02:11 ! " */

static void add_line(struct pager *pager, const struct log_line *line)
{
	const time_t wall = (time_t)line->wall_s;
	char at[16] = "";
	struct tm local;

	if (localtime_r(&wall, &local))
		strftime(at, sizeof(at), "%H:%M:%S", &local);
	pager_add(pager, line->is_warning ? ROLE_STATE : ROLE_TEXT, TEXT_CELLS, "%-8s %c %s", at,
		  line->is_warning ? '!' : ' ', line->text);
	pager->seen = line->number;
}

static void refresh_log(struct view *view, const struct ui_state *state)
{
	static struct log_line lines[LOG_LINES];	/* 128 KiB: too much for a stack */
	const size_t count = log_tail(lines, LOG_LINES);
	struct pager *pager = (struct pager *)view;

	(void)state;
	pager->follows_end = true;
	if (!pager->seen)
		pager_clear(pager);	/* removes the line that says the log is empty */
	for (size_t i = 0; i < count; i++)
		if (lines[i].number > pager->seen)
			add_line(pager, &lines[i]);
	if (pager->count > LOG_LINES)
		pager_drop(pager, pager->count - LOG_LINES);
	if (!pager->seen)
		pager_add(pager, ROLE_DIM, 0, "Nothing has been logged.");
}

const struct view_ops view_log_ops = {
	.place = IN_PAGER,
	.title = "Log",
	.refresh = refresh_log,
	.draw = pager_draw,
	.move = pager_move,
};
