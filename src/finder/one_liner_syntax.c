/* one_liner_syntax.c - see one_liner_syntax.h.
 *
 * Idea: recursive descent with one token of lookahead. Attach points are no tokens, because paths
 * have slashes and names have stars: they are read as they stand, up to a blank, a comma, the
 * filter or the block.
 *
 * Problem: "/" ends a filter and divides. It ends the filter when it is in no parentheses and a
 * block follows, as in bpftrace.
 */
#include "one_liner_syntax.h"

#include <ctype.h>
#include <string.h>

#include "probe/probe_section.h"

#define DEPTH_MAX 64	/* nested parentheses, blocks and signs; each takes some stack */

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_VARIABLE, TOKEN_MAP,
		  TOKEN_SIGN };

struct parser {
	struct liner_tree *out;
	struct diag *why;
	size_t next;		/* byte after the token */
	enum token_kind kind;	/* the token; TOKEN_SIGN: one or more signs */
	size_t at, bytes;
	unsigned int depth;
	unsigned int parentheses;	/* open ones in a filter */
	bool in_filter;
	int err;		/* the first refusal; what follows parses nothing */
};

static const char *const signs[] = {	/* longer ones first */
	"<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=",
	"/=", "%=", "&=", "|=", "^=", "->",
};

static bool is_name_byte(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_';
}

size_t liner_skip_blanks(const char *text, size_t at)
{
	for (;;) {
		const bool is_line = at == 0 || text[at - 1] == '\n';

		if (isspace((unsigned char)text[at])) {
			at++;
		} else if (!strncmp(text + at, "//", 2) || (text[at] == '#' && is_line)) {
			at += strcspn(text + at, "\n");
		} else if (!strncmp(text + at, "/*", 2)) {
			const char *end = strstr(text + at + 2, "*/");

			at = end ? (size_t)(end + 2 - text) : at + strlen(text + at);
		} else {
			return at;
		}
	}
}

bool liner_is(const struct liner_node *node, const char *word)
{
	return node->bytes == strlen(word) && !memcmp(node->text, word, node->bytes);
}

static void refuse_at(struct parser *parser, size_t at, const char *sentence)
{
	if (!parser->err)
		parser->err = probe_column_refuse(parser->why, at, "%s", sentence);
	parser->kind = TOKEN_END;
	parser->at = parser->next = at + strlen(parser->out->text + at);
	parser->bytes = 0;
}

static size_t measure_sign(const char *text)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (!strncmp(text, signs[i], strlen(signs[i])))
			return strlen(signs[i]);
	return 1;
}

static size_t measure_name(const char *text)
{
	size_t bytes = 0;

	while (is_name_byte(text[bytes]))
		bytes++;
	return bytes;
}

static size_t measure_string(const char *text)
{
	size_t bytes = 1;

	while (text[bytes] && text[bytes] != '"')
		bytes += text[bytes] == '\\' && text[bytes + 1] ? 2 : 1;
	return text[bytes] ? bytes + 1 : 0;
}

/* Reads the next token. */
static void scan(struct parser *parser)
{
	const char *text = parser->out->text;

	if (parser->err)
		return;
	parser->at = liner_skip_blanks(text, parser->next);
	text += parser->at;
	parser->bytes = 1;
	if (!*text) {
		parser->kind = TOKEN_END;
		parser->bytes = 0;
	} else if (*text == '"') {
		parser->kind = TOKEN_STRING;
		parser->bytes = measure_string(text);
		if (!parser->bytes)
			refuse_at(parser, parser->at, "the quote does not end");
	} else if (isdigit((unsigned char)*text)) {
		parser->kind = TOKEN_NUMBER;
		parser->bytes = measure_name(text);
	} else if (is_name_byte(*text)) {
		parser->kind = TOKEN_NAME;
		parser->bytes = measure_name(text);
	} else if (*text == '@' || *text == '$') {
		parser->kind = *text == '@' ? TOKEN_MAP : TOKEN_VARIABLE;
		parser->bytes = 1 + measure_name(text + 1);
	} else {
		parser->kind = TOKEN_SIGN;
		parser->bytes = measure_sign(text);
	}
	parser->next = parser->at + parser->bytes;
}

static bool is_token(const struct parser *parser, enum token_kind kind, const char *text)
{
	return parser->kind == kind && parser->bytes == strlen(text) &&
	       !memcmp(parser->out->text + parser->at, text, parser->bytes);
}

static bool is_sign(const struct parser *parser, const char *text)
{
	return is_token(parser, TOKEN_SIGN, text);
}

static bool take_sign(struct parser *parser, const char *text)
{
	if (!is_sign(parser, text))
		return false;
	scan(parser);
	return true;
}

static void expect(struct parser *parser, const char *sign, const char *sentence)
{
	if (!take_sign(parser, sign))
		refuse_at(parser, parser->at, sentence);
}

static bool enter(struct parser *parser)
{
	if (parser->depth == DEPTH_MAX)
		refuse_at(parser, parser->at, "too deeply nested");
	parser->depth++;
	return !parser->err;
}

static void leave(struct parser *parser)
{
	parser->depth--;
}

/* Adds a node with the text of the token. Returns its index; 0: there is no room. */
static uint32_t add(struct parser *parser, enum liner_node_kind kind, uint32_t first,
		    uint32_t second)
{
	struct liner_tree *tree = parser->out;
	struct liner_node *node;

	if (tree->node_count == LINER_NODES_MAX)
		refuse_at(parser, parser->at, "the program is too long");
	if (parser->err)
		return 0;
	node = &tree->nodes[tree->node_count];
	*node = (struct liner_node){
		.kind = kind, .at = parser->at, .text = tree->text + parser->at,
		.bytes = parser->bytes, .first = first, .second = second,
	};
	return tree->node_count++;
}

static uint32_t add_token(struct parser *parser, enum liner_node_kind kind)
{
	const uint32_t made = add(parser, kind, 0, 0);

	scan(parser);
	return made;
}

static uint32_t parse_expression(struct parser *parser);
static uint32_t parse_unary(struct parser *parser);

/* Parses expressions up to @end. Returns the first, which are linked. */
static uint32_t parse_list(struct parser *parser, const char *end)
{
	uint32_t first = 0, last = 0;

	parser->parentheses++;
	while (!parser->err && !is_sign(parser, end)) {
		const uint32_t made = parse_expression(parser);

		if (last)
			parser->out->nodes[last].next = made;
		first = first ? first : made;
		last = made;
		if (!take_sign(parser, ","))
			break;
	}
	parser->parentheses--;
	expect(parser, end, *end == ']' ? "a ] is missing" : "a ) is missing");
	return first;
}

/* True: @text is a word that begins a type: "struct", "uint64". */
static bool is_type_word(const char *text, size_t bytes)
{
	static const char *const words[] = {
		"struct", "union", "enum", "char", "short", "int", "long", "unsigned", "void",
		"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
		"int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
		"uint64_t", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "size_t",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (bytes == strlen(words[i]) && !memcmp(text, words[i], bytes))
			return true;
	return false;
}

/* Measures "(TYPE)" or "(NAME *)" at @text; 0: it is none. */
static size_t measure_cast(const char *text)
{
	size_t at = 1, bytes;
	bool is_type, has_star = false;

	while (isspace((unsigned char)text[at]))
		at++;
	bytes = measure_name(text + at);
	is_type = bytes && is_type_word(text + at, bytes);
	if (!bytes || isdigit((unsigned char)text[at]))
		return 0;
	while (is_name_byte(text[at]) || isspace((unsigned char)text[at]) || text[at] == '*') {
		has_star |= text[at] == '*';
		at++;
	}
	return text[at] == ')' && (is_type || (has_star && text[at - 1] == '*')) ? at + 1 : 0;
}

static uint32_t parse_cast(struct parser *parser, size_t bytes)
{
	const size_t from = parser->at;
	uint32_t made;

	parser->bytes = bytes;
	made = add(parser, LINER_CAST, 0, 0);
	parser->next = from + bytes;
	scan(parser);
	if (made && !parser->err) {
		const uint32_t inner = parse_unary(parser);

		parser->out->nodes[made].first = inner;
		parser->out->nodes[made].text++;	/* without its parentheses */
		parser->out->nodes[made].bytes -= 2;
	}
	return made;
}

static uint32_t parse_parentheses(struct parser *parser)
{
	const size_t cast = measure_cast(parser->out->text + parser->at);
	uint32_t made;

	if (cast)
		return parse_cast(parser, cast);
	parser->parentheses++;
	scan(parser);
	made = parse_expression(parser);
	parser->parentheses--;
	if (is_sign(parser, ","))
		refuse_at(parser, parser->at, "a tuple has no counterpart in a spec: keys are "
			  "separated by commas without parentheses");
	expect(parser, ")", "a ) is missing");
	return made;
}

static uint32_t parse_name(struct parser *parser)
{
	const uint32_t made = add_token(parser, LINER_NAME);

	if (take_sign(parser, "(") && made) {
		parser->out->nodes[made].kind = LINER_CALL;
		parser->out->nodes[made].first = parse_list(parser, ")");
	}
	return made;
}

static uint32_t parse_map(struct parser *parser)
{
	const uint32_t made = add_token(parser, LINER_MAP);

	if (take_sign(parser, "[") && made)
		parser->out->nodes[made].first = parse_list(parser, "]");
	return made;
}

static uint32_t parse_primary(struct parser *parser)
{
	const char *text = parser->out->text + parser->at;

	switch (parser->kind) {
	case TOKEN_NUMBER:
		return add_token(parser, LINER_NUMBER);
	case TOKEN_STRING:
		return add_token(parser, LINER_STRING);
	case TOKEN_VARIABLE:
		return add_token(parser, isdigit((unsigned char)text[1]) ? LINER_POSITIONAL
									 : LINER_VARIABLE);
	case TOKEN_MAP:
		return parse_map(parser);
	case TOKEN_NAME:
		return parse_name(parser);
	default:
		break;
	}
	if (is_sign(parser, "("))
		return parse_parentheses(parser);
	refuse_at(parser, parser->at, parser->kind == TOKEN_END
		  ? "the program ends too early: a value or a } is missing"
		  : "a value is missing: as in comm, args.ret, arg0, 42");
	return 0;
}

/* Parses what follows "." or "->". */
static uint32_t parse_member(struct parser *parser, uint32_t base, bool is_arrow)
{
	uint32_t made;

	scan(parser);
	if (parser->kind != TOKEN_NAME && parser->kind != TOKEN_NUMBER)
		refuse_at(parser, parser->at, "the name of a member is missing");
	made = add(parser, LINER_MEMBER, base, 0);
	if (made)
		parser->out->nodes[made].is_arrow = is_arrow;
	scan(parser);
	return made;
}

/* Makes "@x.count()", ply's older form, an assignment. */
static uint32_t parse_method(struct parser *parser, uint32_t member)
{
	struct liner_node *node = &parser->out->nodes[member];
	const uint32_t map = node->first;
	uint32_t made;

	if (parser->out->nodes[map].kind != LINER_MAP) {
		refuse_at(parser, node->at, "only maps have functions, as in @.count()");
		return 0;
	}
	scan(parser);
	node->kind = LINER_CALL;
	node->first = parse_list(parser, ")");
	made = add(parser, LINER_ASSIGN, map, member);
	parser->out->nodes[made].text = "=";
	parser->out->nodes[made].bytes = 1;
	return made;
}

static uint32_t parse_postfix(struct parser *parser)
{
	uint32_t made = parse_primary(parser);

	while (!parser->err) {
		if (is_sign(parser, ".") || is_sign(parser, "->")) {
			made = parse_member(parser, made, is_sign(parser, "->"));
			if (is_sign(parser, "(") && made)
				made = parse_method(parser, made);
		} else if (is_sign(parser, "[")) {
			const uint32_t index = add(parser, LINER_INDEX, made, 0);

			scan(parser);
			if (index)
				parser->out->nodes[index].second = parse_list(parser, "]");
			made = index;
		} else if (is_sign(parser, "++") || is_sign(parser, "--")) {
			made = add(parser, LINER_INCREMENT, made, 0);
			scan(parser);
		} else {
			break;
		}
	}
	return made;
}

static uint32_t parse_unary(struct parser *parser)
{
	static const char *const unary[] = { "!", "~", "-", "+", "*", "&" };
	uint32_t made = 0;

	if (!enter(parser))
		return 0;
	for (size_t i = 0; i < sizeof(unary) / sizeof(unary[0]) && !made; i++) {
		if (!is_sign(parser, unary[i]))
			continue;
		made = add_token(parser, LINER_UNARY);
		if (made)
			parser->out->nodes[made].first = parse_unary(parser);
	}
	if (is_sign(parser, "++") || is_sign(parser, "--")) {
		made = add_token(parser, LINER_INCREMENT);
		if (made)
			parser->out->nodes[made].first = parse_unary(parser);
	}
	if (!made)
		made = parse_postfix(parser);
	leave(parser);
	return made;
}

/* Returns how tightly the sign binds; 0: it joins no two values, or ends the filter. */
static unsigned int level_of(const struct parser *parser)
{
	static const struct {
		const char *sign;
		unsigned int level;
	} levels[] = {
		{ "||", 1 }, { "&&", 2 }, { "|", 3 }, { "^", 4 }, { "&", 5 }, { "==", 6 },
		{ "!=", 6 }, { "<", 7 }, { ">", 7 }, { "<=", 7 }, { ">=", 7 }, { "<<", 8 },
		{ ">>", 8 }, { "+", 9 }, { "-", 9 }, { "*", 10 }, { "/", 10 }, { "%", 10 },
	};
	const char *text = parser->out->text;

	if (parser->in_filter && !parser->parentheses && is_sign(parser, "/") &&
	    text[liner_skip_blanks(text, parser->next)] == '{')
		return 0;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (is_sign(parser, levels[i].sign))
			return levels[i].level;
	return 0;
}

static uint32_t parse_binary(struct parser *parser, unsigned int least)
{
	uint32_t made = parse_unary(parser);
	unsigned int level;

	while (!parser->err && (level = level_of(parser)) != 0 && level >= least) {
		const uint32_t joined = add_token(parser, LINER_BINARY);

		if (!joined || !enter(parser))
			return 0;
		parser->out->nodes[joined].first = made;
		parser->out->nodes[joined].second = parse_binary(parser, level + 1);
		leave(parser);
		made = joined;
	}
	return made;
}

static uint32_t parse_expression(struct parser *parser)
{
	uint32_t made, joined;

	if (!enter(parser))
		return 0;
	made = parse_binary(parser, 1);
	if (is_sign(parser, "?")) {
		joined = add_token(parser, LINER_TERNARY);
		if (joined) {
			parser->out->nodes[joined].first = made;
			parser->out->nodes[joined].second = parse_expression(parser);
			expect(parser, ":", "a : is missing");
			parser->out->nodes[joined].third = parse_expression(parser);
		}
		made = joined;
	}
	leave(parser);
	return made;
}

static uint32_t parse_block(struct parser *parser);

static uint32_t parse_if(struct parser *parser)
{
	const uint32_t made = add_token(parser, LINER_IF);
	struct liner_node *node = &parser->out->nodes[made];

	expect(parser, "(", "a ( is missing: if (CONDITION) { ... }");
	if (!made || parser->err)
		return 0;
	node->first = parse_expression(parser);
	expect(parser, ")", "a ) is missing");
	node->second = parse_block(parser);
	if (!is_token(parser, TOKEN_NAME, "else"))
		return made;
	node->third = add_token(parser, LINER_ELSE_MARK);
	if (node->third)
		parser->out->nodes[node->third].next =
			is_token(parser, TOKEN_NAME, "if") ? parse_if(parser) : parse_block(parser);
	return made;
}

static bool is_assignment(const struct parser *parser)
{
	const char *text = parser->out->text + parser->at;

	return parser->kind == TOKEN_SIGN && text[parser->bytes - 1] == '=' &&
	       !is_sign(parser, "==") && !is_sign(parser, "!=") && !is_sign(parser, "<=") &&
	       !is_sign(parser, ">=");
}

static uint32_t parse_simple(struct parser *parser)
{
	uint32_t made = parse_expression(parser);

	if (is_assignment(parser)) {
		const uint32_t joined = add_token(parser, LINER_ASSIGN);

		if (joined) {
			parser->out->nodes[joined].first = made;
			parser->out->nodes[joined].second = parse_expression(parser);
		}
		made = joined;
	}
	if (!is_sign(parser, "}"))
		expect(parser, ";", "a ; or } is missing here");
	return made;
}

static uint32_t parse_statement(struct parser *parser)
{
	static const char *const loops[] = { "while", "for", "unroll" };

	if (is_token(parser, TOKEN_NAME, "if"))
		return parse_if(parser);
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
		if (is_token(parser, TOKEN_NAME, loops[i]))
			refuse_at(parser, parser->at, "a loop has no counterpart in a spec");
	if (is_token(parser, TOKEN_NAME, "return"))
		refuse_at(parser, parser->at, "return has no counterpart in a spec: its condition "
			  "belongs into the filter");
	return parse_simple(parser);
}

/* Parses "{ STATEMENTS }". Returns the first, 0: there is none. */
static uint32_t parse_block(struct parser *parser)
{
	uint32_t first = 0, last = 0;

	expect(parser, "{", "a { is missing");
	if (!enter(parser))
		return 0;
	while (!parser->err && !is_sign(parser, "}")) {
		uint32_t made;

		if (take_sign(parser, ";"))
			continue;
		made = parse_statement(parser);
		if (last)
			parser->out->nodes[last].next = made;
		first = first ? first : made;
		last = made;
	}
	leave(parser);
	expect(parser, "}", "a } is missing");
	return first;
}

static bool begins_with(const char *text, const char *const words[], size_t count)
{
	const size_t bytes = measure_name(text);

	for (size_t i = 0; i < count; i++)
		if (text[bytes] == ':' && bytes == strlen(words[i]) &&
		    !memcmp(text, words[i], bytes))
			return true;
	return false;
}

/* Returns after how many colons a slash begins the filter. */
static unsigned int colons_before_filter(const char *text)
{
	static const char *const two[] = { "uprobe", "uretprobe", "u", "ur", "usdt", "U",
					   "tracepoint", "t", "trace", "iter", "it" };

	return begins_with(text, two, sizeof(two) / sizeof(two[0])) ? 2 : 1;
}

/* Measures an attach point: up to a blank, a comma, its filter or its block. */
static size_t measure_point(const char *text)
{
	const unsigned int needed = colons_before_filter(text);
	unsigned int colons = 0;
	size_t bytes = 0;

	while (text[bytes] && !isspace((unsigned char)text[bytes]) && !strchr(",{}", text[bytes])) {
		if (text[bytes] == '/' && colons >= needed)
			break;
		if (text[bytes] == '"') {
			const size_t quoted = measure_string(text + bytes);

			bytes += quoted ? quoted : 1;
			continue;
		}
		colons += text[bytes] == ':' && text[bytes + 1] != ':' &&
			  (!bytes || text[bytes - 1] != ':');
		bytes++;
	}
	return bytes;
}

static void parse_points(struct parser *parser, struct liner_clause *clause)
{
	struct liner_tree *tree = parser->out;

	parser->next = parser->at;
	do {
		struct liner_point_text *point = &tree->points[tree->point_count];
		const size_t at = liner_skip_blanks(tree->text, parser->next);
		const size_t bytes = measure_point(tree->text + at);

		if (!bytes && clause->point_count && tree->text[at] == '{')
			break;	/* after a comma too many */
		if (!bytes || tree->point_count == LINER_POINTS_MAX) {
			refuse_at(parser, at, bytes ? "too many points" : "a point is missing, as "
				  "kprobe:vfs_read or tracepoint:sched:sched_switch");
			return;
		}
		*point = (struct liner_point_text){ .at = at, .bytes = bytes };
		tree->point_count++;
		clause->point_count++;
		parser->next = at + bytes;
		scan(parser);
	} while (is_sign(parser, ","));
	if (is_sign(parser, ","))
		scan(parser);
}

static void parse_filter(struct parser *parser, struct liner_clause *clause)
{
	const bool is_ply = is_token(parser, TOKEN_NAME, "if");

	if (!is_ply && !is_sign(parser, "/"))
		return;
	parser->in_filter = !is_ply;
	scan(parser);
	clause->filter = parse_expression(parser);
	parser->in_filter = false;
	if (!is_ply)
		expect(parser, "/", "the filter does not end: a / is missing before the {");
}

/* Skips "struct X { ... };", a definition that debug information has. */
static bool skip_definition(struct parser *parser)
{
	const char *text = parser->out->text;
	const char *open, *close;

	if (!is_token(parser, TOKEN_NAME, "struct") && !is_token(parser, TOKEN_NAME, "union") &&
	    !is_token(parser, TOKEN_NAME, "enum"))
		return false;
	open = strchr(text + parser->at, '{');
	close = open ? strstr(open, "};") : NULL;
	if (!close) {
		refuse_at(parser, parser->at, "the definition does not end with };");
		return true;
	}
	parser->next = (size_t)(close + 2 - text);
	scan(parser);
	return true;
}

static void parse_clause(struct parser *parser)
{
	struct liner_tree *tree = parser->out;
	struct liner_clause *clause = &tree->clauses[tree->clause_count];

	if (tree->clause_count == LINER_CLAUSES_MAX) {
		refuse_at(parser, parser->at, "too many blocks");
		return;
	}
	*clause = (struct liner_clause){ .at = parser->at, .point = tree->point_count };
	tree->clause_count++;
	parse_points(parser, clause);
	if (!parser->err)
		parse_filter(parser, clause);
	if (!parser->err)
		clause->body = parse_block(parser);
}

int liner_parse(struct liner_tree *out, const char *text, struct diag *why)
{
	struct parser parser = { .out = out, .why = why };

	out->text = text;
	out->node_count = 1;
	out->point_count = out->clause_count = 0;
	scan(&parser);
	while (!parser.err && parser.kind != TOKEN_END)
		if (!skip_definition(&parser))
			parse_clause(&parser);
	if (!parser.err && !out->clause_count)
		refuse_at(&parser, 0, "there is no block: TARGET { @ = count(); }");
	return parser.err;
}
