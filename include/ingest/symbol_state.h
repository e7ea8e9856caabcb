/* symbol_state.h - the state of the symbol of a frame or row. */
#ifndef INGEST_SYMBOL_STATE_H
#define INGEST_SYMBOL_STATE_H

enum symbol_state {
	SYMBOL_NAMED,
	SYMBOL_LOADING,		/* the object's table has not arrived: one row per object */
	SYMBOL_UNKNOWN,		/* not in the table, or there is no table: one row per address */
	SYMBOL_UNREADABLE,	/* the file could not be read, see `reason`: one row per address */
	SYMBOL_NO_MAP,		/* run-time code that is in no perf map: one row per process and
				 * kind of memory, with a name in `symbol` that says so */
};

#endif
