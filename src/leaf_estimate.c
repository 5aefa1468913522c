/*-------------------------------------------------------------------------
 *
 * leaf_estimate.c
 *	  From counters of pages to densities, errors and the size after a rebuild.
 *
 * Errors.  The pages examined are a random sample without replacement of all
 * pages, and leaves are a domain of it.  Density is a ratio over whole pages,
 * so its error comes from how pages differ, not from the number of items
 * (cluster sample), with the finite population correction 1 - n/N.  A share
 * of pages gets the error of a share, with two pages added on each side
 * (Agresti and Coull 1998): none out of 400 does not prove none.
 *
 * Rebuild.  The items found go through the page-filling rules of _bt_buildadd
 * in nbtsort.c, which are the same from PostgreSQL 14 to 19.  Their order is
 * that of the blocks, not that of the keys; with items of one size that makes
 * no difference.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/leaf_estimate.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/nbtree.h"
#include "leaf_estimate.h"
#include "utils/float.h"

/* Room on a new page, whose high key has its line pointer already. */
#define NEW_PAGE_FREE_BYTES \
	((int) (BLCKSZ - SizeOfPageHeaderData - MAXALIGN(sizeof(BTPageOpaqueData)) - \
			sizeof(ItemIdData)))

/* The first item of an internal page keeps its link only. */
#define MINUS_INFINITY_BYTES	((int) sizeof(IndexTupleData))

/*
 * Percent of the room on leaves that is taken, 0 to 100: core's
 * avg_leaf_density on exact free space.  There must be a leaf.
 */
double
uuid_keyorder_density(const LeafSums *sums)
{
	return 100.0 - 100.0 * sums->free_bytes / sums->available_bytes;
}

/*
 * Standard error of uuid_keyorder_density() in percent points, when the leaves
 * summed are those of a sample of that share of all pages.  NaN where fewer
 * than two leaves were seen.
 */
double
uuid_keyorder_density_error(const LeafSums *sums, double sampled_share)
{
	double		pages = sums->leaf_pages;
	double		variance;

	if (sums->leaf_pages < 2)
		return get_float8_nan();

	variance = (sums->density_squares - sums->density_sum * sums->density_sum / pages) /
		(pages - 1);
	variance *= (1 - sampled_share) / pages;
	return 100.0 * sqrt(Max(variance, 0));
}

/*
 * Standard error, in percent points, of count out of that many sampled pages.
 * NaN where fewer than two were seen.
 */
double
uuid_keyorder_share_error(int64 count, int64 pages, double sampled_share)
{
	double		share;

	if (pages < 2)
		return get_float8_nan();

	share = (count + 2.0) / (pages + 4.0);
	return 100.0 * sqrt((1 - sampled_share) * share * (1 - share) / (pages + 4.0));
}

/* Turn to an empty page. */
static void
start_page(RebuiltLevel *level)
{
	level->free_bytes = NEW_PAGE_FREE_BYTES;
	level->page_items = 0;
	level->last_item_bytes = 0;
	level->last_posting_bytes = 0;
}

/*
 * Begin to fill a level.  target_free_bytes is BTGetTargetPageFreeSpace() on
 * leaves.
 */
void
uuid_keyorder_rebuild_start(RebuiltLevel *level, bool is_leaf, int target_free_bytes)
{
	level->is_leaf = is_leaf;
	level->target_free_bytes = target_free_bytes;
	level->full_pages = 0;
	start_page(level);
}

/* Put an item on the current page. */
static inline void
put_item(RebuiltLevel *level, int item_bytes, int posting_bytes)
{
	int			stored_bytes = item_bytes;

	if (!level->is_leaf && level->page_items == 0)
		stored_bytes = MINUS_INFINITY_BYTES;
	level->free_bytes -= stored_bytes + (int) sizeof(ItemIdData);
	level->page_items++;
	level->last_item_bytes = item_bytes;
	level->last_posting_bytes = posting_bytes;
}

/*
 * Add one item as _bt_buildadd does: when the page is full, its last item
 * moves to the next page, and what is left of it becomes the high key.
 */
static void
add_item(RebuiltLevel *level, int item_bytes, int posting_bytes)
{
	int			room = level->free_bytes - (int) sizeof(ItemIdData);
	int			needed = item_bytes + (level->is_leaf ? MAXALIGN(sizeof(ItemPointerData)) : 0);

	if (level->page_items > 0 &&
		(room < needed ||
		 (room + level->last_posting_bytes < level->target_free_bytes &&
		  level->page_items > 1)))
	{
		int			moved_item_bytes = level->last_item_bytes;
		int			moved_posting_bytes = level->last_posting_bytes;

		level->full_pages++;
		start_page(level);
		put_item(level, moved_item_bytes, moved_posting_bytes);
	}

	put_item(level, item_bytes, posting_bytes);
}

/*
 * Add items of one size.  The cost follows the pages they fill, not their
 * number: those that surely leave the page below its limits go in at once.
 */
void
uuid_keyorder_rebuild_add(RebuiltLevel *level, const RebuiltRun *run)
{
	int			step = run->item_bytes + (int) sizeof(ItemIdData);
	int			count = run->count;

	while (count > 0)
	{
		int			reserve = Max(level->target_free_bytes,
								  run->item_bytes + (int) MAXALIGN(sizeof(ItemPointerData)));
		int			sure = (level->free_bytes - (int) sizeof(ItemIdData) - reserve) / step;

		sure = Min(sure, count - 1);
		if (sure > 0 && level->page_items > 0)
		{
			level->free_bytes -= sure * step;
			level->page_items += sure;
			level->last_item_bytes = run->item_bytes;
			level->last_posting_bytes = run->posting_bytes;
			count -= sure;
		}
		add_item(level, run->item_bytes, run->posting_bytes);
		count--;
	}
}

/*
 * Pages of the level, the one being filled counted by how full it is.  0 when
 * nothing was added.
 */
double
uuid_keyorder_rebuilt_leaf_pages(const RebuiltLevel *level)
{
	double		filled = NEW_PAGE_FREE_BYTES - level->free_bytes;
	double		capacity = NEW_PAGE_FREE_BYTES - level->target_free_bytes;

	return level->full_pages + Min(filled / capacity, 1);
}

/*
 * Pages of a whole index, metapage included, above that many leaves, whose
 * downlinks have pivot_bytes each, at most LONGEST_ITEM_BYTES: with longer
 * ones, one a page, levels would never come to an end.
 */
int64
uuid_keyorder_rebuilt_total_pages(int64 leaf_pages, int pivot_bytes)
{
	int64		total_pages = 1 + leaf_pages;
	int64		level_pages = leaf_pages;

	while (level_pages > 1)
	{
		RebuiltLevel level;
		RebuiltRun	run = {Min(pivot_bytes, LONGEST_ITEM_BYTES), 0, 0};

		uuid_keyorder_rebuild_start(&level, false,
									BLCKSZ * (100 - BTREE_NONLEAF_FILLFACTOR) / 100);
		while (level_pages > 0)
		{
			run.count = Min(level_pages, PG_UINT16_MAX);
			uuid_keyorder_rebuild_add(&level, &run);
			level_pages -= run.count;
		}
		level_pages = level.full_pages + 1;
		total_pages += level_pages;
	}

	return total_pages;
}
