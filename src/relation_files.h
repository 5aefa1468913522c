/*-------------------------------------------------------------------------
 *
 * relation_files.h
 *	  The files of a relation, without a lock on it.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/relation_files.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_RELATION_FILES_H
#define UUID_KEYORDER_RELATION_FILES_H

#include "nodes/pg_list.h"
#include "relation_names.h"
#include "storage/block.h"

/*
 * Storage of a relation: its file, and the backend in whose name it is where
 * it is temporary, INVALID_PROC_NUMBER where it is in shared buffers.
 */
typedef struct RelationStorage
{
	RelationFile file;
	int			backend;
} RelationStorage;

/* No such file, or the operating system does not tell. */
#define BYTES_UNKNOWN	(-1)

extern List *uuid_keyorder_relation_storage(Oid relation, char *relkind);
extern int64 uuid_keyorder_fork_disk_bytes(const RelationStorage *storage, ForkNumber fork);
extern int64 uuid_keyorder_fork_page_cache_bytes(const RelationStorage *storage, ForkNumber fork);
extern BlockNumber uuid_keyorder_fork_end(const RelationFile *file, ForkNumber fork,
										  BlockNumber highest);

#endif							/* UUID_KEYORDER_RELATION_FILES_H */
