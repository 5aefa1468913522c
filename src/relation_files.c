/*-------------------------------------------------------------------------
 *
 * relation_files.c
 *	  The files of a relation, without a lock on it.
 *
 * A look at buffers and page cache must not queue behind a VACUUM FULL, so no
 * relation is opened or locked here: its row of pg_class tells its file, and
 * the operating system the rest.  A relation may be rewritten or dropped at any
 * moment; then its old file is gone, which is an answer and no error.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/relation_files.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/stat.h>

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "page_cache.h"
#include "relation_files.h"
#include "utils/inval.h"
#include "utils/syscache.h"

/* A partitioned table or index: its leaves have the storage. */
static inline bool
has_partitions(char relkind)
{
	return relkind == RELKIND_PARTITIONED_TABLE || relkind == RELKIND_PARTITIONED_INDEX;
}

/* Storage by that row of pg_class, palloc'd; NULL where it has none. */
static RelationStorage *
storage_of_row(Form_pg_class row)
{
	RelationStorage *storage = palloc(sizeof(RelationStorage));

	if (!uuid_keyorder_relation_file_of_row(row, &storage->file))
		return NULL;

	storage->backend = INVALID_PROC_NUMBER;
	if (row->relpersistence == RELPERSISTENCE_TEMP)
	{
		if (!isTempOrTempToastNamespace(row->relnamespace))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("cannot access temporary tables of other sessions")));
		storage->backend = ProcNumberForTempRelations();
	}
	return storage;
}

/* Add the storage of every leaf below a partitioned relation to the list. */
static List *
storage_of_leaves(Oid relation)
{
	List	   *storages = NIL;
	ListCell   *cell;

	foreach(cell, find_all_inheritors(relation, NoLock, NULL))
	{
		HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(lfirst_oid(cell)));
		RelationStorage *storage;

		if (!HeapTupleIsValid(tuple))
			continue;			/* dropped meanwhile */
		storage = storage_of_row((Form_pg_class) GETSTRUCT(tuple));
		if (storage != NULL)
			storages = lappend(storages, storage);
		ReleaseSysCache(tuple);
		CHECK_FOR_INTERRUPTS();
	}
	return storages;
}

/*
 * Storage of the relation as committed now: a list of one RelationStorage, or
 * of those of its leaves, none included, where it is partitioned.  relkind is
 * set to 0 when there is no such relation.
 *
 * ERROR 42809 when the relation is of a kind that has no storage, 0A000 when
 * it is a temporary one of another session.
 */
List *
uuid_keyorder_relation_storage(Oid relation, char *relkind)
{
	HeapTuple	tuple;
	Form_pg_class row;
	RelationStorage *storage;

	AcceptInvalidationMessages();
	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	*relkind = 0;
	if (!HeapTupleIsValid(tuple))
		return NIL;

	row = (Form_pg_class) GETSTRUCT(tuple);
	*relkind = row->relkind;
	storage = storage_of_row(row);
	if (storage == NULL && !has_partitions(row->relkind))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("relation \"%s\" does not have storage",
						NameStr(row->relname))));
	ReleaseSysCache(tuple);

	return storage == NULL ? storage_of_leaves(relation) : list_make1(storage);
}

/*
 * Sum of look_at() over the segments of the fork.  A segment that is shorter
 * than it might be is the last one.  BYTES_UNKNOWN when the first is missing or
 * look_at() cannot tell.
 */
static int64
sum_over_segments(const RelationStorage *storage, ForkNumber fork,
				  int64 (*look_at) (const char *))
{
	char		base[MAXPGPATH];
	char		path[MAXPGPATH];
	int64		total = 0;

	get_relation_path(base, sizeof(base), storage->file.tablespace, storage->file.database,
					  storage->file.number, storage->backend, fork);
	strlcpy(path, base, sizeof(path));

	for (int segment = 0;; segment++)
	{
		struct stat status;
		int64		bytes;

		if (segment > 0)
			snprintf(path, sizeof(path), "%s.%d", base, segment);
		if (stat(path, &status) != 0)
			return segment > 0 ? total : BYTES_UNKNOWN;
		bytes = look_at == NULL ? status.st_size : look_at(path);
		if (bytes < 0)
			return BYTES_UNKNOWN;
		total += bytes;
		if (status.st_size < (int64) RELSEG_SIZE * BLCKSZ)
			return total;
		CHECK_FOR_INTERRUPTS();
	}
}

/* Bytes of the fork on disk, or BYTES_UNKNOWN. */
int64
uuid_keyorder_fork_disk_bytes(const RelationStorage *storage, ForkNumber fork)
{
	return sum_over_segments(storage, fork, NULL);
}

/* Bytes of the fork in the page cache, or BYTES_UNKNOWN. */
int64
uuid_keyorder_fork_page_cache_bytes(const RelationStorage *storage, ForkNumber fork)
{
	return sum_over_segments(storage, fork, uuid_keyorder_page_cache_file_bytes);
}

/*
 * Number of blocks that a fork of a permanent relation has on disk, looking no
 * further than the segment of block "highest": a result above "highest" says
 * that this block and all before it are there.  0 when the file is missing or
 * empty, as it is from the commit of a DROP to the next checkpoint.  A file
 * that cannot be looked at for another reason counts as whole.  (smgrnblocks()
 * would raise an error, and keep the files open.)
 *
 * Takes no lock and raises no error but out of memory.  Costs one stat() where
 * the block is there, else one more for each segment that is not.
 */
BlockNumber
uuid_keyorder_fork_end(const RelationFile *file, ForkNumber fork, BlockNumber highest)
{
	char		path[MAXPGPATH];
	Size		length;
	BlockNumber segment = highest / RELSEG_SIZE;

	get_relation_path(path, sizeof(path), file->tablespace, file->database,
					  file->number, INVALID_PROC_NUMBER, fork);
	length = strlen(path);

	for (;;)
	{
		struct stat status;

		if (segment > 0)
			snprintf(path + length, sizeof(path) - length, ".%u", segment);
		else
			path[length] = '\0';

		if (stat(path, &status) != 0)
		{
			if (errno != ENOENT)
				return highest + 1;
		}
		else if (status.st_size > 0)
			return segment * RELSEG_SIZE + (BlockNumber) (status.st_size / BLCKSZ);

		if (segment == 0)
			return 0;
		segment--;
	}
}
