/* request.h - what the screen asks of the analyzer, over an SPSC queue; a snapshot answers. */
#ifndef MODEL_REQUEST_H
#define MODEL_REQUEST_H

#include <stdint.h>

enum request_kind {
	REQUEST_REFRESH,	/* a new snapshot now */
	REQUEST_WINDOW,		/* window = value, length value_ns for WINDOW_SECONDS */
	REQUEST_INTERVAL,	/* refresh every value_ns */
	REQUEST_ZERO,		/* "since start" begins now */
	REQUEST_KEYS,		/* row keys = value */
	REQUEST_EVENT,		/* show event number value */
};

struct request {
	enum request_kind kind;
	uint32_t value;		/* enum window_kind, enum row_key bits or event index */
	uint64_t value_ns;
};

#endif
