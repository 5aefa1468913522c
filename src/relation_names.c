/*-------------------------------------------------------------------------
 *
 * relation_names.c
 *	  From the numbers in a buffer tag to the names of relations.
 *
 * A tag holds tablespace, database and file number; pg_class holds names.
 * Both are joined here by one read of pg_class, made after the numbers were
 * collected: a relation that was rewritten or dropped in between is found by
 * its new file or not at all, never under a wrong name.
 *
 * Three things make the join more than an equality.  Mapped catalogs have 0
 * in pg_class.relfilenode and their number in the relation mapper.  Shared
 * catalogs belong to database 0.  A tablespace of 0 means the default of the
 * database.  Temporary relations are left out: they have no buffer among the
 * shared ones, and their numbers may be those of a permanent relation.
 *
 * Not to be named: relations of other databases, and those that no committed
 * row of pg_class knows yet or any more.  relfilenodemap.c of core answers for
 * one number at a time what this does for all.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/relation_names.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_tablespace_d.h"
#include "commands/dbcommands.h"
#include "commands/tablespace.h"
#include "miscadmin.h"
#include "relation_names.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relmapper.h"

typedef struct NamedFile
{
	RelationFile file;
	Oid			relation;
	char		status;			/* for simplehash */
} NamedFile;

#define SH_PREFIX		named_files
#define SH_ELEMENT_TYPE	NamedFile
#define SH_KEY_TYPE		RelationFile
#define SH_KEY			file
#define SH_HASH_KEY(table, key)		relation_file_hash(&(key))
#define SH_EQUAL(table, a, b)		relation_file_equal(&(a), &(b))
#define SH_SCOPE		static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* Names that were looked up lately, by the low bits of their OID. */
#define REMEMBERED_NAMES	8

typedef struct RememberedName
{
	Oid			oid;
	NameData	name;
} RememberedName;

struct RelationNames
{
	named_files_hash *files;
	RememberedName databases[REMEMBERED_NAMES];
	RememberedName tablespaces[REMEMBERED_NAMES];
};

/*
 * File of the relation in that row of pg_class.  False when it has none.  As
 * RelationInitPhysicalAddr() of core.
 */
bool
uuid_keyorder_relation_file_of_row(Form_pg_class row, RelationFile *file)
{
	if (!RELKIND_HAS_STORAGE(row->relkind))
		return false;

	file->tablespace = OidIsValid(row->reltablespace) ? row->reltablespace : MyDatabaseTableSpace;
	file->database = file->tablespace == GLOBALTABLESPACE_OID ? InvalidOid : MyDatabaseId;
	file->number = row->relfilenode;
	if (file->number == InvalidRelFileNumber)
		file->number = RelationMapOidToFilenumber(row->oid, row->relisshared);
	return file->number != InvalidRelFileNumber;
}

/* No names yet, in the current memory context. */
RelationNames *
uuid_keyorder_relation_names_create(void)
{
	RelationNames *names = palloc0(sizeof(RelationNames));

	names->files = named_files_create(CurrentMemoryContext, 256, NULL);
	return names;
}

/*
 * Read the names of all relations of this database and of shared catalogs, as
 * committed now, in the current memory context.  Takes AccessShareLock on
 * pg_class for the time of the call.  Costs one scan of it, and some 50 bytes
 * a relation.
 */
RelationNames *
uuid_keyorder_relation_names_read(void)
{
	RelationNames *names = uuid_keyorder_relation_names_create();
	Relation	pg_class;
	SysScanDesc scan;
	HeapTuple	tuple;

	/* The snapshot below is new when something changed, once this has told. */
	AcceptInvalidationMessages();
	pg_class = table_open(RelationRelationId, AccessShareLock);
	scan = systable_beginscan(pg_class, InvalidOid, false, NULL, 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_class row = (Form_pg_class) GETSTRUCT(tuple);
		RelationFile file;
		bool		found;

		if (row->relpersistence != RELPERSISTENCE_TEMP &&
			uuid_keyorder_relation_file_of_row(row, &file))
			named_files_insert(names->files, file, &found)->relation = row->oid;
	}
	systable_endscan(scan);
	table_close(pg_class, AccessShareLock);

	return names;
}

/* Relation that has this file, or InvalidOid. */
Oid
uuid_keyorder_relation_names_find(RelationNames *names, const RelationFile *file)
{
	NamedFile  *named = named_files_lookup(names->files, *file);

	return named == NULL ? InvalidOid : named->relation;
}

/*
 * The name as a Datum of type name, which lives until the next call for
 * another OID.  Where nothing has that OID, as for a database in creation,
 * the OID in digits.
 */
static Datum
remembered_name(RememberedName *names, Oid oid, char *(*look_up) (Oid))
{
	RememberedName *remembered = &names[oid % REMEMBERED_NAMES];

	if (remembered->oid != oid)
	{
		char	   *name = look_up(oid);

		memset(&remembered->name, 0, sizeof(NameData));
		if (name != NULL)
			namestrcpy(&remembered->name, name);
		else
			snprintf(NameStr(remembered->name), NAMEDATALEN, "%u", oid);
		remembered->oid = oid;
	}
	return NameGetDatum(&remembered->name);
}

/* Name of the database, NULL for 0: shared catalogs have none. */
Datum
uuid_keyorder_database_name(RelationNames *names, Oid database, bool *isnull)
{
	*isnull = !OidIsValid(database);
	return *isnull ? (Datum) 0 :
		remembered_name(names->databases, database, get_database_name);
}

/* Name of the tablespace, NULL for 0. */
Datum
uuid_keyorder_tablespace_name(RelationNames *names, Oid tablespace, bool *isnull)
{
	*isnull = !OidIsValid(tablespace);
	return *isnull ? (Datum) 0 :
		remembered_name(names->tablespaces, tablespace, get_tablespace_name);
}
