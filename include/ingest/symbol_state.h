/* symbol_state.h - how far the symbol of a frame, or of a row, is known. */
#ifndef INGEST_SYMBOL_STATE_H
#define INGEST_SYMBOL_STATE_H

/* How far a row's symbol is known. */
enum symbol_state {
	SYMBOL_NAMED,
	SYMBOL_LOADING,		/* the object's table has not arrived: one row per object */
	SYMBOL_UNKNOWN,		/* table is there, or there is none: one row per address */
	SYMBOL_UNREADABLE,	/* the file could not be read, see `reason`: as above */
	SYMBOL_NO_MAP,		/* code made at run time that no map names: one row per process and
				 * kind of memory, whose `symbol` says so */
};

#endif
