/*-------------------------------------------------------------------------
 *
 * index_open.h
 *	  Open a btree index for inspection.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/index_open.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_INDEX_OPEN_H
#define UUID_KEYORDER_INDEX_OPEN_H

#include "leaf_page.h"
#include "nodes/pg_list.h"
#include "utils/rel.h"

/* An open index, its table locked, and what to go back to. */
typedef struct OpenIndex
{
	Relation	index;
	Relation	table;
	Oid			caller;			/* the user before */
	int			caller_security;
	int			settings_level;
} OpenIndex;

/* What its catalog entry and its options say. */
typedef struct IndexLayout
{
	int			target_free_bytes;	/* of a leaf that a rebuild fills */
	bool		rebuild_deduplicates;
	int			plain_item_bytes;	/* see PageReader */
	int			uuid_column;	/* first uuid key column, 0-based; -1: none */
} IndexLayout;

/* A check of what the caller may do, run as the caller. */
typedef void (*CallerCheck) (Relation table, Relation index);

extern void uuid_keyorder_index_open(Oid index_oid, OpenIndex *opened);
extern void uuid_keyorder_index_close(OpenIndex *opened);
extern void uuid_keyorder_index_check_as_caller(OpenIndex *opened, CallerCheck check);
extern List *uuid_keyorder_index_members(Relation index);
extern int	uuid_keyorder_index_columns(Relation index, PageReader *reader);
extern void uuid_keyorder_index_layout(Relation index, IndexLayout *layout,
									   PageReader *reader);

#endif							/* UUID_KEYORDER_INDEX_OPEN_H */
