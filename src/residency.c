/*-------------------------------------------------------------------------
 *
 * residency.c
 *	  What of each relation sits in shared_buffers and in the page cache.
 *
 * relation_buffers() counts shared buffers by relation fork: one pass over the
 * buffer headers (buffer_sweep.c), then names (relation_names.c), then the
 * sizes of the files (relation_files.c), in this order and without a lock on
 * any relation.  The page cache is asked by functions of its own, which
 * relation_residency() calls in its SQL body: asking costs some milliseconds
 * a gigabyte, and a query that leaves page_cache_bytes out is not to pay.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/residency.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "buffer_sweep.h"
#include "catalog/pg_tablespace_d.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "page_cache.h"
#include "relation_files.h"
#include "utils/array.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(uuid_keyorder_relation_buffers);
PG_FUNCTION_INFO_V1(uuid_keyorder_relation_disk_bytes);
PG_FUNCTION_INFO_V1(uuid_keyorder_relation_page_cache_bytes);
PG_FUNCTION_INFO_V1(uuid_keyorder_file_page_cache_bytes);
PG_FUNCTION_INFO_V1(uuid_keyorder_physical_memory_bytes_sql);

/* Columns of relation_buffers(). */
enum
{
	COLUMN_DATABASE,
	COLUMN_TABLESPACE,
	COLUMN_RELATION,
	COLUMN_FORK,
	COLUMN_RELFILENODE,
	COLUMN_FORK_PAGES,
	COLUMN_RESIDENT_PAGES,
	COLUMN_RESIDENT_PERCENT,
	COLUMN_BUFFERS_PERCENT,
	COLUMN_DIRTY_PAGES,
	COLUMN_PINNED_PAGES,
	COLUMN_USAGE_COUNTS,
	COLUMN_DATABASE_OID,
	COLUMN_TABLESPACE_OID,
	COLUMNS
};

typedef struct BufferRow
{
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS];
} BufferRow;

/*-------------------------------------------------------------------------
 * Rows
 *-------------------------------------------------------------------------
 */

static void
set_column(BufferRow *row, int column, Datum value)
{
	row->values[column] = value;
	row->nulls[column] = false;
}

static void
clear_row(BufferRow *row)
{
	memset(row->values, 0, sizeof(row->values));
	memset(row->nulls, true, sizeof(row->nulls));
}

/* The relation that a row is about, where it has a name, and the fork. */
static void
set_relation_and_fork(BufferRow *row, Oid relation, ForkNumber fork)
{
	if (OidIsValid(relation))
		set_column(row, COLUMN_RELATION, ObjectIdGetDatum(relation));
	set_column(row, COLUMN_FORK, CStringGetTextDatum(forkNames[fork]));
}

/* The file that a row is about. */
static void
set_file(BufferRow *row, RelationNames *names, const RelationFile *file)
{
	row->values[COLUMN_DATABASE] =
		uuid_keyorder_database_name(names, file->database, &row->nulls[COLUMN_DATABASE]);
	row->values[COLUMN_TABLESPACE] =
		uuid_keyorder_tablespace_name(names, file->tablespace, &row->nulls[COLUMN_TABLESPACE]);
	set_column(row, COLUMN_RELFILENODE, ObjectIdGetDatum(file->number));
	set_column(row, COLUMN_DATABASE_OID, ObjectIdGetDatum(file->database));
	set_column(row, COLUMN_TABLESPACE_OID, ObjectIdGetDatum(file->tablespace));
}

static Datum
usage_counts_array(const BufferCounts *counts)
{
	Datum		elements[SWEEP_USAGE_COUNTS];

	for (int i = 0; i < SWEEP_USAGE_COUNTS; i++)
		elements[i] = Int64GetDatum(counts->usage_counts[i]);
	return PointerGetDatum(construct_array(elements, SWEEP_USAGE_COUNTS, INT8OID,
										   sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

static void
set_counts(BufferRow *row, const BufferCounts *counts)
{
	set_column(row, COLUMN_RESIDENT_PAGES, Int64GetDatum(counts->buffers));
	set_column(row, COLUMN_BUFFERS_PERCENT,
			   Float8GetDatum(100.0 * counts->buffers / uuid_keyorder_buffer_sweep_total()));
	set_column(row, COLUMN_DIRTY_PAGES, Int64GetDatum(counts->dirty));
	set_column(row, COLUMN_PINNED_PAGES, Int64GetDatum(counts->pinned));
	set_column(row, COLUMN_USAGE_COUNTS, usage_counts_array(counts));
}

/*
 * Size of the fork, measured after its buffers were counted: where it was
 * truncated in between, more of it was resident than there is now, and the
 * percentage stays at 100.  An empty fork has none.
 */
static void
set_fork_pages(BufferRow *row, int64 fork_pages, int64 resident_pages)
{
	set_column(row, COLUMN_FORK_PAGES, Int64GetDatum(fork_pages));
	if (resident_pages > 0 || fork_pages > 0)
		set_column(row, COLUMN_RESIDENT_PERCENT,
				   Float8GetDatum(resident_pages >= fork_pages ? 100.0 :
								  100.0 * resident_pages / fork_pages));
}

static void
put_row(ReturnSetInfo *result, BufferRow *row)
{
	tuplestore_putvalues(result->setResult, result->setDesc, row->values, row->nulls);

	/* Memory that a query gives back to the system costs more than its use. */
	pfree(DatumGetPointer(row->values[COLUMN_USAGE_COUNTS]));
	if (!row->nulls[COLUMN_FORK])
		pfree(DatumGetPointer(row->values[COLUMN_FORK]));
}

/*-------------------------------------------------------------------------
 * All relations
 *-------------------------------------------------------------------------
 */

static void
put_swept_fork(ReturnSetInfo *result, RelationNames *names,
			   const ForkFile *key, const BufferCounts *counts)
{
	RelationStorage storage = {key->file, INVALID_PROC_NUMBER};
	int64		disk_bytes = uuid_keyorder_fork_disk_bytes(&storage, key->fork);
	BufferRow	row;

	clear_row(&row);
	set_relation_and_fork(&row, uuid_keyorder_relation_names_find(names, &key->file), key->fork);
	set_file(&row, names, &key->file);
	set_counts(&row, counts);
	if (disk_bytes >= 0)
		set_fork_pages(&row, disk_bytes / BLCKSZ, counts->buffers);
	put_row(result, &row);
}

/* A row for every fork that holds buffers, and one for buffers without a page. */
static void
put_all_relations(ReturnSetInfo *result)
{
	BufferSweep *sweep = uuid_keyorder_buffer_sweep();
	RelationNames *names = uuid_keyorder_relation_names_read();
	ForkFile	key;
	BufferCounts counts;
	BufferRow	row;

	while (uuid_keyorder_buffer_sweep_next(sweep, &key, &counts))
	{
		CHECK_FOR_INTERRUPTS();
		put_swept_fork(result, names, &key, &counts);
	}

	clear_row(&row);
	counts = uuid_keyorder_buffer_sweep_pageless(sweep);
	set_counts(&row, &counts);
	put_row(result, &row);
}

/*-------------------------------------------------------------------------
 * One relation
 *-------------------------------------------------------------------------
 */

static void
add_counts(BufferCounts *sum, const BufferCounts *more)
{
	sum->buffers += more->buffers;
	sum->dirty += more->dirty;
	sum->pinned += more->pinned;
	for (int i = 0; i < SWEEP_USAGE_COUNTS; i++)
		sum->usage_counts[i] += more->usage_counts[i];
}

/* What the storages of a relation have of one fork. */
typedef struct ForkSum
{
	BufferCounts counts;
	int64		disk_bytes;		/* BYTES_UNKNOWN if none has the fork */
	bool		temporary;
} ForkSum;

static void
sum_fork(BufferSweep *sweep, List *storages, ForkNumber fork, ForkSum *sum)
{
	ListCell   *cell;

	memset(sum, 0, sizeof(ForkSum));
	sum->disk_bytes = BYTES_UNKNOWN;
	foreach(cell, storages)
	{
		RelationStorage *storage = lfirst(cell);
		int64		bytes = uuid_keyorder_fork_disk_bytes(storage, fork);

		/* Shared buffers may hold another relation of a temporary's number. */
		if (storage->backend == INVALID_PROC_NUMBER)
		{
			BufferCounts counts = uuid_keyorder_buffer_sweep_find(sweep, &storage->file, fork);

			add_counts(&sum->counts, &counts);
		}
		else
			sum->temporary = true;
		if (bytes >= 0)
			sum->disk_bytes = Max(sum->disk_bytes, 0) + bytes;
		CHECK_FOR_INTERRUPTS();
	}
}

static void
put_fork_sum(ReturnSetInfo *result, RelationNames *names, Oid relation,
			 const RelationFile *file, ForkNumber fork, const ForkSum *sum)
{
	BufferRow	row;

	clear_row(&row);
	set_relation_and_fork(&row, relation, fork);
	if (file != NULL)
		set_file(&row, names, file);
	else
		row.values[COLUMN_DATABASE] =
			uuid_keyorder_database_name(names, MyDatabaseId, &row.nulls[COLUMN_DATABASE]);
	set_counts(&row, &sum->counts);
	if (sum->disk_bytes >= 0)
		set_fork_pages(&row, sum->disk_bytes / BLCKSZ, sum->counts.buffers);
	/* Its pages are in buffers of its session, if anywhere. */
	if (sum->temporary)
		row.nulls[COLUMN_RESIDENT_PERCENT] = true;
	put_row(result, &row);
}

/*
 * A row for each fork of the relation that exists, and one for the main fork
 * in any case.  A partitioned relation has no file of its own: its rows are
 * the sums over its leaves.
 */
static void
put_one_relation(ReturnSetInfo *result, Oid relation)
{
	BufferSweep *sweep = uuid_keyorder_buffer_sweep();
	RelationNames *names = uuid_keyorder_relation_names_create();
	const RelationFile *file = NULL;
	List	   *storages;
	char		relkind;

	storages = uuid_keyorder_relation_storage(relation, &relkind);
	if (relkind == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	if (RELKIND_HAS_STORAGE(relkind))
		file = &((RelationStorage *) linitial(storages))->file;

	for (int fork = MAIN_FORKNUM; fork <= MAX_FORKNUM; fork++)
	{
		ForkSum		sum;

		sum_fork(sweep, storages, fork, &sum);
		if (fork == MAIN_FORKNUM || sum.disk_bytes >= 0 || sum.counts.buffers > 0)
			put_fork_sum(result, names, relation, file, fork, &sum);
	}
}

/*
 * relation_buffers(relation regclass) returns rows
 *
 * How many shared buffers hold pages of each relation fork.  NULL: one row for
 * every fork on the server that holds any, and one without relation, fork and
 * file for the buffers without a page, so that resident_pages sum up to
 * shared_buffers.  Relations of other databases, uncommitted and dropped ones
 * have a file number and no name.  Otherwise a row for each fork of that
 * relation; see put_one_relation() and uuid_keyorder_relation_storage() for
 * kinds and errors, 42P01 where it does not exist.
 *
 * Not a snapshot of the buffers: see buffer_sweep.c.  No relation is locked
 * but pg_class.  Costs some 10 ns a buffer, and some microseconds a fork.
 */
Datum
uuid_keyorder_relation_buffers(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);

	if (PG_ARGISNULL(0))
		put_all_relations((ReturnSetInfo *) fcinfo->resultinfo);
	else
		put_one_relation((ReturnSetInfo *) fcinfo->resultinfo, PG_GETARG_OID(0));
	return (Datum) 0;
}

/*-------------------------------------------------------------------------
 * Files
 *-------------------------------------------------------------------------
 */

/*
 * Sum of look_at() over storages and forks from first to last.  Unknown where
 * it is so for a fork that is there; those that are not count nothing.
 */
static int64
sum_bytes(List *storages, ForkNumber first, ForkNumber last,
		  int64 (*look_at) (const RelationStorage *, ForkNumber))
{
	int64		total = BYTES_UNKNOWN;
	ListCell   *cell;

	foreach(cell, storages)
	{
		for (int fork = first; fork <= last; fork++)
		{
			int64		bytes = look_at(lfirst(cell), fork);

			if (bytes >= 0)
				total = Max(total, 0) + bytes;
			else if (uuid_keyorder_fork_disk_bytes(lfirst(cell), fork) >= 0)
				return BYTES_UNKNOWN;
			CHECK_FOR_INTERRUPTS();
		}
	}
	return total;
}

/* Bytes of the relation that is the first argument, of the fork in the second. */
static Datum
relation_bytes(FunctionCallInfo fcinfo, int64 (*look_at) (const RelationStorage *, ForkNumber))
{
	ForkNumber	first = MAIN_FORKNUM;
	ForkNumber	last = MAX_FORKNUM;
	char		relkind;
	int64		bytes;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (!PG_ARGISNULL(1))
		first = last = forkname_to_number(text_to_cstring(PG_GETARG_TEXT_PP(1)));

	bytes = sum_bytes(uuid_keyorder_relation_storage(PG_GETARG_OID(0), &relkind),
					  first, last, look_at);
	if (bytes < 0)
		PG_RETURN_NULL();
	PG_RETURN_INT64(bytes);
}

/*
 * relation_disk_bytes(relation regclass, fork text) returns bigint
 *
 * Size of the relation's files, of all forks when fork is NULL; a partitioned
 * one's leaves summed up.  As pg_relation_size(), without a lock.  NULL where
 * the relation or the fork does not exist.  ERROR as in
 * uuid_keyorder_relation_storage(), 22023 for an unknown fork.
 */
Datum
uuid_keyorder_relation_disk_bytes(PG_FUNCTION_ARGS)
{
	return relation_bytes(fcinfo, uuid_keyorder_fork_disk_bytes);
}

/*
 * relation_page_cache_bytes(relation regclass, fork text) returns bigint
 *
 * The same of what the operating system caches of those files.  NULL also
 * where it does not tell.  Costs 2 to 15 ms a cached gigabyte.
 */
Datum
uuid_keyorder_relation_page_cache_bytes(PG_FUNCTION_ARGS)
{
	return relation_bytes(fcinfo, uuid_keyorder_fork_page_cache_bytes);
}

/*
 * file_page_cache_bytes(tablespace oid, database oid, relfilenode oid, fork text)
 *
 * The same for a file without a name, in the numbers of relation_buffers().
 * NULL for numbers that no file has: shared relations, and they only, belong
 * to no database.
 */
Datum
uuid_keyorder_file_page_cache_bytes(PG_FUNCTION_ARGS)
{
	RelationStorage storage;
	ForkNumber	fork = forkname_to_number(text_to_cstring(PG_GETARG_TEXT_PP(3)));
	int64		bytes;

	storage.file.tablespace = PG_GETARG_OID(0);
	storage.file.database = PG_GETARG_OID(1);
	storage.file.number = PG_GETARG_OID(2);
	storage.backend = INVALID_PROC_NUMBER;

	/* core makes no path of such */
	if ((storage.file.tablespace == GLOBALTABLESPACE_OID) != !OidIsValid(storage.file.database))
		PG_RETURN_NULL();

	bytes = uuid_keyorder_fork_page_cache_bytes(&storage, fork);
	if (bytes < 0)
		PG_RETURN_NULL();
	PG_RETURN_INT64(bytes);
}

/*
 * physical_memory_bytes() returns bigint
 *
 * Memory of the machine as the operating system sees it, whatever a container
 * may be allowed of it; NULL where it does not tell.
 */
Datum
uuid_keyorder_physical_memory_bytes_sql(PG_FUNCTION_ARGS)
{
	int64		bytes = uuid_keyorder_physical_memory_bytes();

	if (bytes < 0)
		PG_RETURN_NULL();
	PG_RETURN_INT64(bytes);
}
