/*-------------------------------------------------------------------------
 *
 * turnover_counters.h
 *	  Pages loaded and evicted per relation, in shared memory.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/turnover_counters.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_TURNOVER_COUNTERS_H
#define UUID_KEYORDER_TURNOVER_COUNTERS_H

#include "relation_names.h"
#include "utils/hsearch.h"

/* Pages of one relation, all forks, that were seen to come and go. */
typedef struct TurnoverCounts
{
	int64		loaded_pages;
	int64		evicted_pages;
	int64		evicted_dirty_pages;	/* of these, dirty when last seen */
	int64		removed_pages;	/* dropped or truncated, not evicted */
} TurnoverCounts;

/* Begins each entry of the hash of changes that one look hands over. */
typedef struct TurnoverChange
{
	RelationFile file;			/* hash key */
	TurnoverCounts counts;
} TurnoverChange;

/* One look as a whole. */
typedef struct TurnoverLook
{
	int64		changed_buffers;	/* other page than at the look before */
	int64		interval_ns;	/* from the start of the look before */
	int64		duration_ns;
} TurnoverLook;

extern void uuid_keyorder_turnover_counters_init(void);
extern void uuid_keyorder_turnover_counters_add(const TurnoverLook *look,
												HTAB *changes);

#endif							/* UUID_KEYORDER_TURNOVER_COUNTERS_H */
