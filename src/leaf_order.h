/*-------------------------------------------------------------------------
 *
 * leaf_order.h
 *	  Keys of a btree index in their order.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/leaf_order.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_LEAF_ORDER_H
#define UUID_KEYORDER_LEAF_ORDER_H

#include "leaf_page.h"
#include "utils/rel.h"

/* A key, whole or cut off behind its first columns, or above all keys. */
typedef struct OrderedKey
{
	bool		is_infinite;	/* above all; the rest is not set */
	int			key_columns;	/* of those there are; a missing one is lowest */
	bool		has_heap_tid;	/* likewise */
	ItemPointerData heap_tid;
	int			tuple_bytes;
	IndexTuple	tuple;
} OrderedKey;

/* How keys of an index compare. */
typedef struct KeyOrder
{
	Relation	index;			/* stays open */
	const PageReader *reader;	/* how columns lie */
	int			key_columns;
} KeyOrder;

/* Takes the high key of a leaf but the last, in the order of keys. */
typedef void (*HighKeyVisitor) (const OrderedKey *key, void *arg);

extern int	uuid_keyorder_compare_keys(const OrderedKey *left, const OrderedKey *right,
									   const KeyOrder *order);
extern void uuid_keyorder_copy_key(OrderedKey *copy, const OrderedKey *key);
extern void uuid_keyorder_free_key(OrderedKey *key);
extern char *uuid_keyorder_key_text(const OrderedKey *key, const KeyOrder *order);
extern bool uuid_keyorder_leaf_high_key(Page leaf, const KeyOrder *order, OrderedKey *key);
extern bool uuid_keyorder_leaf_end_keys(Page leaf, const KeyOrder *order,
										OrderedKey *first, OrderedKey *last);
extern void uuid_keyorder_walk_high_keys(Relation index, const MetapageFacts *metapage,
										 BlockNumber block_count, const KeyOrder *order,
										 HighKeyVisitor visit, void *arg);

#endif							/* UUID_KEYORDER_LEAF_ORDER_H */
