/*-------------------------------------------------------------------------
 *
 * leaf_estimate.h
 *	  From counters of pages to densities, errors and the size after a rebuild.
 *
 * Pure: no allocation, no error, nothing above c.h.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/leaf_estimate.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_LEAF_ESTIMATE_H
#define UUID_KEYORDER_LEAF_ESTIMATE_H

/* Three items fit on a page of a btree, always: _bt_check_third_page. */
#define LONGEST_ITEM_BYTES	(BLCKSZ / 3)

/* count items of the same size; posting_bytes is the list of TIDs in it. */
typedef struct RebuiltRun
{
	uint16		item_bytes;
	uint16		posting_bytes;
	uint16		count;
} RebuiltRun;

/* Sums over leaves. */
typedef struct LeafSums
{
	int64		leaf_pages;
	int64		items;
	int64		heap_tids;
	int64		posting_tuples;
	int64		dead_items;
	int64		item_bytes;
	int64		free_bytes;
	int64		available_bytes;
	int64		fragmented;		/* right sibling at a lower block */
	int64		contiguous;		/* right sibling at the next block */
	double		density_sum;	/* of single pages, 0 to 1 */
	double		density_squares;
} LeafSums;

/* One level of a btree as nbtsort.c fills it. */
typedef struct RebuiltLevel
{
	bool		is_leaf;
	int			target_free_bytes;	/* the page is full below that */
	int			free_bytes;		/* of the page being filled */
	int			page_items;		/* on it */
	int			last_item_bytes;
	int			last_posting_bytes;
	int64		full_pages;		/* written before it */
} RebuiltLevel;

extern double uuid_keyorder_density(const LeafSums *sums);
extern double uuid_keyorder_density_error(const LeafSums *sums, double sampled_share);
extern double uuid_keyorder_share_error(int64 count, int64 pages, double sampled_share);
extern void uuid_keyorder_rebuild_start(RebuiltLevel *level, bool is_leaf,
										int target_free_bytes);
extern void uuid_keyorder_rebuild_add(RebuiltLevel *level, const RebuiltRun *run);
extern double uuid_keyorder_rebuilt_leaf_pages(const RebuiltLevel *level);
extern int64 uuid_keyorder_rebuilt_total_pages(int64 leaf_pages, int pivot_bytes);

#endif							/* UUID_KEYORDER_LEAF_ESTIMATE_H */
