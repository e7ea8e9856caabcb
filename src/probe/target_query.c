/* target_query.c - see probe/target_query.h. */
#include "probe/target_query.h"

#include <stdio.h>
#include <string.h>

#define BIT(kind)	(1u << (kind))
#define ANY_KIND	(BIT(TARGET_LEFTOVER + 1) - 1)

static const struct kind_prefix {
	const char *text;
	unsigned int kinds;
} prefixes[] = {
	{ "k:", BIT(TARGET_KERNEL_FUNCTION) }, { "kr:", BIT(TARGET_KERNEL_FUNCTION) },
	{ "u:", BIT(TARGET_USER_FUNCTION) }, { "ur:", BIT(TARGET_USER_FUNCTION) },
	{ "t:", BIT(TARGET_TRACEPOINT) }, { "U:", BIT(TARGET_USDT) },
	{ "lat:", BIT(TARGET_KERNEL_FUNCTION) | BIT(TARGET_USER_FUNCTION) },
};

/* Consumes the kind at the start of @text; returns what follows. */
static const char *take_prefix(struct target_query *query, const char *text)
{
	query->kinds = ANY_KIND;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		const size_t length = strlen(prefixes[i].text);

		if (strncmp(text, prefixes[i].text, length) != 0)
			continue;
		snprintf(query->prefix, sizeof(query->prefix), "%s", prefixes[i].text);
		query->kinds = prefixes[i].kinds;
		return text + length;
	}
	return text;
}

/* True: @text is a path: "/bin/app", "./app", "../app", "bin/app:main". */
static bool is_path(const char *text, size_t length)
{
	return length > 1 && memchr(text, '/', length);
}

/* Consumes a path, which ends before a colon or a blank; the rest is searched in that file. */
static const char *take_path(struct target_query *query, const char *text)
{
	const size_t length = strcspn(text, ": ");

	if (!is_path(text, length))
		return text;
	memcpy(query->path, text, length);
	query->path[length] = '\0';
	query->kinds &= BIT(TARGET_USER_FUNCTION) | BIT(TARGET_USDT);
	return text + length + (text[length] == ':');
}

void target_query_make(struct target_query *out, const char *text)
{
	const char *rest;

	*out = (struct target_query){ .kinds = 0 };
	snprintf(out->text, sizeof(out->text), "%s", text + strspn(text, " "));
	rest = take_path(out, take_prefix(out, out->text));
	snprintf(out->words, sizeof(out->words), "%s", rest);
	target_pattern_make(&out->pattern, out->words);
}

const char *target_query_prefix(const struct target_query *query, enum target_kind_found kind)
{
	switch (kind) {
	case TARGET_KERNEL_FUNCTION:
	case TARGET_USER_FUNCTION:
		return query->prefix[0] ? query->prefix : "lat:";
	case TARGET_TRACEPOINT:
		return "t:";
	case TARGET_USDT:
		return "U:";
	case TARGET_PRESET:
	case TARGET_TYPED:
	case TARGET_LEFTOVER:
		break;
	}
	return "";
}
