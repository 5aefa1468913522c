/*-------------------------------------------------------------------------
 *
 * leaf_visit.h
 *	  One visit to all pages, or a sample of them, of an index and its
 *	  partitions: what the SQL functions of leaf density have in common.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/leaf_visit.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_LEAF_VISIT_H
#define UUID_KEYORDER_LEAF_VISIT_H

#include "fmgr.h"
#include "index_open.h"
#include "leaf_page.h"

typedef struct IndexVisit IndexVisit;

typedef void (*MemberHook) (IndexVisit *visit, Relation member);
typedef void (*LeafHook) (IndexVisit *visit, const PageFacts *leaf);

struct IndexVisit
{
	/* Set by the caller. */
	LeafHook	visit_leaf;
	MemberHook	start_member;	/* optional: before the pages of a member */
	MemberHook	end_member;		/* optional: behind them */
	bool		wants_runs;
	bool		wants_keys;		/* count kinds of uuids */
	bool		wants_copy;		/* leaf_copy holds each leaf */
	void	   *arg;

	/* What is visited; complete before the first hook runs. */
	OpenIndex	opened;			/* the index that was asked for */
	int			member_count;	/* indexes with pages: 1, or leaf partitions */
	int64		index_pages;	/* metapages included; as visited, when it is over */
	int64		candidate_pages;	/* without them */
	int64		wanted_pages;	/* to examine */
	bool		sampled;
	uint32		seed;			/* of the sample */
	double		sample_offset;	/* in [0, 1) */

	/* The member at hand. */
	MetapageFacts metapage;
	IndexLayout layout;
	PageReader	reader;
	BlockNumber block_count;

	/* What was found. */
	int			damaged_metapages;
	int64		kinds[PAGE_KINDS];	/* pages examined, by kind */
	int64		pages_examined;
	int64		visited_index_pages;	/* of the members visited so far */
	int64		pages_passed;	/* of the members sampled so far */
	int64		pages_chosen;	/* of them */

	MemberHook	visit_metapage;
	char	   *leaf_copy;
};

/* A row of a result under construction. */
#define MAX_ROW_COLUMNS 32

typedef struct ResultRow
{
	int			column_count;
	Datum		values[MAX_ROW_COLUMNS];
	bool		nulls[MAX_ROW_COLUMNS];
} ResultRow;

extern void uuid_keyorder_visit_start(IndexVisit *visit, Oid index_oid, int64 sample_pages);
extern void uuid_keyorder_visit_metapages(IndexVisit *visit, MemberHook hook);
extern void uuid_keyorder_visit_pages(IndexVisit *visit);
extern void uuid_keyorder_visit_end(IndexVisit *visit);

extern double uuid_keyorder_visit_scale(const IndexVisit *visit);
extern int64 uuid_keyorder_scaled(const IndexVisit *visit, int64 count);
extern void uuid_keyorder_sum_leaf(LeafSums *sums, const PageFacts *leaf);

extern int64 uuid_keyorder_sample_pages_argument(FunctionCallInfo fcinfo, int number);
extern int	uuid_keyorder_count_argument(FunctionCallInfo fcinfo, int number,
										 const char *name);
extern void uuid_keyorder_put_null(ResultRow *row);
extern void uuid_keyorder_put_int32(ResultRow *row, int32 value);
extern void uuid_keyorder_put_int64(ResultRow *row, int64 value);
extern void uuid_keyorder_put_float8(ResultRow *row, double value);
extern void uuid_keyorder_put_ratio(ResultRow *row, double part, double whole);
extern void uuid_keyorder_put_bool(ResultRow *row, bool value);
extern void uuid_keyorder_put_text(ResultRow *row, const char *value);
extern void uuid_keyorder_put_density(ResultRow *row, const IndexVisit *visit,
									  const LeafSums *sums);
extern void uuid_keyorder_put_sample(ResultRow *row, const IndexVisit *visit,
									 const LeafSums *sums);
extern void uuid_keyorder_store_row(FunctionCallInfo fcinfo, ResultRow *row);

#endif							/* UUID_KEYORDER_LEAF_VISIT_H */
