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

static bool has_control(const char *word)
{
	for (; *word; word++)
		if ((unsigned char)*word < ' ' || *word == 0x7f)
			return true;
	return false;
}

/* Writes @byte as it stands between quotes, those of $'...' with @has_escapes. */
static void quote_byte(char out[5], char byte, bool has_escapes)
{
	if (!has_escapes && byte == '\'')
		snprintf(out, 5, "'\\''");
	else if (!has_escapes)
		snprintf(out, 5, "%c", byte);
	else if (byte == '\'' || byte == '\\')
		snprintf(out, 5, "\\%c", byte);
	else if (byte == '\n' || byte == '\t')
		snprintf(out, 5, "\\%c", byte == '\n' ? 'n' : 't');
	else if ((unsigned char)byte < ' ' || byte == 0x7f)
		snprintf(out, 5, "\\%03o", (unsigned int)byte);
	else
		snprintf(out, 5, "%c", byte);
}

bool launch_append(char *out, size_t room, const char *word)
{
	const size_t before = strlen(out);
	const bool is_quoted = !is_plain(word), has_escapes = has_control(word);
	size_t used = before;
	char quoted[5];

	used += (size_t)snprintf(out + used, room - used, "%s%s%s", before ? " " : "",
				 has_escapes ? "$" : "", is_quoted ? "'" : "");
	for (const char *at = word; *at && used < room; at++) {
		quote_byte(quoted, *at, has_escapes);
		used += (size_t)snprintf(out + used, room - used, "%s", quoted);
	}
	if (used < room && is_quoted)
		used += (size_t)snprintf(out + used, room - used, "'");
	if (used < room)
		return true;
	out[before] = '\0';
	return false;
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
