/*-------------------------------------------------------------------------
 *
 * leaf_order.c
 *	  Keys of a btree index in their order.
 *
 * A leaf is placed by its high key, which bounds its items from above whether
 * or not it has any; the last leaf, which has none, by its last item.  High
 * keys may be cut off behind the columns that matter, and a missing column is
 * lower than any value, as in _bt_compare.
 *
 * Everything works on private copies of pages: comparing keys runs code of
 * their operator classes.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/leaf_order.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/nbtree.h"
#include "access/tupmacs.h"
#include "compat.h"
#include "leaf_order.h"
#include "leaf_scan.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/lsyscache.h"

/*
 * Make a key of an item on a private page.  False where it cannot be one.  The
 * key points into the page.
 */
static bool
key_of_item(Page page, OffsetNumber number, const KeyOrder *order, OrderedKey *key)
{
	ItemId		line_pointer = PageGetItemId(page, number);
	int			bytes = ItemIdGetLength(line_pointer);
	IndexTuple	tuple;
	bool		isnull;

	if (ItemIdGetOffset(line_pointer) < ((PageHeader) page)->pd_upper ||
		ItemIdGetOffset(line_pointer) != MAXALIGN(ItemIdGetOffset(line_pointer)) ||
		ItemIdGetOffset(line_pointer) + bytes > ((PageHeader) page)->pd_special ||
		bytes < sizeof(IndexTupleData))
		return false;

	tuple = (IndexTuple) PageGetItem(page, line_pointer);
	if (IndexTupleSize(tuple) != bytes)
		return false;

	key->is_infinite = false;
	key->tuple = tuple;
	key->tuple_bytes = bytes;
	key->has_heap_tid = false;
	key->key_columns = order->key_columns;
	if (BTreeTupleIsPivot(tuple))
	{
		key->key_columns = Min(BTreeTupleGetNAtts(tuple, order->index), order->key_columns);
		if (BTreeTupleGetHeapTID(tuple) != NULL)
		{
			key->has_heap_tid = true;
			memcpy(&key->heap_tid, BTreeTupleGetHeapTID(tuple), sizeof(ItemPointerData));
		}
	}

	return key->key_columns == 0 ||
		uuid_keyorder_tuple_column_offset(tuple, bytes, order->reader,
										  key->key_columns - 1, &isnull) >= 0;
}

/* A key above all others. */
static void
make_infinite(OrderedKey *key)
{
	memset(key, 0, sizeof(*key));
	key->is_infinite = true;
}

/*
 * Value of a column of a key that has it, numbered from 0.
 */
static Datum
key_column(const OrderedKey *key, const KeyOrder *order, int column, bool *isnull)
{
	Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(order->index), column);
	int			offset = uuid_keyorder_tuple_column_offset(key->tuple, key->tuple_bytes,
														   order->reader, column, isnull);

	if (*isnull || offset < 0)
		return (Datum) 0;
	return fetch_att((char *) key->tuple + offset, attribute->attbyval, attribute->attlen);
}

/*
 * Compare one column in the order of the index.
 */
static int
compare_column(const OrderedKey *left, const OrderedKey *right, const KeyOrder *order,
			   int column)
{
	int16		option = order->index->rd_indoption[column];
	bool		left_isnull;
	bool		right_isnull;
	Datum		left_value = key_column(left, order, column, &left_isnull);
	Datum		right_value = key_column(right, order, column, &right_isnull);
	int			result;

	if (left_isnull || right_isnull)
	{
		if (left_isnull && right_isnull)
			return 0;
		result = left_isnull ? 1 : -1;
		return (option & INDOPTION_NULLS_FIRST) ? -result : result;
	}

	result = DatumGetInt32(FunctionCall2Coll(index_getprocinfo(order->index, column + 1,
															   BTORDER_PROC),
											 order->index->rd_indcollation[column],
											 left_value, right_value));
	if (option & INDOPTION_DESC)
		INVERT_COMPARE_RESULT(result);
	return result;
}

/*
 * Compare two keys: less than, equal to or greater than 0.
 */
int
uuid_keyorder_compare_keys(const OrderedKey *left, const OrderedKey *right,
						   const KeyOrder *order)
{
	if (left->is_infinite || right->is_infinite)
		return (int) left->is_infinite - (int) right->is_infinite;

	for (int i = 0; i < Min(left->key_columns, right->key_columns); i++)
	{
		int			result = compare_column(left, right, order, i);

		if (result != 0)
			return result;
	}

	if (left->key_columns != right->key_columns)
		return left->key_columns - right->key_columns;
	if (left->has_heap_tid && right->has_heap_tid)
		return ItemPointerCompare(unconstify(ItemPointerData *, &left->heap_tid),
								  unconstify(ItemPointerData *, &right->heap_tid));
	return (int) left->has_heap_tid - (int) right->has_heap_tid;
}

/* Copy a key into memory of its own. */
void
uuid_keyorder_copy_key(OrderedKey *copy, const OrderedKey *key)
{
	*copy = *key;
	if (key->is_infinite)
		return;
	copy->tuple = palloc(key->tuple_bytes);
	memcpy(copy->tuple, key->tuple, key->tuple_bytes);
}

/* Release a copied key. */
void
uuid_keyorder_free_key(OrderedKey *key)
{
	if (!key->is_infinite && key->tuple != NULL)
		pfree(key->tuple);
	key->tuple = NULL;
}

/*
 * A key as text: the value, or with several columns "(value, value)".
 */
char *
uuid_keyorder_key_text(const OrderedKey *key, const KeyOrder *order)
{
	StringInfoData text;

	initStringInfo(&text);
	if (order->key_columns > 1)
		appendStringInfoChar(&text, '(');
	for (int i = 0; i < key->key_columns; i++)
	{
		Oid			output_function;
		bool		is_varlena;
		bool		isnull;
		Datum		value = key_column(key, order, i, &isnull);

		getTypeOutputInfo(TupleDescAttr(RelationGetDescr(order->index), i)->atttypid,
						  &output_function, &is_varlena);
		appendStringInfo(&text, "%s%s", i > 0 ? ", " : "",
						 isnull ? "null" : OidOutputFunctionCall(output_function, value));
	}
	if (order->key_columns > 1)
		appendStringInfoChar(&text, ')');
	return text.data;
}

/*
 * High key of a leaf, which must be a sound private copy.  The last leaf of an
 * index has none: its last item stands in, above all of its index but not
 * above the indexes of other partitions.  False where that is damaged.
 */
bool
uuid_keyorder_leaf_high_key(Page leaf, const KeyOrder *order, OrderedKey *key)
{
	OffsetNumber last_number = PageGetMaxOffsetNumber(leaf);

	if (!P_RIGHTMOST(BTPageGetOpaque(leaf)))
		return key_of_item(leaf, P_HIKEY, order, key);
	if (last_number >= P_FIRSTDATAKEY(BTPageGetOpaque(leaf)))
		return key_of_item(leaf, last_number, order, key);
	make_infinite(key);
	return true;
}

/*
 * First and last key on a leaf.  False where it has none.
 */
bool
uuid_keyorder_leaf_end_keys(Page leaf, const KeyOrder *order, OrderedKey *first,
							OrderedKey *last)
{
	OffsetNumber first_number = P_FIRSTDATAKEY(BTPageGetOpaque(leaf));
	OffsetNumber last_number = PageGetMaxOffsetNumber(leaf);

	return first_number <= last_number &&
		key_of_item(leaf, first_number, order, first) &&
		key_of_item(leaf, last_number, order, last);
}

/*
 * Copy a page of the tree above the leaves.  False where it is none.
 */
static bool
read_internal_page(Relation index, BlockNumber block, BufferAccessStrategy strategy,
				   Page page)
{
	return uuid_keyorder_read_block(index, block, strategy, page) &&
		!PageIsNew(page) && uuid_keyorder_page_header_is_sound(page) &&
		!P_ISMETA(BTPageGetOpaque(page)) && !P_ISLEAF(BTPageGetOpaque(page)) &&
		PageGetMaxOffsetNumber(page) <= MaxIndexTuplesPerPage;
}

/*
 * Hand on the keys of one page right above the leaves that are high keys of
 * leaves: all downlinks' but the first, which has none, then its own.
 */
static void
visit_downlinks(Page page, const KeyOrder *order, HighKeyVisitor visit, void *arg)
{
	BTPageOpaque opaque = BTPageGetOpaque(page);
	OrderedKey	key;

	for (OffsetNumber i = P_FIRSTDATAKEY(opaque) + 1; i <= PageGetMaxOffsetNumber(page); i++)
	{
		if (key_of_item(page, i, order, &key))
			visit(&key, arg);
	}
	if (!P_RIGHTMOST(opaque) && key_of_item(page, P_HIKEY, order, &key))
		visit(&key, arg);
}

/*
 * Hand the high keys of all leaves but the last to the visitor, in the order
 * of keys, by walking the level above the leaves: about half a percent of the
 * pages.  Ends early where that level is damaged.  Not a snapshot: leaves that
 * are split or deleted meanwhile may be there or not.
 */
void
uuid_keyorder_walk_high_keys(Relation index, const MetapageFacts *metapage,
							 BlockNumber block_count, const KeyOrder *order,
							 HighKeyVisitor visit, void *arg)
{
	BufferAccessStrategy strategy = GetAccessStrategy(BAS_BULKREAD);
	Page		page = (Page) palloc(BLCKSZ);
	BlockNumber block = metapage->root;

	/* each step is to another page, unless links run in a circle */
	for (BlockNumber steps = 0; metapage->level > 0 && steps < block_count; steps++)
	{
		BTPageOpaque opaque;

		CHECK_FOR_INTERRUPTS();
		if (block == P_NONE || block >= block_count ||
			!read_internal_page(index, block, strategy, page))
			break;

		opaque = BTPageGetOpaque(page);
		if (P_IGNORE(opaque))
		{
			block = opaque->btpo_next;
			continue;
		}
		if (opaque->btpo_level > 1)
		{
			OrderedKey	key;
			OffsetNumber first = P_FIRSTDATAKEY(opaque);

			if (first > PageGetMaxOffsetNumber(page) ||
				!key_of_item(page, first, order, &key))
				break;
			block = BTreeTupleGetDownLink(key.tuple);
			continue;
		}
		visit_downlinks(page, order, visit, arg);
		block = opaque->btpo_next;
	}

	pfree(page);
	FreeAccessStrategy(strategy);
}
