/*-------------------------------------------------------------------------
 *
 * index_open.c
 *	  Open a btree index for inspection: the checks in one fixed order.
 *
 * The table is locked before the index, as every command does that takes
 * both, and ACCESS SHARE is all that is taken, so that this works on a hot
 * standby.  While an index is open, code of its operator classes and types
 * runs as the table's owner in a restricted operation, as in contrib/amcheck:
 * a superuser who inspects somebody's index does not run somebody's code.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/index_open.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/nbtree.h"
#include "access/relation.h"
#include "access/xlog.h"
#include "catalog/index.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type_d.h"
#include "compat.h"
#include "index_open.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

/* Names of the btree indexes of a table, quoted and qualified; "" if none. */
static char *
btree_index_names(Relation table)
{
	StringInfoData names;
	ListCell   *cell;

	initStringInfo(&names);
	foreach(cell, RelationGetIndexList(table))
	{
		Oid			index_oid = lfirst_oid(cell);
		char	   *name = get_rel_name(index_oid);
		Relation	index = name ? try_relation_open(index_oid, AccessShareLock) : NULL;

		if (index == NULL)
			continue;
		if (index->rd_rel->relam == BTREE_AM_OID)
			appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "",
							 quote_qualified_identifier(get_namespace_name(RelationGetNamespace(index)),
														RelationGetRelationName(index)));
		relation_close(index, AccessShareLock);
	}
	return names.data;
}

/* The error for a relation that is no btree index. */
static void
report_wrong_kind(Relation relation)
{
	char		kind = relation->rd_rel->relkind;
	bool		has_indexes = kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE ||
		kind == RELKIND_MATVIEW || kind == RELKIND_TOASTVALUE;
	char	   *names = has_indexes ? btree_index_names(relation) : "";

	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 errmsg("relation \"%s\" is not a btree index", RelationGetRelationName(relation)),
			 !has_indexes ? 0 :
			 names[0] == '\0' ? errhint("The table has no btree index.") :
			 errhint("Its btree indexes are: %s.", names)));
}

/*
 * Checks in fixed order: kind, access method, other session's temporary,
 * validity, recovery.
 */
static void
check_index(Relation index)
{
	if ((index->rd_rel->relkind != RELKIND_INDEX &&
		 index->rd_rel->relkind != RELKIND_PARTITIONED_INDEX) ||
		index->rd_rel->relam != BTREE_AM_OID)
		report_wrong_kind(index);

	if (RELATION_IS_OTHER_TEMP(index))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot access temporary tables of other sessions")));

	if (!index->rd_index->indisvalid)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index \"%s\" is not valid", RelationGetRelationName(index))));

	if (RecoveryInProgress() && !RelationIsPermanent(index))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot access temporary or unlogged relations during recovery")));
}

/* The error for an OID without a relation. */
static void
report_missing(Oid index_oid)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_TABLE),
			 errmsg("relation with OID %u does not exist", index_oid)));
}

/*
 * Open a btree index, or a partitioned one, under ACCESS SHARE, its table
 * under the same, and become the table's owner.  ERROR with core's words for
 * anything that cannot be inspected.  An ERROR later undoes all of it.
 */
void
uuid_keyorder_index_open(Oid index_oid, OpenIndex *opened)
{
	Oid			table_oid = IndexGetRelation(index_oid, true);

	opened->table = NULL;
	if (OidIsValid(table_oid))
	{
		opened->table = try_relation_open(table_oid, AccessShareLock);
		if (opened->table == NULL)
			report_missing(index_oid);
	}

	opened->index = try_relation_open(index_oid, AccessShareLock);
	if (opened->index == NULL)
		report_missing(index_oid);
	check_index(opened->index);

	/* dropped and its number given anew, before the locks were there */
	if (opened->table == NULL || opened->index->rd_index->indrelid != table_oid)
		report_missing(index_oid);

	GetUserIdAndSecContext(&opened->caller, &opened->caller_security);
	SetUserIdAndSecContext(opened->table->rd_rel->relowner,
						   opened->caller_security | SECURITY_RESTRICTED_OPERATION);
	opened->settings_level = NewGUCNestLevel();
	RestrictSearchPath();
}

/*
 * Close it, release both locks, and be the caller again.
 */
void
uuid_keyorder_index_close(OpenIndex *opened)
{
	AtEOXact_GUC(false, opened->settings_level);
	SetUserIdAndSecContext(opened->caller, opened->caller_security);
	relation_close(opened->index, AccessShareLock);
	relation_close(opened->table, AccessShareLock);
}

/*
 * Run a check as the caller, not as the table's owner.
 */
void
uuid_keyorder_index_check_as_caller(OpenIndex *opened, CallerCheck check)
{
	Oid			owner;
	int			owner_security;

	GetUserIdAndSecContext(&owner, &owner_security);
	SetUserIdAndSecContext(opened->caller, opened->caller_security);
	check(opened->table, opened->index);
	SetUserIdAndSecContext(owner, owner_security);
}

/*
 * OIDs of the indexes that have pages: the leaf partitions' indexes of a
 * partitioned index, else the index alone.  The lock on the partitioned table
 * keeps its partitions.
 */
List *
uuid_keyorder_index_members(Relation index)
{
	List	   *members = NIL;
	ListCell   *cell;

	if (index->rd_rel->relkind != RELKIND_PARTITIONED_INDEX)
		return list_make1_oid(RelationGetRelid(index));

	foreach(cell, find_all_inheritors(RelationGetRelid(index), NoLock, NULL))
	{
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_INDEX)
			members = lappend_oid(members, lfirst_oid(cell));
	}
	return members;
}

/*
 * Size of an item of a one-column index whose type has a fixed width, 0 for
 * any other index.  A tuple of that size is no posting list tuple: the key of
 * such a list is either whole, and two TIDs come on top, or NULL, and then the
 * list is at least 16 + 16 bytes long.
 */
static int
plain_item_bytes(Relation index)
{
	int			column_bytes = TupleDescAttr(RelationGetDescr(index), 0)->attlen;
	int			item_bytes = MAXALIGN(MAXALIGN(sizeof(IndexTupleData)) + column_bytes);

	if (RelationGetNumberOfAttributes(index) != 1 || column_bytes <= 0 ||
		item_bytes >= 32)
		return 0;
	return item_bytes;
}

/*
 * What a scan and a rebuild of a plain index have to know.  Calls support
 * functions of its operator classes.
 */
void
uuid_keyorder_index_layout(Relation index, IndexLayout *layout, PageReader *reader)
{
	TupleDesc	descriptor = RelationGetDescr(index);

	/* A partitioned index has no pages of its own, and no options for them. */
	layout->target_free_bytes = 0;
	layout->rebuild_deduplicates = false;
	if (index->rd_rel->relkind == RELKIND_INDEX)
	{
		layout->target_free_bytes = BTGetTargetPageFreeSpace(index);
		layout->rebuild_deduplicates = !index->rd_index->indisunique &&
			BTGetDeduplicateItems(index) && _bt_allequalimage(index, false);
	}
	layout->plain_item_bytes = plain_item_bytes(index);
	layout->uuid_column = -1;

	reader->column_count = descriptor->natts;
	for (int i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(descriptor, i);

		reader->columns[i].length = attribute->attlen;
		reader->columns[i].alignment = attribute->attalign;
		if (layout->uuid_column < 0 &&
			i < IndexRelationGetNumberOfKeyAttributes(index) &&
			getBaseType(attribute->atttypid) == UUIDOID)
			layout->uuid_column = i;
	}
}
