/*-------------------------------------------------------------------------
 *
 * leaf_page.c
 *	  One page of a btree index in, one struct of counters out.
 *
 * The page is the caller's: share-locked, or a private copy.  Any bytes may be
 * given; nothing on the page is trusted before it is checked, and a page on
 * which something cannot be is PAGE_DAMAGED as a whole.
 *
 * Layout as in access/nbtree.h and the README of nbtree.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/leaf_page.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "access/tupmacs.h"
#include "compat.h"
#include "leaf_page.h"
#include "port/pg_bitutils.h"
#include "uuid_layout.h"

#define UUID_BYTES			16

/* An item whose only column is a uuid. */
#define PLAIN_KEY_OFFSET		MAXALIGN(sizeof(IndexTupleData))
#define PLAIN_UUID_ITEM_BYTES	((int) MAXALIGN(PLAIN_KEY_OFFSET + UUID_BYTES))

#define SPECIAL_OFFSET		(BLCKSZ - MAXALIGN(sizeof(BTPageOpaqueData)))

/* Every flag that 9.5 to 19 set on a page. */
#define KNOWN_PAGE_FLAGS	((BTP_HAS_FULLXID << 1) - 1)

/* Longest posting list tuple that a rebuild makes: _bt_load in nbtsort.c. */
#define MAX_POSTING_TUPLE_BYTES \
	((int) MAXALIGN_DOWN(MAXALIGN_DOWN(BLCKSZ * 10 / 100) - sizeof(ItemIdData)))

/* What processors in use fetch at once. */
#define CACHE_LINE_BYTES	64

/* Header and line pointers of a leaf full of uuids, at 28 bytes each. */
#define LINE_POINTERS_BYTES	((int) SizeOfPageHeaderData + BLCKSZ / 7)

/* A leaf item taken apart. */
typedef struct LeafItem
{
	IndexTuple	tuple;
	int			base_bytes;		/* without the list of TIDs */
	int			heap_tids;
} LeafItem;

/*
 * Whether the fixed header and the special space are those of a btree page.
 * New pages are not.
 */
bool
uuid_keyorder_page_header_is_sound(Page page)
{
	PageHeader	header = (PageHeader) page;

	return header->pd_special == SPECIAL_OFFSET &&
		header->pd_lower >= SizeOfPageHeaderData &&
		header->pd_lower <= header->pd_upper &&
		header->pd_upper <= SPECIAL_OFFSET;
}

/*
 * Read block 0.  Versions 2 to 4 are those that PostgreSQL 14 to 19 read.
 */
void
uuid_keyorder_metapage_read(Page page, MetapageFacts *facts)
{
	BTMetaPageData *meta = BTPageGetMeta(page);

	memset(facts, 0, sizeof(*facts));
	if (PageIsNew(page) || !uuid_keyorder_page_header_is_sound(page) ||
		!P_ISMETA(BTPageGetOpaque(page)) ||
		meta->btm_magic != BTREE_MAGIC ||
		meta->btm_version < BTREE_MIN_VERSION || meta->btm_version > BTREE_VERSION)
		return;

	facts->valid = true;
	facts->version = meta->btm_version;
	facts->level = meta->btm_level;
	facts->root = meta->btm_root;
	/* before version 4 these bytes are not written */
	facts->allequalimage = meta->btm_version >= BTREE_VERSION && meta->btm_allequalimage;
}

/*
 * Offset in the tuple of a column, *isnull set, or -1 where the tuple cannot
 * be: every step stays inside tuple_bytes.  Not for truncated columns.
 * column may be column_count, for the end of the last one.
 *
 * A tuple walk of its own, since core's index_getattr trusts what it reads.
 */
int
uuid_keyorder_tuple_column_offset(IndexTuple tuple, int tuple_bytes,
								  const PageReader *reader, int column, bool *isnull)
{
	const char *start = (const char *) tuple;
	const uint8 *nulls = IndexTupleHasNulls(tuple) ? (const uint8 *) (start + sizeof(IndexTupleData)) : NULL;
	int			offset = IndexInfoFindDataOffset(tuple->t_info);

	*isnull = false;
	for (int i = 0; i <= column; i++)
	{
		int			length;

		if (offset > tuple_bytes)
			return -1;
		if (i == reader->column_count)
			return offset;
		if (nulls && att_isnull(i, nulls))
		{
			*isnull = (i == column);
			continue;
		}

		length = reader->columns[i].length;
		offset = att_align_pointer(offset, reader->columns[i].alignment, length, start + offset);
		if (offset >= tuple_bytes)
			return -1;
		if (length == -1)
		{
			if (VARATT_IS_1B_E(start + offset))
				return -1;		/* never in an index */
			length = VARATT_IS_1B(start + offset) ?
				VARSIZE_1B(start + offset) : VARSIZE_4B(start + offset);
			if (length <= 0)
				return -1;
		}
		else if (length == -2)
			length = strnlen(start + offset, tuple_bytes - offset) + 1;

		if (length > tuple_bytes - offset)
			return -1;
		if (i == column)
			return offset;
		offset += length;
	}
	return offset;
}

/* Kind of a uuid. */
static inline KeyKind
kind_of_uuid(const unsigned char *data)
{
	static const unsigned char nil[UUID_BYTES] = {0};

	if (uuid_has_rfc_variant(data))
		return uuid_is_append_key(data) ? KEY_APPEND : (KeyKind) uuid_get_version(data);
	if (memcmp(data, nil, UUID_BYTES) == 0)
		return KEY_NIL;
	for (int i = 0; i < UUID_BYTES; i++)
		if (data[i] != 0xff)
			return KEY_OTHER_VARIANT;
	return KEY_MAX;
}

/*
 * Take a leaf item apart.  False where it cannot be.
 */
static inline bool
read_item(Page page, ItemId line_pointer, LeafItem *item)
{
	int			stored_bytes = ItemIdGetLength(line_pointer);
	IndexTuple	tuple = (IndexTuple) PageGetItem(page, line_pointer);

	item->tuple = tuple;
	item->base_bytes = stored_bytes;
	item->heap_tids = 1;

	if (IndexTupleSize(tuple) != stored_bytes || BTreeTupleIsPivot(tuple))
		return false;
	if (BTreeTupleIsPosting(tuple))
	{
		item->base_bytes = BTreeTupleGetPostingOffset(tuple);
		item->heap_tids = BTreeTupleGetNPosting(tuple);
		if (item->base_bytes < (int) sizeof(IndexTupleData) ||
			item->base_bytes != MAXALIGN(item->base_bytes) ||
			item->heap_tids < 1 ||
			item->base_bytes + item->heap_tids * (int) sizeof(ItemPointerData) > stored_bytes)
			return false;
	}
	return true;
}

/* A line pointer as a number whose low bits are lp_off. */
static inline uint32
offset_to_low_bits(uint32 line_pointer)
{
#ifdef WORDS_BIGENDIAN
	return pg_rotate_right32(line_pointer, 17);
#else
	return line_pointer;
#endif
}

/* A line pointer with these fields, so turned. */
static inline uint32
line_pointer_word(unsigned int offset, unsigned int flags, unsigned int bytes)
{
	ItemIdData	line_pointer;
	uint32		word;

	ItemIdSetUnused(&line_pointer);
	line_pointer.lp_off = offset;
	line_pointer.lp_flags = flags;
	line_pointer.lp_len = bytes;
	memcpy(&word, &line_pointer, sizeof(word));
	return offset_to_low_bits(word);
}

/*
 * Whether all these line pointers are LP_NORMAL and lead to items of that many
 * bytes on the page; false where there is none.
 *
 * Written so that compilers turn it into few vector instructions: this is what
 * keeps a scan that looks at every item near the speed of one that does not.
 */
static bool
line_pointers_are_plain(Page page, OffsetNumber first, int count, int bytes)
{
	const ItemIdData *line_pointers = PageGetItemId(page, first);
	const uint32 plain = line_pointer_word(0, LP_NORMAL, bytes);
	const uint32 lowest = plain + ((PageHeader) page)->pd_upper;
	const uint32 highest = plain + SPECIAL_OFFSET - bytes;
	const uint32 offset_bits = 0x7fff;
	uint32		set_in_all = PG_UINT32_MAX;
	uint32		set_in_any = 0;
	uint32		outside = 0;

	for (int i = 0; i < count; i++)
	{
		uint32		word;

		memcpy(&word, &line_pointers[i], sizeof(word));
		word = offset_to_low_bits(word);
		set_in_all &= word;
		set_in_any |= word;
		/* where all but lp_off are plain, a difference below 0 has the high bit */
		outside |= (word - lowest) | (highest - word);
	}
	return (set_in_all & ~offset_bits) == plain &&
		(set_in_any & ~offset_bits) == plain &&
		(set_in_any & (MAXIMUM_ALIGNOF - 1)) == 0 &&
		(outside & 0x80000000) == 0;
}

/*
 * Count the items' line pointers, and check that each leads to a tuple on the
 * page.  Looks at no tuple.
 */
static bool
count_line_pointers(Page page, OffsetNumber first, OffsetNumber last, PageFacts *facts)
{
	unsigned int upper = ((PageHeader) page)->pd_upper;
	unsigned int wrong = 0;

	for (OffsetNumber i = first; i <= last; i++)
	{
		ItemId		line_pointer = PageGetItemId(page, i);
		unsigned int offset = ItemIdGetOffset(line_pointer);
		unsigned int bytes = ItemIdGetLength(line_pointer);

		wrong |= (!ItemIdIsNormal(line_pointer) && !ItemIdIsDead(line_pointer)) |
			(offset < upper) | (offset + bytes > SPECIAL_OFFSET) |
			(offset % MAXIMUM_ALIGNOF) | (bytes < sizeof(IndexTupleData)) |
			(bytes > LONGEST_ITEM_BYTES);
		facts->item_bytes += bytes;
		facts->dead_items += ItemIdIsDead(line_pointer);
	}
	return wrong == 0;
}

/*
 * Whether the high key's line pointer leads to a tuple on the page.  There is
 * one.  Apart from those of the items, which may all be alike.
 */
static bool
high_key_is_sound(Page page)
{
	ItemId		line_pointer = PageGetItemId(page, P_HIKEY);
	unsigned int offset = ItemIdGetOffset(line_pointer);
	unsigned int bytes = ItemIdGetLength(line_pointer);

	return (ItemIdIsNormal(line_pointer) || ItemIdIsDead(line_pointer)) &&
		offset >= ((PageHeader) page)->pd_upper &&
		offset + bytes <= SPECIAL_OFFSET &&
		offset % MAXIMUM_ALIGNOF == 0 &&
		bytes >= sizeof(IndexTupleData) && bytes <= LONGEST_ITEM_BYTES &&
		IndexTupleSize((IndexTuple) PageGetItem(page, line_pointer)) == bytes;
}

/* Append a run of items to be rebuilt. */
static inline void
append_run(PageFacts *facts, int item_bytes, int posting_bytes, int count)
{
	RebuiltRun *run = &facts->runs[facts->run_count - 1];

	if (count == 0)
		return;
	if (facts->run_count > 0 && run->item_bytes == item_bytes &&
		run->posting_bytes == posting_bytes)
	{
		run->count += count;
		return;
	}
	run++;
	run->item_bytes = item_bytes;
	run->posting_bytes = posting_bytes;
	run->count = count;
	facts->run_count++;
}

/*
 * Append the items that a rebuild makes of equal keys with that many TIDs:
 * _bt_sort_dedup_finish_pending in nbtsort.c.  Where the keys go on on the
 * next page, the last list is left to be continued.
 */
static void
append_equal_keys(PageFacts *facts, int base_bytes, int heap_tids, bool goes_on)
{
	int			tid_bytes = sizeof(ItemPointerData);
	int			most_tids = (MAX_POSTING_TUPLE_BYTES - base_bytes) / tid_bytes;
	int			full_bytes = MAXALIGN(base_bytes + most_tids * tid_bytes);
	int			rest = heap_tids;
	int			rest_bytes;

	if (most_tids < 2)
	{
		append_run(facts, base_bytes, 0, heap_tids);
		return;
	}
	append_run(facts, full_bytes, full_bytes - base_bytes, heap_tids / most_tids);
	rest = heap_tids % most_tids;
	if (rest == 0)
		return;
	if (goes_on)
	{
		facts->continued.item_bytes = full_bytes;
		facts->continued.posting_bytes = full_bytes - base_bytes;
		facts->continued.count = 1;
		facts->continued_share = (double) rest / most_tids;
		return;
	}
	rest_bytes = rest == 1 ? base_bytes : MAXALIGN(base_bytes + rest * tid_bytes);
	append_run(facts, rest_bytes, rest_bytes - base_bytes, 1);
}

/* Whether two items have the same key, byte for byte. */
static inline bool
keys_are_equal(const LeafItem *left, const LeafItem *right)
{
	const int	header_bytes = sizeof(IndexTupleData);

	return left->base_bytes == right->base_bytes &&
		((left->tuple->t_info ^ right->tuple->t_info) & (INDEX_NULL_MASK | INDEX_VAR_MASK)) == 0 &&
		memcmp((char *) left->tuple + header_bytes, (char *) right->tuple + header_bytes,
			   left->base_bytes - header_bytes) == 0;
}

/* Whether the key of an item is that of the high key too. */
static bool
key_equals_high_key(Page page, const LeafItem *item)
{
	ItemId		line_pointer = PageGetItemId(page, P_HIKEY);
	IndexTuple	high_key = (IndexTuple) PageGetItem(page, line_pointer);
	const int	header_bytes = sizeof(IndexTupleData);

	/* a whole key, perhaps with a TID behind it */
	return ItemIdGetLength(line_pointer) >= item->base_bytes &&
		memcmp((char *) high_key + header_bytes, (char *) item->tuple + header_bytes,
			   item->base_bytes - header_bytes) == 0;
}

/*
 * Look at each item: TIDs, posting lists, and what a rebuild makes of them.
 * False where an item cannot be.
 */
static bool
read_items(Page page, const PageReader *reader, OffsetNumber first,
		   OffsetNumber last, PageFacts *facts)
{
	LeafItem	group = {NULL, 0, 0};	/* items with equal keys */

	facts->heap_tids = 0;
	for (OffsetNumber i = first; i <= last; i++)
	{
		ItemId		line_pointer = PageGetItemId(page, i);
		LeafItem	item;

		if (!read_item(page, line_pointer, &item))
			return false;
		facts->heap_tids += item.heap_tids;
		if (item.base_bytes != ItemIdGetLength(line_pointer))
			facts->posting_tuples++;

		if (!reader->wants_runs || ItemIdIsDead(line_pointer))
			continue;
		if (!reader->rebuild_deduplicates)
			append_run(facts, item.base_bytes, 0, item.heap_tids);
		else if (group.tuple != NULL && keys_are_equal(&group, &item))
			group.heap_tids += item.heap_tids;
		else
		{
			if (group.tuple != NULL)
				append_equal_keys(facts, group.base_bytes, group.heap_tids, false);
			group = item;
		}
	}
	if (group.tuple != NULL)
		append_equal_keys(facts, group.base_bytes, group.heap_tids,
						  facts->has_right && key_equals_high_key(page, &group));
	return true;
}

/*
 * Bits that are set in all keys of a plain page, and in any, of the four bytes
 * from that byte of a key on.
 *
 * Goes through the space of the items from one end to the other, past the line
 * pointers: nearly every byte of an index goes by here.
 */
static inline void
combine_keys(const char *first_item, const char *end, int byte,
			 uint32 *set_in_all, uint32 *set_in_any)
{
	*set_in_all = PG_UINT32_MAX;
	*set_in_any = 0;
	for (const char *item = first_item; item < end; item += PLAIN_UUID_ITEM_BYTES)
	{
		uint32		word;

		memcpy(&word, item + PLAIN_KEY_OFFSET + byte, sizeof(word));
		*set_in_all &= word;
		*set_in_any |= word;
	}
}

/*
 * Kind of every key on a plain page, the high key included; -1 where they are
 * not all of one, or are not easily seen to be.
 */
static int
kind_of_plain_page(Page page, const PageFacts *facts)
{
	static const unsigned char fields[4] = {0xf0, 0x00, 0xc0, 0x00};	/* of bytes 6 to 9 */
	const char *first_item = (char *) page + ((PageHeader) page)->pd_upper;
	const char *end = (char *) page + SPECIAL_OFFSET;
	const unsigned char *first_key = (const unsigned char *) first_item + PLAIN_KEY_OFFSET;
	int			tuples = facts->items + (facts->has_right ? 1 : 0);
	uint32		mask;
	uint32		set_in_all;
	uint32		set_in_any;

	/* no gaps, and a high key of the same form */
	if (facts->items == 0 || end - first_item != tuples * PLAIN_UUID_ITEM_BYTES ||
		(facts->has_right && facts->high_key_bytes != PLAIN_UUID_ITEM_BYTES))
		return -1;

	memcpy(&mask, fields, sizeof(mask));
	combine_keys(first_item, end, 6, &set_in_all, &set_in_any);
	if (((set_in_all ^ set_in_any) & mask) != 0 || !uuid_has_rfc_variant(first_key))
		return -1;
	if (uuid_get_version(first_key) != 8)
		return uuid_get_version(first_key);

	/* append keys are those that begin with so many ones */
	combine_keys(first_item, end, 0, &set_in_all, &set_in_any);
	return pg_ntoh32(set_in_all) >> (32 - UUIDV8_APPEND_ONE_BITS) == UUIDV8_APPEND_ONES ?
		KEY_APPEND : -1;
}

/*
 * Count items by the kind of their uuid, which is the only column of them all.
 */
static void
count_plain_key_kinds(Page page, OffsetNumber first, OffsetNumber last, PageFacts *facts)
{
	int			kind = kind_of_plain_page(page, facts);
	int			version = 0;
	int			count = 0;

	if (kind >= 0)
	{
		facts->key_counts[kind] = facts->items;
		return;
	}

	for (OffsetNumber i = first; i <= last; i++)
	{
		const unsigned char *data = (const unsigned char *)
			PageGetItem(page, PageGetItemId(page, i)) + PLAIN_KEY_OFFSET;

		/* mostly like the one before; append keys begin with 0xff */
		if (uuid_is_version(data, version) && data[0] != 0xff)
		{
			count++;
			continue;
		}
		facts->key_counts[version] += count;
		count = 0;
		if (uuid_has_rfc_variant(data))
			version = uuid_get_version(data);
		facts->key_counts[kind_of_uuid(data)]++;
	}
	facts->key_counts[version] += count;
}

/*
 * Count items by the kind of their uuid, wherever it stands.  False where an
 * item cannot be.
 */
static bool
count_key_kinds(Page page, const PageReader *reader, OffsetNumber first,
				OffsetNumber last, PageFacts *facts)
{
	for (OffsetNumber i = first; i <= last; i++)
	{
		ItemId		line_pointer = PageGetItemId(page, i);
		IndexTuple	tuple = (IndexTuple) PageGetItem(page, line_pointer);
		bool		isnull;
		int			offset = uuid_keyorder_tuple_column_offset(tuple,
															   ItemIdGetLength(line_pointer),
															   reader, reader->uuid_column,
															   &isnull);

		if (offset < 0)
			return false;
		facts->key_counts[isnull ? KEY_NULL :
						  kind_of_uuid((unsigned char *) tuple + offset)]++;
	}
	return true;
}

/*
 * Fill the part of a leaf.  False where something cannot be.
 */
static bool
read_leaf(Page page, BlockNumber block, const PageReader *reader, PageFacts *facts)
{
	BTPageOpaque opaque = BTPageGetOpaque(page);
	OffsetNumber first = P_FIRSTDATAKEY(opaque);
	OffsetNumber last = PageGetMaxOffsetNumber(page);
	bool		plain;

	facts->has_right = !P_RIGHTMOST(opaque);
	facts->right_is_lower = facts->has_right && opaque->btpo_next < block;
	facts->right_is_next = facts->has_right && opaque->btpo_next == block + 1;
	facts->free_bytes = PageGetExactFreeSpace(page);
	facts->available_bytes = SPECIAL_OFFSET - SizeOfPageHeaderData;

	if (last > MaxIndexTuplesPerPage || last + 1 < first)
		return false;
	facts->items = last + 1 - first;
	facts->heap_tids = facts->items;
	if (facts->has_right)
	{
		if (!high_key_is_sound(page))
			return false;
		facts->high_key_bytes = ItemIdGetLength(PageGetItemId(page, P_HIKEY));
	}

	plain = reader->plain_item_bytes > 0 &&
		line_pointers_are_plain(page, first, facts->items, reader->plain_item_bytes);
	if (plain)
		facts->item_bytes = facts->items * reader->plain_item_bytes;
	else if (!count_line_pointers(page, first, last, facts))
		return false;
	/* items lie side by side */
	if (facts->item_bytes > SPECIAL_OFFSET - ((PageHeader) page)->pd_upper)
		return false;

	/* where items need not be looked at, they are not */
	if (plain && !(reader->wants_runs && reader->rebuild_deduplicates))
		append_run(facts, reader->plain_item_bytes, 0, facts->items);
	else if (reader->may_hold_postings || reader->wants_runs)
	{
		if (!read_items(page, reader, first, last, facts))
			return false;
	}

	if (reader->uuid_column < 0)
		return true;
	if (plain)
	{
		count_plain_key_kinds(page, first, last, facts);
		return true;
	}
	return count_key_kinds(page, reader, first, last, facts);
}

/*
 * Class of a page by header and flags alone.  Deleted comes before half dead,
 * half dead before leaf: their flags pile up.
 */
static PageKind
classify_page(Page page)
{
	BTPageOpaque opaque;

	if (PageIsNew(page))
		return PAGE_NEW;
	if (!uuid_keyorder_page_header_is_sound(page))
		return PAGE_DAMAGED;

	opaque = BTPageGetOpaque(page);
	if ((opaque->btpo_flags & ~KNOWN_PAGE_FLAGS) != 0 || P_ISMETA(opaque))
		return PAGE_DAMAGED;
	if (P_ISDELETED(opaque))
		return PAGE_DELETED;
	if (P_ISHALFDEAD(opaque))
		return PAGE_HALF_DEAD;
	if ((P_ISLEAF(opaque) != 0) != (opaque->btpo_level == 0))
		return PAGE_DAMAGED;
	return P_ISLEAF(opaque) ? PAGE_LEAF : PAGE_INTERNAL;
}

/*
 * Read a page of that block number, not the metapage.  *facts is filled whole.
 */
void
uuid_keyorder_page_read(Page page, BlockNumber block, const PageReader *reader,
						PageFacts *facts)
{
	/* the runs need no clearing */
	memset(facts, 0, offsetof(PageFacts, runs));
	facts->continued_share = 0;
	memset(facts->key_counts, 0, sizeof(facts->key_counts));

	facts->kind = classify_page(page);
	if (facts->kind != PAGE_LEAF)
		return;
	if (!read_leaf(page, block, reader, facts))
	{
		memset(facts, 0, offsetof(PageFacts, runs));
		facts->kind = PAGE_DAMAGED;
	}
	else if (reader->leaf_copy)
		memcpy(reader->leaf_copy, page, BLCKSZ);
}

/*
 * Whether uuid_keyorder_page_read() is taken to look at all of a leaf, not only
 * at its line pointers.  A guess that decides what is fetched ahead, not what
 * is read.
 */
bool
uuid_keyorder_page_is_read_whole(const PageReader *reader)
{
	return reader->plain_item_bytes == 0 || reader->uuid_column >= 0 ||
		reader->leaf_copy != NULL;
}

/*
 * Have the processor fetch what uuid_keyorder_page_read() will look at on most
 * pages.  The page is pinned, and need not be locked.
 */
void
uuid_keyorder_page_prefetch(Page page, const PageReader *reader)
{
#if defined(__GNUC__)
	int			bytes = uuid_keyorder_page_is_read_whole(reader) ? BLCKSZ : LINE_POINTERS_BYTES;

	for (int offset = 0; offset < bytes; offset += CACHE_LINE_BYTES)
		__builtin_prefetch((char *) page + offset);
	__builtin_prefetch((char *) page + SPECIAL_OFFSET);
#endif
}
