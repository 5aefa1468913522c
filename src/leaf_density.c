/*-------------------------------------------------------------------------
 *
 * leaf_density.c
 *	  index_leaf_density(), index_leaf_histogram(),
 *	  index_leaf_density_by_version().
 *
 * They show no key, so EXECUTE is all that is asked for.  PARALLEL UNSAFE: the
 * reading of damaged pages needs a subtransaction, which a parallel plan may
 * not begin before 17.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/leaf_density.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "compat.h"
#include "fmgr.h"
#include "funcapi.h"
#include "leaf_visit.h"

PG_FUNCTION_INFO_V1(uuid_keyorder_index_leaf_density);
PG_FUNCTION_INFO_V1(uuid_keyorder_index_leaf_histogram);
PG_FUNCTION_INFO_V1(uuid_keyorder_index_leaf_density_by_version);

/* What index_leaf_density() adds up. */
typedef struct DensityState
{
	LeafSums	sums;
	RebuiltLevel leaves;		/* of the rebuild */
	double		continued_share;	/* posting lists that run over pages */
	RebuiltRun	continued;
	int64		high_keys;
	int64		high_key_bytes;
	int64		rebuilt_pages;	/* of the members done, when exact */
} DensityState;

/* Begin the rebuild of a member; a sample is rebuilt as one. */
static void
density_start_member(IndexVisit *visit, Relation member)
{
	DensityState *state = (DensityState *) visit->arg;

	if (!visit->sampled || state->leaves.free_bytes == 0)
		uuid_keyorder_rebuild_start(&state->leaves, true, visit->layout.target_free_bytes);
	state->leaves.target_free_bytes = visit->layout.target_free_bytes;
}

static void
density_visit_leaf(IndexVisit *visit, const PageFacts *leaf)
{
	DensityState *state = (DensityState *) visit->arg;

	uuid_keyorder_sum_leaf(&state->sums, leaf);
	if (leaf->has_right)
	{
		state->high_keys++;
		state->high_key_bytes += leaf->high_key_bytes;
	}

	for (int i = 0; i < leaf->run_count; i++)
		uuid_keyorder_rebuild_add(&state->leaves, &leaf->runs[i]);
	if (leaf->continued_share > 0)
	{
		state->continued_share += leaf->continued_share;
		state->continued = leaf->continued;
		if (state->continued_share >= 1)
		{
			uuid_keyorder_rebuild_add(&state->leaves, &state->continued);
			state->continued_share -= 1;
		}
	}
}

/* Pages of the index above that many leaves. */
static int64
rebuilt_pages(const DensityState *state, int64 leaf_pages)
{
	const RebuiltLevel *leaves = &state->leaves;
	int			pivot_bytes = leaves->last_item_bytes - leaves->last_posting_bytes;

	if (state->high_keys > 0)
		pivot_bytes = (int) rint((double) state->high_key_bytes / state->high_keys);
	return uuid_keyorder_rebuilt_total_pages(leaf_pages, pivot_bytes);
}

/* The rebuild of a member is done when all its items are known. */
static void
density_end_member(IndexVisit *visit, Relation member)
{
	DensityState *state = (DensityState *) visit->arg;

	if (!visit->sampled)
		state->rebuilt_pages += rebuilt_pages(state, state->leaves.full_pages +
											  (state->leaves.page_items > 0));
}

/* Pages that a rebuild of all members gives. */
static int64
estimate_rebuilt_pages(const IndexVisit *visit, const DensityState *state)
{
	double		leaf_pages;

	if (!visit->sampled)
		return state->rebuilt_pages;
	leaf_pages = uuid_keyorder_rebuilt_leaf_pages(&state->leaves) *
		uuid_keyorder_visit_scale(visit);
	return rebuilt_pages(state, (int64) ceil(leaf_pages)) + visit->member_count - 1;
}

/*
 * Columns leaf_pages to damaged_pages.  Rounded so that with the metapages
 * they add up to the size of the index also when scaled up from a sample.
 */
static void
put_page_kinds(ResultRow *row, const IndexVisit *visit)
{
	int64		examined = 0;
	int64		scaled = 0;

	for (int kind = 0; kind < PAGE_KINDS; kind++)
	{
		int64		before = scaled;

		examined += visit->kinds[kind];
		scaled = uuid_keyorder_scaled(visit, examined);
		uuid_keyorder_put_int64(row, scaled - before);
	}
}

/* Columns version, tree_level, root_block: NULL where there is not one tree. */
static void
put_metapage(ResultRow *row, const IndexVisit *visit)
{
	if (visit->opened.index->rd_rel->relkind == RELKIND_PARTITIONED_INDEX ||
		!visit->metapage.valid)
	{
		for (int i = 0; i < 3; i++)
			uuid_keyorder_put_null(row);
		return;
	}
	uuid_keyorder_put_int32(row, visit->metapage.version);
	uuid_keyorder_put_int32(row, visit->metapage.level);
	uuid_keyorder_put_int64(row, visit->metapage.root);
}

/*
 * index_leaf_density(index regclass, sample_pages int) returns record
 *
 * How full and how ordered the leaves of a btree index are, and what REINDEX
 * would give back; the columns are described in the reference.  Exact where
 * sample_pages is NULL or at least the number of pages, else estimates from
 * that many pages.  NULL for a NULL index.
 *
 * Cost: reads each page once, or the sample, and the metapage.  Locks: ACCESS
 * SHARE on table and index, one buffer share lock at a time.
 */
Datum
uuid_keyorder_index_leaf_density(PG_FUNCTION_ARGS)
{
	IndexVisit	visit = {.visit_leaf = density_visit_leaf,
		.start_member = density_start_member,.end_member = density_end_member,
	.wants_runs = true};
	DensityState state = {0};
	ResultRow	row = {0};
	const LeafSums *sums = &state.sums;
	int64		pages_after;
	TupleDesc	descriptor;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");

	visit.arg = &state;
	uuid_keyorder_visit_start(&visit, PG_GETARG_OID(0),
							  uuid_keyorder_sample_pages_argument(fcinfo, 1));
	uuid_keyorder_visit_pages(&visit);

	put_metapage(&row, &visit);
	uuid_keyorder_put_int64(&row, visit.index_pages * BLCKSZ);
	put_page_kinds(&row, &visit);
	uuid_keyorder_put_int64(&row, uuid_keyorder_scaled(&visit, sums->items));
	uuid_keyorder_put_int64(&row, uuid_keyorder_scaled(&visit, sums->heap_tids));
	uuid_keyorder_put_int64(&row, uuid_keyorder_scaled(&visit, sums->posting_tuples));
	uuid_keyorder_put_int64(&row, uuid_keyorder_scaled(&visit, sums->dead_items));
	uuid_keyorder_put_ratio(&row, sums->item_bytes, sums->items);
	uuid_keyorder_put_density(&row, &visit, sums);
	pages_after = estimate_rebuilt_pages(&visit, &state);
	uuid_keyorder_put_int64(&row, pages_after);
	uuid_keyorder_put_int64(&row, pages_after * BLCKSZ);
	uuid_keyorder_put_sample(&row, &visit, sums);

	uuid_keyorder_visit_end(&visit);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor),
													  row.values, row.nulls)));
}

/* Leaves by how full they are. */
typedef struct HistogramState
{
	int			bucket_count;
	int64	   *leaf_pages;		/* of each bucket */
	LeafSums	sums;
} HistogramState;

static void
histogram_visit_leaf(IndexVisit *visit, const PageFacts *leaf)
{
	HistogramState *state = (HistogramState *) visit->arg;
	int64		used_bytes = leaf->available_bytes - leaf->free_bytes;
	int			bucket = used_bytes * state->bucket_count / leaf->available_bytes;

	/* a page that is quite full belongs to the last */
	state->leaf_pages[Min(bucket, state->bucket_count - 1)]++;
	uuid_keyorder_sum_leaf(&state->sums, leaf);
}

/* One '#' for each two percent begun. */
static char *
bar_of_percent(double percent)
{
	int			length = (int) ceil(percent / 2);
	char	   *bar = palloc(length + 1);

	memset(bar, '#', length);
	bar[length] = '\0';
	return bar;
}

/*
 * index_leaf_histogram(index regclass, buckets int, sample_pages int)
 * returns setof record
 *
 * Leaves of a btree index by how full they are, in buckets (1 to 1000) of the
 * same width from 0 to 100 percent; the upper end belongs to the next bucket,
 * 100 to the last.  No row for a NULL index.  Cost and locks as
 * index_leaf_density().
 */
Datum
uuid_keyorder_index_leaf_histogram(PG_FUNCTION_ARGS)
{
	IndexVisit	visit = {.visit_leaf = histogram_visit_leaf};
	HistogramState state = {0};

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0))
		return (Datum) 0;

	state.bucket_count = uuid_keyorder_count_argument(fcinfo, 1, "buckets");
	state.leaf_pages = palloc0(sizeof(int64) * state.bucket_count);
	visit.arg = &state;
	uuid_keyorder_visit_start(&visit, PG_GETARG_OID(0),
							  uuid_keyorder_sample_pages_argument(fcinfo, 2));
	uuid_keyorder_visit_pages(&visit);

	for (int i = 0; i < state.bucket_count; i++)
	{
		ResultRow	row = {0};
		double		percent = state.sums.leaf_pages == 0 ? 0 :
			100.0 * state.leaf_pages[i] / state.sums.leaf_pages;

		uuid_keyorder_put_int32(&row, i + 1);
		uuid_keyorder_put_float8(&row, 100.0 * i / state.bucket_count);
		uuid_keyorder_put_float8(&row, 100.0 * (i + 1) / state.bucket_count);
		uuid_keyorder_put_int64(&row, uuid_keyorder_scaled(&visit, state.leaf_pages[i]));
		uuid_keyorder_put_ratio(&row, 100.0 * state.leaf_pages[i], state.sums.leaf_pages);
		uuid_keyorder_put_text(&row, bar_of_percent(percent));
		uuid_keyorder_put_int64(&row, visit.pages_examined);
		uuid_keyorder_put_bool(&row, visit.sampled);
		uuid_keyorder_store_row(fcinfo, &row);
	}

	uuid_keyorder_visit_end(&visit);
	return (Datum) 0;
}

/* Rows of index_leaf_density_by_version(): a kind of key, or one of these. */
enum
{
	ROW_MIXED = KEY_KINDS,		/* pages none of whose kinds has most items */
	ROW_EMPTY,					/* pages without an item */
	ROW_NOT_UUID,				/* pages of an index without a uuid */
	VERSION_ROWS
};

typedef struct VersionState
{
	LeafSums	sums[VERSION_ROWS]; /* of the pages put down to it */
	int64		items[VERSION_ROWS];	/* wherever they lie */
	int64		leaf_pages;
} VersionState;

/* The row a page is put down to. */
static int
version_row_of_page(const IndexVisit *visit, const PageFacts *leaf)
{
	if (leaf->items == 0)
		return ROW_EMPTY;
	if (visit->layout.uuid_column < 0)
		return ROW_NOT_UUID;
	for (int kind = 0; kind < KEY_KINDS; kind++)
		if (leaf->key_counts[kind] * 2 > leaf->items)
			return kind;
	return ROW_MIXED;
}

static void
version_visit_leaf(IndexVisit *visit, const PageFacts *leaf)
{
	VersionState *state = (VersionState *) visit->arg;

	uuid_keyorder_sum_leaf(&state->sums[version_row_of_page(visit, leaf)], leaf);
	state->leaf_pages++;
	if (visit->layout.uuid_column < 0)
		state->items[ROW_NOT_UUID] += leaf->items;
	for (int kind = 0; kind < KEY_KINDS; kind++)
		state->items[kind] += leaf->key_counts[kind];
}

/* Name of a row. */
static const char *
version_row_name(int version_row)
{
	switch (version_row)
	{
		case KEY_APPEND:
			return "v8 append";
		case KEY_NIL:
			return "nil";
		case KEY_MAX:
			return "max";
		case KEY_OTHER_VARIANT:
			return "other variant";
		case KEY_NULL:
			return "null";
		case ROW_MIXED:
			return "mixed";
		case ROW_EMPTY:
			return "empty";
		case ROW_NOT_UUID:
			return "non-uuid";
		default:
			return psprintf("v%d", version_row);
	}
}

/*
 * index_leaf_density_by_version(index regclass, sample_pages int)
 * returns setof record
 *
 * A row for each kind of key on the leaves, by the first uuid key column of
 * the index: versions under the variant of RFC 9562, keys of uuidv8_append(),
 * nil, max, other variants, NULL.  Items are counted where they are; a page is
 * put down to the kind that more than half of its items have, else it is
 * mixed.  No row for a NULL index.  Locks as index_leaf_density().
 */
Datum
uuid_keyorder_index_leaf_density_by_version(PG_FUNCTION_ARGS)
{
	IndexVisit	visit = {.visit_leaf = version_visit_leaf,.wants_keys = true};
	VersionState *state;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0))
		return (Datum) 0;

	state = palloc0(sizeof(VersionState));
	visit.arg = state;
	uuid_keyorder_visit_start(&visit, PG_GETARG_OID(0),
							  uuid_keyorder_sample_pages_argument(fcinfo, 1));
	uuid_keyorder_visit_pages(&visit);

	for (int i = 0; i < VERSION_ROWS; i++)
	{
		const LeafSums *sums = &state->sums[i];
		ResultRow	row = {0};

		if (sums->leaf_pages == 0 && state->items[i] == 0)
			continue;
		uuid_keyorder_put_text(&row, version_row_name(i));
		uuid_keyorder_put_int64(&row, uuid_keyorder_scaled(&visit, sums->leaf_pages));
		uuid_keyorder_put_ratio(&row, 100.0 * sums->leaf_pages, state->leaf_pages);
		uuid_keyorder_put_int64(&row, uuid_keyorder_scaled(&visit, state->items[i]));
		uuid_keyorder_put_density(&row, &visit, sums);
		uuid_keyorder_put_sample(&row, &visit, sums);
		uuid_keyorder_store_row(fcinfo, &row);
	}

	uuid_keyorder_visit_end(&visit);
	return (Datum) 0;
}
