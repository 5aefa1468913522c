/*-------------------------------------------------------------------------
 *
 * leaf_scan.h
 *	  Which pages of an index to read, and reading them.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/leaf_scan.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_LEAF_SCAN_H
#define UUID_KEYORDER_LEAF_SCAN_H

#include "leaf_page.h"
#include "storage/buf.h"
#include "utils/rel.h"

/* Takes what was found on a page; no lock is held. */
typedef void (*PageVisitor) (const PageFacts *facts, void *arg);

/* Pages of one index to read.  Block 0, the metapage, is never among them. */
typedef struct LeafScan
{
	Relation	index;
	BlockNumber block_count;	/* of the index when the scan began */
	BlockNumber sample_pages;	/* block_count - 1 for all */
	uint32		seed;			/* of the sample */
	const PageReader *reader;
	PageVisitor visit;
	void	   *visit_arg;
} LeafScan;

extern void uuid_keyorder_leaf_scan(const LeafScan *scan);
extern bool uuid_keyorder_read_block(Relation index, BlockNumber block,
									 BufferAccessStrategy strategy, char *copy);

#endif							/* UUID_KEYORDER_LEAF_SCAN_H */
