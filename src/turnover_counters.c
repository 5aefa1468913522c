/*-------------------------------------------------------------------------
 *
 * turnover_counters.c
 *	  Pages loaded and evicted per relation, in shared memory.
 *
 * A table of fixed size holds the counters of MAX_RELATIONS relations, keyed
 * by file: the sampler knows no names.  Who reads looks the names up.  A
 * rewrite gives a relation a new file, and so new counters.  When the table is
 * full, those of files that are no more are added up into one row without a
 * name; if that makes no room, so are those of newcomers.
 *
 * Locks.  One LWLock: readers and relation_turnover_reset() take it for a copy
 * of the table, the sampler once a look for adding what it saw.  So each
 * reader sees whole looks only.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/turnover_counters.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "relation_files.h"
#include "relation_names.h"
#include "storage/bufmgr.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "turnover_counters.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(uuid_keyorder_relation_turnover);
PG_FUNCTION_INFO_V1(uuid_keyorder_relation_turnover_reset);

/* Name of the shared memory and of its lock. */
#define SHARED_NAME			"uuid_keyorder turnover"

/* Relations with counters of their own: 0.4 MB of shared memory. */
#define MAX_RELATIONS		8192

/* A full table is searched for files that are no more this often. */
#define PURGE_INTERVAL_MS	60000

/* Columns of relation_turnover(). */
#define TURNOVER_COLUMNS	13

typedef struct TurnoverTable
{
	uint64		resets;			/* calls of relation_turnover_reset() */
	TimestampTz since;			/* of the last, else start of the server */
	int64		looks;
	int64		changed_buffers;
	int64		interval_ns;	/* sums over all looks */
	int64		duration_ns;
	TurnoverCounts unlisted;	/* of relations without a place below */
	int			nrelations;
	TurnoverChange relations[MAX_RELATIONS];
} TurnoverTable;

/* Both NULL where the library is not preloaded. */
static TurnoverTable *shared_table = NULL;
static LWLock *shared_lock = NULL;

static shmem_request_hook_type previous_shmem_request_hook = NULL;
static shmem_startup_hook_type previous_shmem_startup_hook = NULL;

/* Where a file's counters are: the sampler's own index of the table. */
typedef struct Place
{
	RelationFile file;			/* hash key */
	int			number;			/* in TurnoverTable.relations */
} Place;

static HTAB *places = NULL;		/* NULL: to be built anew */
static uint64 places_resets;	/* TurnoverTable.resets as of places */

static void
add_counts(TurnoverCounts *sum, const TurnoverCounts *counts)
{
	sum->loaded_pages += counts->loaded_pages;
	sum->evicted_pages += counts->evicted_pages;
	sum->evicted_dirty_pages += counts->evicted_dirty_pages;
	sum->removed_pages += counts->removed_pages;
}

/* Count from nothing.  The lock is held exclusively, or nobody else is there. */
static void
clear_table(TurnoverTable *table)
{
	table->since = GetCurrentTimestamp();
	table->looks = 0;
	table->changed_buffers = 0;
	table->interval_ns = 0;
	table->duration_ns = 0;
	memset(&table->unlisted, 0, sizeof(table->unlisted));
	table->nrelations = 0;
}

static void
request_shared_memory(void)
{
	if (previous_shmem_request_hook)
		previous_shmem_request_hook();

	RequestAddinShmemSpace(MAXALIGN(sizeof(TurnoverTable)));
	RequestNamedLWLockTranche(SHARED_NAME, 1);
}

static void
attach_shared_memory(void)
{
	bool		found;

	if (previous_shmem_startup_hook)
		previous_shmem_startup_hook();

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shared_table = ShmemInitStruct(SHARED_NAME, sizeof(TurnoverTable), &found);
	shared_lock = &GetNamedLWLockTranche(SHARED_NAME)->lock;
	if (!found)
	{
		shared_table->resets = 0;
		clear_table(shared_table);
	}
	LWLockRelease(AddinShmemInitLock);
}

/* Ask for the shared memory.  In the postmaster, while libraries preload. */
void
uuid_keyorder_turnover_counters_init(void)
{
	previous_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = attach_shared_memory;
	previous_shmem_request_hook = set_shmem_request_hook(request_shared_memory);
}

/* Build the index of the table.  The lock is held. */
static void
index_places(void)
{
	HASHCTL		control = {0};

	if (places != NULL)
		hash_destroy(places);
	places = NULL;

	control.keysize = sizeof(RelationFile);
	control.entrysize = sizeof(Place);
	control.hcxt = TopMemoryContext;
	places = hash_create("places of turnover counters", 256, &control,
						 HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	places_resets = shared_table->resets;

	for (int i = 0; i < shared_table->nrelations; i++)
	{
		Place	   *place = hash_search(places, &shared_table->relations[i].file,
										HASH_ENTER, NULL);

		place->number = i;
	}
}

/*
 * Make room in a full table: move the counters of files that are no more, or
 * empty, to the row without a name.  The lock is held exclusively.  Costs a
 * stat() per relation; does nothing when it was done within a minute.
 */
static void
purge_missing_files(void)
{
	static TimestampTz last_purge = 0;
	TimestampTz now = GetCurrentTimestamp();
	int			kept = 0;

	if (!TimestampDifferenceExceeds(last_purge, now, PURGE_INTERVAL_MS))
		return;
	last_purge = now;

	for (int i = 0; i < shared_table->nrelations; i++)
	{
		TurnoverChange *relation = &shared_table->relations[i];

		if (uuid_keyorder_fork_end(&relation->file, MAIN_FORKNUM, 0) > 0)
			shared_table->relations[kept++] = *relation;
		else
			add_counts(&shared_table->unlisted, &relation->counts);
	}
	shared_table->nrelations = kept;
	index_places();
}

/* The counters of a file, or those of the row without a name. */
static TurnoverCounts *
counts_of_file(const RelationFile *file)
{
	Place	   *place = hash_search(places, file, HASH_FIND, NULL);
	TurnoverChange *relation;

	if (place != NULL)
		return &shared_table->relations[place->number].counts;

	if (shared_table->nrelations == MAX_RELATIONS)
		purge_missing_files();
	if (shared_table->nrelations == MAX_RELATIONS)
		return &shared_table->unlisted;

	place = hash_search(places, file, HASH_ENTER, NULL);
	place->number = shared_table->nrelations++;
	relation = &shared_table->relations[place->number];
	relation->file = *file;
	memset(&relation->counts, 0, sizeof(relation->counts));
	return &relation->counts;
}

/*
 * Add a look of the sampler: the entries of "changes" begin with a
 * TurnoverChange.  Only the one sampler of the server may call this.
 */
void
uuid_keyorder_turnover_counters_add(const TurnoverLook *look, HTAB *changes)
{
	HASH_SEQ_STATUS scan;
	TurnoverChange *change;

	LWLockAcquire(shared_lock, LW_EXCLUSIVE);

	if (places == NULL || places_resets != shared_table->resets)
		index_places();

	shared_table->looks++;
	shared_table->changed_buffers += look->changed_buffers;
	shared_table->interval_ns += look->interval_ns;
	shared_table->duration_ns += look->duration_ns;

	hash_seq_init(&scan, changes);
	while ((change = hash_seq_search(&scan)) != NULL)
		add_counts(counts_of_file(&change->file), &change->counts);

	LWLockRelease(shared_lock);
}

/* ERROR 55000 where the library is not preloaded. */
static void
check_preloaded(void)
{
	if (shared_table == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("uuid_keyorder must be loaded via \"shared_preload_libraries\""),
				 errhint("Add it there, set \"uuid_keyorder.turnover_interval\" and restart the server.")));
}

/* A copy of the table as it is between two looks. */
static TurnoverTable *
copy_table(void)
{
	TurnoverTable *copy = palloc(sizeof(TurnoverTable));

	LWLockAcquire(shared_lock, LW_SHARED);
	memcpy(copy, shared_table,
		   offsetof(TurnoverTable, relations) +
		   sizeof(TurnoverChange) * shared_table->nrelations);
	LWLockRelease(shared_lock);
	return copy;
}

/*
 * Append a row.  "file" may lack the number, when the row is for several files
 * of a database, and the database too.
 */
static void
put_row(ReturnSetInfo *result, RelationNames *names, const TurnoverTable *table,
		Oid relation, const RelationFile *file, const TurnoverCounts *counts)
{
	Datum		values[TURNOVER_COLUMNS] = {0};
	bool		nulls[TURNOVER_COLUMNS] = {false};
	double		looks = Max(table->looks, 1);

	values[0] = uuid_keyorder_database_name(names, file->database, &nulls[0]);
	values[1] = uuid_keyorder_tablespace_name(names, file->tablespace, &nulls[1]);
	values[2] = ObjectIdGetDatum(relation);
	nulls[2] = !OidIsValid(relation);
	values[3] = ObjectIdGetDatum(file->number);
	nulls[3] = (file->number == InvalidRelFileNumber);
	values[4] = Int64GetDatum(counts->loaded_pages);
	values[5] = Int64GetDatum(counts->evicted_pages);
	values[6] = Int64GetDatum(counts->evicted_dirty_pages);
	values[7] = Int64GetDatum(counts->removed_pages);
	values[8] = TimestampTzGetDatum(table->since);
	values[9] = Int64GetDatum(table->looks);
	values[10] = Float8GetDatum(table->interval_ns / looks / 1e6);
	values[11] = Float8GetDatum(100.0 * table->changed_buffers / looks / NBuffers);
	values[12] = Float8GetDatum(table->duration_ns / looks / 1e6);
	nulls[10] = nulls[11] = nulls[12] = (table->looks == 0);

	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * relation_turnover() returns setof record
 *
 * One row for each file that gained or lost a page since the counters were
 * reset: by name for relations of this database and shared catalogs, by number
 * only for other databases.  One row without a number sums up the files of
 * this database that have no committed name, of relations dropped, rewritten
 * or in creation; and one without a database, which is always there, what is
 * in none of the others.  So the sum over all rows is over the server.  The
 * last five columns are about the sampler and the same in all rows; NULL where
 * no look was taken yet.
 *
 * ERROR 55000 where the library is not preloaded.  Takes AccessShareLock on
 * pg_class, and an LWLock for the time of copying at most 0.4 MB.  Costs one
 * scan of pg_class.
 */
Datum
uuid_keyorder_relation_turnover(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	RelationFile several = {InvalidOid, InvalidOid, InvalidRelFileNumber};
	TurnoverCounts nameless = {0};
	TurnoverTable *table;
	RelationNames *names;

	check_preloaded();
	InitMaterializedSRF(fcinfo, 0);
	table = copy_table();
	names = uuid_keyorder_relation_names_read();

	for (int i = 0; i < table->nrelations; i++)
	{
		const TurnoverChange *each = &table->relations[i];
		Oid			relation = uuid_keyorder_relation_names_find(names, &each->file);

		if (OidIsValid(relation))
			put_row(result, names, table, relation, &each->file, &each->counts);
		else if (each->file.database == MyDatabaseId)
			add_counts(&nameless, &each->counts);
		else if (SearchSysCacheExists1(DATABASEOID, ObjectIdGetDatum(each->file.database)))
			put_row(result, names, table, InvalidOid, &each->file, &each->counts);
		else
			add_counts(&table->unlisted, &each->counts);
	}

	put_row(result, names, table, InvalidOid, &several, &table->unlisted);
	several.database = MyDatabaseId;
	put_row(result, names, table, InvalidOid, &several, &nameless);

	return (Datum) 0;
}

/*
 * relation_turnover_reset() returns void
 *
 * Count from nothing.  What changed since the last look is still to be seen,
 * and will count.  Works in recovery.  ERROR 55000 where the library is not
 * preloaded.
 */
Datum
uuid_keyorder_relation_turnover_reset(PG_FUNCTION_ARGS)
{
	check_preloaded();

	LWLockAcquire(shared_lock, LW_EXCLUSIVE);
	shared_table->resets++;
	clear_table(shared_table);
	LWLockRelease(shared_lock);

	PG_RETURN_VOID();
}
