/*-------------------------------------------------------------------------
 *
 * leaf_visit.c
 *	  One visit to all pages, or a sample of them, of an index and its
 *	  partitions: what the SQL functions of leaf density have in common.
 *
 * A partitioned index is visited leaf partition by leaf partition.  A sample
 * of it is spread over them by size, so that each page has the same chance.
 *
 * The seed of a sample comes out of random(): a session that calls setseed()
 * before gets the same sample again, and nobody else's sample is touched.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/leaf_visit.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "compat.h"
#include "funcapi.h"
#include "leaf_scan.h"
#include "leaf_visit.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/tuplestore.h"

/* Blocks of a member when the visit began. */
typedef struct Member
{
	Oid			index_oid;
	BlockNumber block_count;
} Member;

/* A uniform number in [0, 1) out of the session's random(). */
static double
draw_random(void)
{
	LOCAL_FCINFO(fcinfo, 0);

	InitFunctionCallInfoData(*fcinfo, NULL, 0, InvalidOid, NULL, NULL);
	return DatumGetFloat8(drandom(fcinfo));
}

/* Do something with each index that has pages, open. */
static void
for_each_member(IndexVisit *visit, MemberHook act)
{
	Relation	index = visit->opened.index;
	ListCell   *cell;

	if (index->rd_rel->relkind != RELKIND_PARTITIONED_INDEX)
	{
		act(visit, index);
		return;
	}

	foreach(cell, uuid_keyorder_index_members(index))
	{
		OpenIndex	member;

		CHECK_FOR_INTERRUPTS();
		uuid_keyorder_index_open(lfirst_oid(cell), &member);
		act(visit, member.index);
		uuid_keyorder_index_close(&member);
	}
}

/* MemberHook: count its pages. */
static void
count_member(IndexVisit *visit, Relation member)
{
	visit->index_pages += RelationGetNumberOfBlocks(member);
	visit->member_count++;
}

/* Pages of the index that are to be examined if all are: not the metapages. */
static int64
pages_to_examine(const IndexVisit *visit)
{
	return Max(visit->index_pages - visit->member_count, 0);
}

/*
 * Open the index and settle how many pages there are and how many to examine:
 * sample_pages, or all where that is 0.
 */
void
uuid_keyorder_visit_start(IndexVisit *visit, Oid index_oid, int64 sample_pages)
{
	uuid_keyorder_index_open(index_oid, &visit->opened);
	for_each_member(visit, count_member);

	visit->candidate_pages = pages_to_examine(visit);
	visit->sampled = sample_pages > 0 && sample_pages < visit->candidate_pages;
	visit->wanted_pages = visit->sampled ? sample_pages : visit->candidate_pages;
	if (visit->sampled)
	{
		visit->seed = (uint32) (draw_random() * ((double) PG_UINT32_MAX + 1));
		visit->sample_offset = (double) visit->seed / ((double) PG_UINT32_MAX + 1);
	}
	if (visit->wants_copy)
		visit->leaf_copy = palloc(BLCKSZ);
}

/* PageVisitor: count the page, and hand a leaf on. */
static void
visit_page(const PageFacts *facts, void *arg)
{
	IndexVisit *visit = (IndexVisit *) arg;

	visit->pages_examined++;
	visit->kinds[facts->kind]++;
	if (facts->kind == PAGE_LEAF)
		visit->visit_leaf(visit, facts);
}

/* MemberHook: read the metapage and settle what to look for on the other pages. */
static void
prepare_member(IndexVisit *visit, Relation member)
{
	PageReader *reader = &visit->reader;
	PGAlignedBlock block;

	visit->block_count = RelationGetNumberOfBlocks(member);
	memset(&visit->metapage, 0, sizeof(visit->metapage));
	if (visit->block_count > 0 &&
		uuid_keyorder_read_block(member, 0, NULL, block.data))
		uuid_keyorder_metapage_read(block.data, &visit->metapage);

	uuid_keyorder_index_layout(member, &visit->layout, reader);
	/* where the metapage is lost, expect anything */
	reader->may_hold_postings = visit->metapage.allequalimage || !visit->metapage.valid;
	reader->plain_item_bytes = visit->layout.plain_item_bytes;
	reader->rebuild_deduplicates = visit->layout.rebuild_deduplicates;
	reader->wants_runs = visit->wants_runs;
	reader->uuid_column = visit->wants_keys ? visit->layout.uuid_column : -1;
	reader->leaf_copy = visit->leaf_copy;
}

/*
 * Pages of the member at hand to examine.  Its share of a sample is what
 * brings the pages chosen up to the share of the pages passed, plus an offset
 * drawn once, so that each page of the index has the same chance.
 */
static BlockNumber
pages_of_member(IndexVisit *visit)
{
	double		share = (double) visit->wanted_pages / visit->candidate_pages;
	int64		chosen;

	if (!visit->sampled)
		return visit->block_count;

	visit->pages_passed += Max((int64) visit->block_count - 1, 0);
	chosen = visit->pages_passed >= visit->candidate_pages ? visit->wanted_pages :
		(int64) floor(visit->pages_passed * share + visit->sample_offset);
	chosen -= visit->pages_chosen;
	visit->pages_chosen += chosen;
	return (BlockNumber) chosen;
}

/* MemberHook: visit its pages. */
static void
visit_member(IndexVisit *visit, Relation member)
{
	LeafScan	scan;

	prepare_member(visit, member);
	if (!visit->metapage.valid)
		visit->damaged_metapages++;
	if (visit->start_member)
		visit->start_member(visit, member);

	scan.index = member;
	scan.block_count = visit->block_count;
	scan.sample_pages = pages_of_member(visit);
	scan.seed = visit->seed++;
	scan.reader = &visit->reader;
	scan.visit = visit_page;
	scan.visit_arg = visit;
	visit->visited_index_pages += visit->block_count;
	if (scan.sample_pages > 0)
		uuid_keyorder_leaf_scan(&scan);

	if (visit->end_member)
		visit->end_member(visit, member);
}

/* One WARNING for all that is damaged. */
static void
warn_of_damage(const IndexVisit *visit)
{
	if (visit->kinds[PAGE_DAMAGED] == 0 && visit->damaged_metapages == 0)
		return;

	ereport(WARNING,
			(errcode(ERRCODE_INDEX_CORRUPTED),
			 errmsg("index \"%s\" contains damaged pages",
					RelationGetRelationName(visit->opened.index)),
			 errdetail("Of " INT64_FORMAT " pages examined, " INT64_FORMAT " are no pages of a btree index; damaged metapages: %d.",
					   visit->pages_examined, visit->kinds[PAGE_DAMAGED],
					   visit->damaged_metapages),
			 errhint("Please REINDEX it.")));
}

/*
 * Visit the pages, or a sample of them; WARNING afterwards if some are
 * damaged.  ERROR when cancelled, or when a partition has gone meanwhile.
 */
void
uuid_keyorder_visit_pages(IndexVisit *visit)
{
	for_each_member(visit, visit_member);
	warn_of_damage(visit);

	/* The index may have grown since it was counted: tell what was visited. */
	visit->index_pages = visit->visited_index_pages;
	visit->candidate_pages = pages_to_examine(visit);
}

/* MemberHook: hand on a member whose metapage has been read. */
static void
visit_metapage(IndexVisit *visit, Relation member)
{
	prepare_member(visit, member);
	visit->visit_metapage(visit, member);
}

/*
 * Read the metapages only, and hand each member on.
 */
void
uuid_keyorder_visit_metapages(IndexVisit *visit, MemberHook hook)
{
	visit->visit_metapage = hook;
	for_each_member(visit, visit_metapage);
}

/* Close the index. */
void
uuid_keyorder_visit_end(IndexVisit *visit)
{
	uuid_keyorder_index_close(&visit->opened);
}

/* Pages in the index for each page examined; 1 when exact. */
double
uuid_keyorder_visit_scale(const IndexVisit *visit)
{
	if (!visit->sampled || visit->pages_examined == 0)
		return 1;
	return (double) visit->candidate_pages / visit->pages_examined;
}

/* A count over the pages examined, brought up to the index. */
int64
uuid_keyorder_scaled(const IndexVisit *visit, int64 count)
{
	if (!visit->sampled)
		return count;
	return (int64) rint(count * uuid_keyorder_visit_scale(visit));
}

/* Add a leaf. */
void
uuid_keyorder_sum_leaf(LeafSums *sums, const PageFacts *leaf)
{
	double		density = 1 - (double) leaf->free_bytes / leaf->available_bytes;

	sums->leaf_pages++;
	sums->items += leaf->items;
	sums->heap_tids += leaf->heap_tids;
	sums->posting_tuples += leaf->posting_tuples;
	sums->dead_items += leaf->dead_items;
	sums->item_bytes += leaf->item_bytes;
	sums->free_bytes += leaf->free_bytes;
	sums->available_bytes += leaf->available_bytes;
	sums->fragmented += leaf->right_is_lower;
	sums->contiguous += leaf->right_is_next;
	sums->density_sum += density;
	sums->density_squares += density * density;
}

/*
 * Argument sample_pages: 0 for NULL.  ERROR 22023 where it is not positive.
 */
int64
uuid_keyorder_sample_pages_argument(FunctionCallInfo fcinfo, int number)
{
	if (PG_ARGISNULL(number))
		return 0;
	if (PG_GETARG_INT32(number) <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("sample_pages must be greater than zero")));
	return PG_GETARG_INT32(number);
}

/*
 * Argument buckets or ranges.  ERROR 22004 for NULL, 22023 outside 1 to 1000.
 */
int
uuid_keyorder_count_argument(FunctionCallInfo fcinfo, int number, const char *name)
{
	if (PG_ARGISNULL(number))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name)));
	if (PG_GETARG_INT32(number) < 1 || PG_GETARG_INT32(number) > 1000)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be between %d and %d", name, 1, 1000)));
	return PG_GETARG_INT32(number);
}

static void
put_value(ResultRow *row, Datum value, bool isnull)
{
	Assert(row->column_count < MAX_ROW_COLUMNS);
	row->values[row->column_count] = value;
	row->nulls[row->column_count++] = isnull;
}

void
uuid_keyorder_put_null(ResultRow *row)
{
	put_value(row, (Datum) 0, true);
}

void
uuid_keyorder_put_int32(ResultRow *row, int32 value)
{
	put_value(row, Int32GetDatum(value), false);
}

void
uuid_keyorder_put_int64(ResultRow *row, int64 value)
{
	put_value(row, Int64GetDatum(value), false);
}

/* NaN becomes NULL. */
void
uuid_keyorder_put_float8(ResultRow *row, double value)
{
	put_value(row, Float8GetDatum(isnan(value) ? 0 : value), isnan(value));
}

/* NULL where the whole is 0. */
void
uuid_keyorder_put_ratio(ResultRow *row, double part, double whole)
{
	put_value(row, Float8GetDatum(whole == 0 ? 0 : part / whole), whole == 0);
}

void
uuid_keyorder_put_bool(ResultRow *row, bool value)
{
	put_value(row, BoolGetDatum(value), false);
}

/* NULL for a null pointer. */
void
uuid_keyorder_put_text(ResultRow *row, const char *value)
{
	put_value(row, value ? CStringGetTextDatum(value) : (Datum) 0, value == NULL);
}

/* Columns avg_leaf_density, leaf_fragmentation, contiguous_leaves. */
void
uuid_keyorder_put_density(ResultRow *row, const IndexVisit *visit, const LeafSums *sums)
{
	if (sums->leaf_pages == 0)
		uuid_keyorder_put_null(row);
	else
		uuid_keyorder_put_float8(row, uuid_keyorder_density(sums));
	uuid_keyorder_put_ratio(row, 100.0 * sums->fragmented, sums->leaf_pages);
	uuid_keyorder_put_ratio(row, 100.0 * sums->contiguous, sums->leaf_pages);
}

/*
 * Columns pages_examined, sampled, avg_leaf_density_error,
 * leaf_fragmentation_error.
 */
void
uuid_keyorder_put_sample(ResultRow *row, const IndexVisit *visit, const LeafSums *sums)
{
	double		share;

	uuid_keyorder_put_int64(row, visit->pages_examined);
	uuid_keyorder_put_bool(row, visit->sampled);
	if (!visit->sampled)
	{
		uuid_keyorder_put_float8(row, 0);
		uuid_keyorder_put_float8(row, 0);
		return;
	}
	share = (double) visit->pages_examined / visit->candidate_pages;
	uuid_keyorder_put_float8(row, uuid_keyorder_density_error(sums, share));
	uuid_keyorder_put_float8(row, uuid_keyorder_share_error(sums->fragmented,
															sums->leaf_pages, share));
}

/* Append the row to a materialized result. */
void
uuid_keyorder_store_row(FunctionCallInfo fcinfo, ResultRow *row)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	Assert(row->column_count == result->setDesc->natts);
	tuplestore_putvalues(result->setResult, result->setDesc, row->values, row->nulls);
}
