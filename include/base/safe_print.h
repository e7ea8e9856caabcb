/* safe_print.h - the only way from text to a stream that somebody reads: it takes safe text only.
 *
 * Use:    safe_put(out, "a literal"), safe_put_text(out, text), and safe_print() like fprintf(3),
 *         with a literal format, 1 to 12 numbers, and struct safe_text where fprintf(3) takes
 *         char *. A char * does not compile, so that no foreign text is printed unsanitized.
 *         tests/check_doors checks that nothing calls fprintf() and its family directly.
 * Errors: stay in @out (ferror(3)).
 * Thread: @out's.
 */
#ifndef BASE_SAFE_PRINT_H
#define BASE_SAFE_PRINT_H

#include <stdint.h>
#include <stdio.h>

#include "base/sanitize.h"

void safe_put_text(FILE *out, struct safe_text text);
/* Writes @text with a backslash before each character that is in @special. */
void safe_put_escaped(FILE *out, struct safe_text text, const char *special);
/* Writes @text as a string of JSON (RFC 8259), in quotation marks. */
void safe_put_json(FILE *out, struct safe_text text);
/* Writes @text as content or as an attribute's value of XML 1.0, also where that stands in HTML. */
void safe_put_xml(FILE *out, struct safe_text text);
/* Writes @text as a field of CSV (RFC 4180), in quotation marks if it needs them. Spreadsheets take
 * what begins with = + - or @ for a formula: an apostrophe is put before those characters, also in
 * their full width, and before an apostrophe, so that a program gets the text by removing one. */
void safe_put_csv(FILE *out, struct safe_text text);
/* Writes @text as code in a cell of a table of GitHub's Markdown: neither Markdown nor HTML in it
 * has a meaning, nor do mentions. "" stays empty. */
void safe_put_markdown(FILE *out, struct safe_text text);
#define safe_put(out, literal) safe_put_text(out, SAFE_TEXT(literal))

#ifdef __cppcheck__	/* cppcheck cannot parse the macro below */
#define safe_print safe_print_checked
#else
#define safe_print(out, format, ...)                                                               \
	safe_print_checked(out, "" format "",                                                      \
			   SAFE_ARGS_(SAFE_COUNT_(__VA_ARGS__), __VA_ARGS__))
#endif

/* Implementation of safe_print(). */
void safe_print_checked(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline const char *safe_arg_text(struct safe_text text)
{
	return text.chars;
}

static inline int safe_arg_char(char letter)
{
	return letter >= ' ' && letter <= '~' ? letter : '?';
}

static inline int safe_arg_int(int number)
{
	return number;
}

static inline unsigned int safe_arg_unsigned(unsigned int number)
{
	return number;
}

static inline long safe_arg_long(long number)
{
	return number;
}

static inline unsigned long safe_arg_unsigned_long(unsigned long number)
{
	return number;
}

static inline double safe_arg_double(double number)
{
	return number;
}

#define SAFE_ARG_(arg)                                                                             \
	_Generic((arg), struct safe_text: safe_arg_text, char: safe_arg_char, int: safe_arg_int,   \
		 unsigned int: safe_arg_unsigned, long: safe_arg_long,                             \
		 unsigned long: safe_arg_unsigned_long, double: safe_arg_double)(arg)
#define SAFE_COUNT_(...) SAFE_LAST_(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define SAFE_LAST_(a, b, c, d, e, f, g, h, i, j, k, l, count, ...) count
#define SAFE_ARGS_(count, ...)	   SAFE_JOIN_(SAFE_ARGS_, count)(__VA_ARGS__)
#define SAFE_JOIN_(one, other)	   SAFE_JOINED_(one, other)
#define SAFE_JOINED_(one, other)   one##other
#define SAFE_ARGS_1(arg)	   SAFE_ARG_(arg)
#define SAFE_ARGS_2(arg, ...)	   SAFE_ARG_(arg), SAFE_ARGS_1(__VA_ARGS__)
#define SAFE_ARGS_3(arg, ...)	   SAFE_ARG_(arg), SAFE_ARGS_2(__VA_ARGS__)
#define SAFE_ARGS_4(arg, ...)	   SAFE_ARG_(arg), SAFE_ARGS_3(__VA_ARGS__)
#define SAFE_ARGS_5(arg, ...)	   SAFE_ARG_(arg), SAFE_ARGS_4(__VA_ARGS__)
#define SAFE_ARGS_6(arg, ...)	   SAFE_ARG_(arg), SAFE_ARGS_5(__VA_ARGS__)
#define SAFE_ARGS_7(arg, ...)	   SAFE_ARG_(arg), SAFE_ARGS_6(__VA_ARGS__)
#define SAFE_ARGS_8(arg, ...)	   SAFE_ARG_(arg), SAFE_ARGS_7(__VA_ARGS__)
#define SAFE_ARGS_9(arg, ...)	   SAFE_ARG_(arg), SAFE_ARGS_8(__VA_ARGS__)
#define SAFE_ARGS_10(arg, ...)	   SAFE_ARG_(arg), SAFE_ARGS_9(__VA_ARGS__)
#define SAFE_ARGS_11(arg, ...)	   SAFE_ARG_(arg), SAFE_ARGS_10(__VA_ARGS__)
#define SAFE_ARGS_12(arg, ...)	   SAFE_ARG_(arg), SAFE_ARGS_11(__VA_ARGS__)

#endif
