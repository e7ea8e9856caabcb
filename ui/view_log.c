/* view_log.c - see ui/view_log.h. */
#include "ui/view_log.h"

#include "ui/view_messages.h"
#include "base/log.h"
#include "ui/pager.h"

static void refresh_log(struct view *view, const struct ui_state *state)
{
	static struct log_line lines[LOG_LINES];
	const size_t count = log_tail(lines, LOG_LINES);
	struct pager *pager = (struct pager *)view;

	(void)state;
	pager_clear(pager);
	for (size_t i = 0; i < count; i++)
		pager_add(pager, ROLE_TEXT, 2, "%s", lines[i].text);
}

const struct view_ops view_log_ops = {
	.place = IN_PAGER,
	.title = "Log",
	.refresh = refresh_log,
	.draw = pager_draw,
	.move = pager_move,
};
