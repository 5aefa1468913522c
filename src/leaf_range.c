/*-------------------------------------------------------------------------
 *
 * leaf_range.c
 *	  index_leaf_density_by_range(): the leaf level in ranges of keys.
 *
 * Exact: the level above the leaves gives the keys at which the leaf level is
 * to be cut, then all leaves are read in the order of blocks and put down to
 * their ranges.  Of very many leaves only every n-th key is remembered, so
 * that memory stays bounded; ranges are then of the same size but for that.
 *
 * Sampled: the leaves of the sample are sorted by key, and ranges are its
 * quantiles, so that the cost does not grow with the index.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/leaf_range.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/objectaddress.h"
#include "compat.h"
#include "funcapi.h"
#include "leaf_order.h"
#include "leaf_visit.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"

PG_FUNCTION_INFO_V1(uuid_keyorder_index_leaf_density_by_range);

/* Keys remembered for each range that is wanted; ranges are that even. */
#define CANDIDATES_PER_RANGE 128

/* What is known of a range. */
typedef struct Range
{
	LeafSums	sums;
	bool		has_keys;
	OrderedKey	lowest_leaf;	/* high keys of the leaves ... */
	OrderedKey	highest_leaf;
	OrderedKey	first_key;		/* ... that hold these */
	OrderedKey	last_key;
} Range;

/* A leaf of the sample. */
typedef struct SampledLeaf
{
	OrderedKey	high_key;
	LeafSums	sums;			/* of this one */
	bool		has_keys;
	OrderedKey	first_key;
	OrderedKey	last_key;
} SampledLeaf;

typedef struct RangeState
{
	KeyOrder	order;
	PageReader	columns;		/* how columns lie, for the order */
	int			range_count;
	Range	   *ranges;

	/* exact: where to cut */
	OrderedKey *candidates;		/* later sorted, and only the cuts */
	int			candidate_count;
	int			candidate_space;
	int64		high_keys_seen;
	int64		stride;			/* one candidate for so many high keys */

	/* sampled */
	SampledLeaf *leaves;
	int64		leaf_count;
	int64		leaf_space;
} RangeState;

/*
 * Refuse to show keys to a caller who may not read the key columns, or not the
 * whole table where the index is partial or on expressions, or whom row
 * security keeps from some rows.  Called as the caller.
 */
static void
check_keys_may_be_shown(Relation table, Relation index)
{
	Oid			table_oid = RelationGetRelid(table);
	Oid			user = GetUserId();
	bool		allowed = pg_class_aclcheck(table_oid, user, ACL_SELECT) == ACLCHECK_OK;

	/* that a key is in a partial index tells of the columns of the predicate */
	if (!allowed && RelationGetIndexPredicate(index) == NIL)
	{
		allowed = true;
		for (int i = 0; i < IndexRelationGetNumberOfKeyAttributes(index); i++)
		{
			AttrNumber	column = index->rd_index->indkey.values[i];

			/* an expression may show any column */
			if (column == InvalidAttrNumber ||
				pg_attribute_aclcheck(table_oid, column, user, ACL_SELECT) != ACLCHECK_OK)
				allowed = false;
		}
	}
	if (!allowed)
		aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(table->rd_rel->relkind),
					   RelationGetRelationName(table));

	if (check_enable_rls(table_oid, user, true) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("query would be affected by row-level security policy for table \"%s\"",
						RelationGetRelationName(table))));
}

/* For sorting; cancellable, since a sort of many keys takes its time. */
static int
compare_ordered_keys(const void *left, const void *right, void *arg)
{
	CHECK_FOR_INTERRUPTS();
	return uuid_keyorder_compare_keys((const OrderedKey *) left, (const OrderedKey *) right,
									  (const KeyOrder *) arg);
}

/* Likewise, by high key. */
static int
compare_sampled_leaves(const void *left, const void *right, void *arg)
{
	CHECK_FOR_INTERRUPTS();
	return uuid_keyorder_compare_keys(&((const SampledLeaf *) left)->high_key,
									  &((const SampledLeaf *) right)->high_key,
									  (const KeyOrder *) arg);
}

/*
 * HighKeyVisitor: remember every stride-th key.  When there is no room, every
 * other one goes and the stride doubles.
 */
static void
remember_candidate(const OrderedKey *key, void *arg)
{
	RangeState *state = (RangeState *) arg;
	int			kept = 0;

	if (++state->high_keys_seen % state->stride != 0)
		return;

	if (state->candidate_count == state->candidate_space)
	{
		for (int i = 0; i < state->candidate_count; i++)
		{
			if (i % 2 == 0)
				uuid_keyorder_free_key(&state->candidates[i]);
			else
				state->candidates[kept++] = state->candidates[i];
		}
		state->candidate_count = kept;
		state->stride *= 2;
		if (state->high_keys_seen % state->stride != 0)
			return;
	}
	uuid_keyorder_copy_key(&state->candidates[state->candidate_count++], key);
}

/* MemberHook of the pass that only looks for where to cut; reads no leaf. */
static void
collect_candidates(IndexVisit *visit, Relation member)
{
	RangeState *state = (RangeState *) visit->arg;

	if (visit->metapage.valid)
		uuid_keyorder_walk_high_keys(member, &visit->metapage, visit->block_count,
									 &state->order, remember_candidate, state);
}

/*
 * Settle the range_count - 1 keys at which to cut, or fewer.
 */
static void
choose_cuts(RangeState *state, int member_count)
{
	int64		leaf_pages = state->high_keys_seen + member_count;
	int			cut_count = 0;
	OrderedKey *cuts = palloc(sizeof(OrderedKey) * state->range_count);

	qsort_arg(state->candidates, state->candidate_count, sizeof(OrderedKey),
			  compare_ordered_keys, &state->order);
	for (int i = 1; i < state->range_count; i++)
	{
		/* the high key of the leaf that ends this range */
		int64		position = i * leaf_pages / state->range_count / state->stride - 1;

		position = Min(position, state->candidate_count - 1);
		if (position < 0 ||
			(cut_count > 0 &&
			 uuid_keyorder_compare_keys(&cuts[cut_count - 1], &state->candidates[position],
										&state->order) >= 0))
			continue;
		cuts[cut_count++] = state->candidates[position];
	}
	state->candidates = cuts;
	state->candidate_count = cut_count;
	state->range_count = cut_count + 1;
}

/* The range of a leaf: the first cut that is not below its high key. */
static int
find_range(const RangeState *state, const OrderedKey *high_key)
{
	int			low = 0;
	int			high = state->candidate_count;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (uuid_keyorder_compare_keys(&state->candidates[middle], high_key,
									   &state->order) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Put a copy in place of a key. */
static void
replace_key(OrderedKey *place, const OrderedKey *key, bool is_set)
{
	if (is_set)
		uuid_keyorder_free_key(place);
	uuid_keyorder_copy_key(place, key);
}

/* Keep the ends of a range. */
static void
extend_range(Range *range, const KeyOrder *order, const OrderedKey *high_key,
			 const OrderedKey *first_key, const OrderedKey *last_key)
{
	bool		had_keys = range->has_keys;

	if (!had_keys || uuid_keyorder_compare_keys(high_key, &range->lowest_leaf, order) < 0)
	{
		replace_key(&range->lowest_leaf, high_key, had_keys);
		replace_key(&range->first_key, first_key, had_keys);
	}
	if (!had_keys || uuid_keyorder_compare_keys(high_key, &range->highest_leaf, order) > 0)
	{
		replace_key(&range->highest_leaf, high_key, had_keys);
		replace_key(&range->last_key, last_key, had_keys);
	}
	range->has_keys = true;
}

/* LeafHook of the exact pass. */
static void
put_leaf_into_range(IndexVisit *visit, const PageFacts *leaf)
{
	RangeState *state = (RangeState *) visit->arg;
	OrderedKey	high_key;
	OrderedKey	first_key;
	OrderedKey	last_key;
	Range	   *range = &state->ranges[state->range_count - 1];

	if (uuid_keyorder_leaf_high_key(visit->leaf_copy, &state->order, &high_key))
	{
		range = &state->ranges[find_range(state, &high_key)];
		if (uuid_keyorder_leaf_end_keys(visit->leaf_copy, &state->order, &first_key, &last_key))
			extend_range(range, &state->order, &high_key, &first_key, &last_key);
	}
	uuid_keyorder_sum_leaf(&range->sums, leaf);
}

/* LeafHook of the sampled pass. */
static void
keep_sampled_leaf(IndexVisit *visit, const PageFacts *facts)
{
	RangeState *state = (RangeState *) visit->arg;
	SampledLeaf *leaf;
	OrderedKey	high_key;
	OrderedKey	first_key;
	OrderedKey	last_key;

	if (!uuid_keyorder_leaf_high_key(visit->leaf_copy, &state->order, &high_key))
		return;
	if (state->leaf_count == state->leaf_space)
	{
		state->leaf_space *= 2;
		state->leaves = repalloc_huge(state->leaves,
									  sizeof(SampledLeaf) * state->leaf_space);
	}
	leaf = &state->leaves[state->leaf_count++];
	memset(leaf, 0, sizeof(*leaf));
	uuid_keyorder_sum_leaf(&leaf->sums, facts);
	uuid_keyorder_copy_key(&leaf->high_key, &high_key);
	if (uuid_keyorder_leaf_end_keys(visit->leaf_copy, &state->order, &first_key, &last_key))
	{
		leaf->has_keys = true;
		uuid_keyorder_copy_key(&leaf->first_key, &first_key);
		uuid_keyorder_copy_key(&leaf->last_key, &last_key);
	}
}

/* Add the sums of one leaf. */
static void
add_sums(LeafSums *sums, const LeafSums *leaf)
{
	sums->leaf_pages += leaf->leaf_pages;
	sums->items += leaf->items;
	sums->free_bytes += leaf->free_bytes;
	sums->available_bytes += leaf->available_bytes;
	sums->fragmented += leaf->fragmented;
	sums->contiguous += leaf->contiguous;
	sums->density_sum += leaf->density_sum;
	sums->density_squares += leaf->density_squares;
}

/* Cut the sample into ranges of as many leaves each. */
static void
divide_sample(RangeState *state)
{
	qsort_arg(state->leaves, state->leaf_count, sizeof(SampledLeaf),
			  compare_sampled_leaves, &state->order);
	state->range_count = Min(state->range_count, Max(state->leaf_count, 1));
	for (int64 i = 0; i < state->leaf_count; i++)
	{
		SampledLeaf *leaf = &state->leaves[i];
		Range	   *range = &state->ranges[i * state->range_count / state->leaf_count];

		add_sums(&range->sums, &leaf->sums);
		if (!leaf->has_keys)
			continue;
		if (!range->has_keys)
			range->first_key = leaf->first_key;
		range->last_key = leaf->last_key;
		range->has_keys = true;
	}
}

/* One row for each range that has leaves. */
static void
store_ranges(FunctionCallInfo fcinfo, const IndexVisit *visit, const RangeState *state)
{
	int64		leaf_pages = 0;
	int			number = 0;

	for (int i = 0; i < state->range_count; i++)
		leaf_pages += state->ranges[i].sums.leaf_pages;

	for (int i = 0; i < state->range_count; i++)
	{
		const Range *range = &state->ranges[i];
		const LeafSums *sums = &range->sums;
		ResultRow	row = {0};

		if (sums->leaf_pages == 0)
			continue;
		uuid_keyorder_put_int32(&row, ++number);
		uuid_keyorder_put_int64(&row, uuid_keyorder_scaled(visit, sums->leaf_pages));
		uuid_keyorder_put_ratio(&row, 100.0 * sums->leaf_pages, leaf_pages);
		uuid_keyorder_put_int64(&row, uuid_keyorder_scaled(visit, sums->items));
		uuid_keyorder_put_density(&row, visit, sums);
		uuid_keyorder_put_text(&row, range->has_keys ?
							   uuid_keyorder_key_text(&range->first_key, &state->order) : NULL);
		uuid_keyorder_put_text(&row, range->has_keys ?
							   uuid_keyorder_key_text(&range->last_key, &state->order) : NULL);
		uuid_keyorder_put_sample(&row, visit, sums);
		uuid_keyorder_store_row(fcinfo, &row);
	}
}

/*
 * index_leaf_density_by_range(index regclass, ranges int, sample_pages int)
 * returns setof record
 *
 * The leaf level cut into that many ranges (1 to 1000) of leaves in the order
 * of keys, or fewer where there are fewer leaves; the columns are described in
 * the reference.  No row for a NULL index.
 *
 * Shows keys: ERROR 42501 without SELECT on the table or, unless the index is
 * partial or on expressions, on its key columns, and where row security holds
 * for the caller.
 *
 * Cost: reads each page once, and the level above the leaves once more; or the
 * sample.  Locks as index_leaf_density().  Memory: at most 128 keys a range,
 * or three keys for each leaf of the sample.
 */
Datum
uuid_keyorder_index_leaf_density_by_range(PG_FUNCTION_ARGS)
{
	IndexVisit	visit = {.wants_copy = true};
	RangeState	state = {0};

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0))
		return (Datum) 0;

	state.range_count = uuid_keyorder_count_argument(fcinfo, 1, "ranges");
	state.ranges = palloc0(sizeof(Range) * state.range_count);
	visit.arg = &state;
	uuid_keyorder_visit_start(&visit, PG_GETARG_OID(0),
							  uuid_keyorder_sample_pages_argument(fcinfo, 2));
	uuid_keyorder_index_check_as_caller(&visit.opened, check_keys_may_be_shown);

	uuid_keyorder_index_columns(visit.opened.index, &state.columns);
	state.order.index = visit.opened.index;
	state.order.reader = &state.columns;
	state.order.key_columns = IndexRelationGetNumberOfKeyAttributes(visit.opened.index);

	if (visit.sampled)
	{
		state.leaf_space = 1024;
		state.leaves = palloc(sizeof(SampledLeaf) * state.leaf_space);
		visit.visit_leaf = keep_sampled_leaf;
		uuid_keyorder_visit_pages(&visit);
		divide_sample(&state);
	}
	else
	{
		state.stride = 1;
		state.candidate_space = state.range_count * CANDIDATES_PER_RANGE;
		state.candidates = palloc(sizeof(OrderedKey) * state.candidate_space);
		uuid_keyorder_visit_metapages(&visit, collect_candidates);
		choose_cuts(&state, visit.member_count);
		visit.visit_leaf = put_leaf_into_range;
		uuid_keyorder_visit_pages(&visit);
	}

	store_ranges(fcinfo, &visit, &state);
	uuid_keyorder_visit_end(&visit);
	return (Datum) 0;
}
