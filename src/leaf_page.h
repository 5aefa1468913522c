/*-------------------------------------------------------------------------
 *
 * leaf_page.h
 *	  One page of a btree index in, one struct of counters out.
 *
 * Knows nothing of SQL.  No allocation, no error: fit to be called under a
 * buffer lock, on any bytes.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/leaf_page.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_LEAF_PAGE_H
#define UUID_KEYORDER_LEAF_PAGE_H

#include "access/itup.h"
#include "leaf_estimate.h"
#include "storage/block.h"
#include "storage/bufpage.h"

/* What a page is; every page but the metapage is one of these. */
typedef enum PageKind
{
	PAGE_LEAF,
	PAGE_INTERNAL,
	PAGE_HALF_DEAD,				/* of any level, half way to deletion */
	PAGE_DELETED,
	PAGE_NEW,					/* all zero */
	PAGE_DAMAGED				/* unreadable, or no page of a btree */
} PageKind;

#define PAGE_KINDS	(PAGE_DAMAGED + 1)

/*
 * What the uuid key column of an item holds.  0 to 15 are versions under the
 * variant of RFC 9562.
 */
typedef enum KeyKind
{
	KEY_VERSION_0 = 0,
	KEY_VERSION_15 = 15,
	KEY_APPEND,					/* version 8 as uuidv8_append() makes it */
	KEY_NIL,
	KEY_MAX,
	KEY_OTHER_VARIANT,
	KEY_NULL
} KeyKind;

#define KEY_KINDS	(KEY_NULL + 1)

/* How a column lies in a tuple. */
typedef struct TupleColumn
{
	int16		length;			/* as pg_type.typlen */
	char		alignment;		/* as pg_type.typalign */
} TupleColumn;

/* What to look for on the pages of one index. */
typedef struct PageReader
{
	bool		may_hold_postings;	/* metapage allows deduplication */
	int			plain_item_bytes;	/* an item this long is no posting tuple; 0:
									 * look at each */
	bool		rebuild_deduplicates;
	bool		wants_runs;		/* fill runs, for the rebuild estimate */
	int			uuid_column;	/* 0-based, fill key_counts; -1: do not */
	int			column_count;
	TupleColumn columns[INDEX_MAX_KEYS];
	char	   *leaf_copy;		/* if set, leaves are copied here, BLCKSZ */
} PageReader;

typedef struct PageFacts
{
	PageKind	kind;

	/* Of a leaf; heads of api.md's columns, summed over its items. */
	bool		has_right;		/* has a right sibling */
	bool		right_is_lower; /* which lies at a lower block */
	bool		right_is_next;	/* which lies at the next block */
	int			items;			/* line pointers but the high key's */
	int			heap_tids;
	int			posting_tuples;
	int			dead_items;
	int			item_bytes;
	int			free_bytes;
	int			available_bytes;
	int			high_key_bytes; /* 0 on the rightmost */

	/* The items as a rebuild would lay them down, dead ones left out. */
	int			run_count;
	RebuiltRun	runs[2 * MaxIndexTuplesPerPage];
	RebuiltRun	continued;		/* a posting list of which ... */
	double		continued_share;	/* ... this part goes on from here */

	int			key_counts[KEY_KINDS];
} PageFacts;

/* The metapage. */
typedef struct MetapageFacts
{
	bool		valid;			/* else the rest is 0 */
	int			version;
	int			level;
	BlockNumber root;
	bool		allequalimage;
} MetapageFacts;

extern void uuid_keyorder_metapage_read(Page page, MetapageFacts *facts);
extern void uuid_keyorder_page_read(Page page, BlockNumber block,
									const PageReader *reader, PageFacts *facts);
extern bool uuid_keyorder_page_is_read_whole(const PageReader *reader);
extern void uuid_keyorder_page_prefetch(Page page, const PageReader *reader);
extern bool uuid_keyorder_page_header_is_sound(Page page);
extern int	uuid_keyorder_tuple_column_offset(IndexTuple tuple, int tuple_bytes,
											  const PageReader *reader, int column,
											  bool *isnull);

#endif							/* UUID_KEYORDER_LEAF_PAGE_H */
