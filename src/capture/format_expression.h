/* format_expression.h - the C expressions in the "print fmt" line of a tracepoint, as far as they
 * are numbers: "REC->flags & ((1UL << 3) - 1)", "(gfp_t)0x80u", "-6ULL".
 *
 * Knows:  numbers, REC->FIELD of one field, parentheses, casts, ~ - ! and the operators
 *         * / % + - << >> < <= > >= == != & ^ | && ||. No ?:, no call, no enumerator: who has one
 *         of these in an expression gets no number.
 * Trust:  any bytes; depth and length are bounded.
 * Thread: any, pure.
 */
#ifndef CAPTURE_FORMAT_EXPRESSION_H
#define CAPTURE_FORMAT_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

/* Evaluates the expression at *@at, with REC->@field being @number (64 bits, two's complement), and
 * moves *@at behind it. False: it is none, or has something else in it; *@at is anywhere then. */
bool format_expression_read(const char **at, const char *field, uint64_t number, uint64_t *value);

#endif
