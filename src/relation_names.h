/*-------------------------------------------------------------------------
 *
 * relation_names.h
 *	  From the numbers in a buffer tag to the names of relations.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/relation_names.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_RELATION_NAMES_H
#define UUID_KEYORDER_RELATION_NAMES_H

#include "catalog/pg_class.h"
#include "common/hashfn.h"
#include "compat.h"

/*
 * What tells the files of a relation from those of every other on the server,
 * its forks aside: as in buffer tags.  The tablespace is never 0; the database
 * is 0 for shared catalogs.  No padding: may be compared as bytes.
 */
typedef struct RelationFile
{
	Oid			tablespace;
	Oid			database;
	RelFileNumber number;
} RelationFile;

static inline bool
relation_file_equal(const RelationFile *a, const RelationFile *b)
{
	return a->number == b->number && a->database == b->database &&
		a->tablespace == b->tablespace;
}

static inline uint32
relation_file_hash(const RelationFile *file)
{
	return murmurhash32(file->number ^ (file->database * 0x9E3779B1U) ^
						(file->tablespace * 0x85EBCA77U));
}

/* Names of the relations of this database and of shared ones, by file. */
typedef struct RelationNames RelationNames;

extern bool uuid_keyorder_relation_file_of_row(Form_pg_class row, RelationFile *file);
extern RelationNames *uuid_keyorder_relation_names_create(void);
extern RelationNames *uuid_keyorder_relation_names_read(void);
extern Oid	uuid_keyorder_relation_names_find(RelationNames *names, const RelationFile *file);
extern Datum uuid_keyorder_database_name(RelationNames *names, Oid database, bool *isnull);
extern Datum uuid_keyorder_tablespace_name(RelationNames *names, Oid tablespace, bool *isnull);

#endif							/* UUID_KEYORDER_RELATION_NAMES_H */
