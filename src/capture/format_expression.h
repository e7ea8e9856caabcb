/* format_expression.h - evaluates integer C expressions in the "print fmt" line of a tracepoint:
 * "REC->flags & ((1UL << 3) - 1)", "(gfp_t)0x80u", "-6ULL".
 *
 * Scope:  numbers, REC->FIELD of one field, parentheses, casts, ~ - ! and the operators
 *         * / % + - << >> < <= > >= == != & ^ | && ||. Expressions with ?:, calls or enumerators
 *         are refused.
 * Trust:  any bytes; depth and length are bounded.
 * Thread: any, pure.
 */
#ifndef CAPTURE_FORMAT_EXPRESSION_H
#define CAPTURE_FORMAT_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

/* Evaluates the expression at *@at, with @number (64 bits, two's complement) for REC->@field, and
 * moves *@at past it. Returns false for unsupported expressions; *@at is undefined then. */
bool format_expression_read(const char **at, const char *field, uint64_t number, uint64_t *value);

#endif
