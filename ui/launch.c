/* launch.c - see ui/launch.h. */
#include "ui/launch.h"

#include <stdio.h>
#include <string.h>

#include "analyzer/request.h"

static bool is_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=:,./@%";

	return word[0] && !word[strspn(word, plain)];
}

bool launch_append(char *out, size_t room, const char *word)
{
	const size_t before = strlen(out);
	const bool is_quoted = !is_plain(word);
	size_t used = before, wanted = strlen(word) + (before > 0) + 2 * is_quoted;

	for (const char *at = word; *at; at++)
		wanted += *at == '\'' ? 3 : 0;
	if (before + wanted >= room)
		return false;
	if (before)
		out[used++] = ' ';
	if (is_quoted)
		out[used++] = '\'';
	for (const char *at = word; *at; at++) {
		if (*at == '\'') {
			memcpy(out + used, "'\\''", 4);
			used += 4;
		} else {
			out[used++] = *at;
		}
	}
	if (is_quoted)
		out[used++] = '\'';
	out[used] = '\0';
	return true;
}

void launch_add_word(struct launch *launch, enum launch_kind kind, const char *word)
{
	if (!launch_append(launch->words[kind], LAUNCH_BYTES, word))
		launch->is_cut = true;
}

void launch_add(struct launch *launch, enum launch_kind kind, char letter, const char *name,
		const char *value)
{
	char option[48];

	if (letter)
		snprintf(option, sizeof(option), "-%c", letter);
	else
		snprintf(option, sizeof(option), "--%s", name ? name : "");
	launch_add_word(launch, kind, option);
	if (value)
		launch_add_word(launch, kind, value);
}

void launch_change_source(struct launch *launch, const struct source_change *change)
{
	static const struct {
		enum launch_kind kind;
		char letter;
	} options[] = {
		[SOURCE_EVENT] = { LAUNCH_EVENTS, 'e' },
		[SOURCE_FREQUENCY] = { LAUNCH_RATE, 'F' },
		[SOURCE_ALL] = { LAUNCH_TARGET, 'a' },
		[SOURCE_PROCESSES] = { LAUNCH_TARGET, 'p' },
		[SOURCE_THREADS] = { LAUNCH_TARGET, 't' },
		[SOURCE_USER] = { LAUNCH_TARGET, 'u' },
		[SOURCE_CGROUP] = { LAUNCH_TARGET, 'G' },
		[SOURCE_CPUS] = { LAUNCH_CPUS, 'C' },
	};
	enum launch_kind kind;

	if ((size_t)change->kind >= sizeof(options) / sizeof(options[0]))
		return;
	kind = options[change->kind].kind;
	launch->words[kind][0] = '\0';
	if (kind == LAUNCH_TARGET)	/* the command is not the target any more */
		launch->words[LAUNCH_COMMAND][0] = '\0';
	if (kind == LAUNCH_EVENTS)
		launch->is_only_probes = false;
	if (change->text[0] || change->kind == SOURCE_ALL)
		launch_add(launch, kind, options[change->kind].letter, NULL,
			   change->text[0] ? change->text : NULL);
}
