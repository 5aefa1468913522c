/*-------------------------------------------------------------------------
 *
 * leaf_scan.c
 *	  Which pages of an index to read, and reading them.
 *
 * Pages are read in the order of blocks, through a ring that leaves
 * shared_buffers alone, on 17 and later through a read stream.  This is not a
 * snapshot: what is said of each page was true when it was looked at, and a
 * page that comes from a split during the scan may be missed or counted.
 *
 * A page that the buffer manager refuses (bad checksum, impossible header,
 * short file) is an ERROR for every reader.  Here it is a fact about the
 * index, so reading goes on in a new subtransaction behind it.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/leaf_scan.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "access/xact.h"
#include "compat.h"
#include "leaf_scan.h"
#include "lib/qunique.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/sampling.h"

/* How the blocks of a scan are chosen. */
typedef enum ChoiceMethod
{
	CHOOSE_ALL,
	CHOOSE_DRAWN,				/* few of many: drawn before, in an array */
	CHOOSE_WALKING				/* BlockSampler, which walks over all numbers */
} ChoiceMethod;

/*
 * The next block, and the ones after.  A plain value: a copy goes its own way
 * over the same blocks.
 */
typedef struct BlockChooser
{
	ChoiceMethod method;
	BlockNumber next;			/* block, or index in drawn */
	BlockNumber end;			/* of the above */
	const BlockNumber *drawn;
	BlockSamplerData sampler;
} BlockChooser;

/*
 * Up to that many blocks are drawn beforehand, and only if they are few of
 * all.  Walking costs some nanoseconds for each block of the index, which
 * would make a small sample of a large index cost as the index grows.
 */
#define MOST_DRAWN_BLOCKS		(1 << 20)
#define DRAWN_BLOCKS_DIVISOR	16

static int
compare_block_numbers(const void *left, const void *right)
{
	BlockNumber left_block = *(const BlockNumber *) left;
	BlockNumber right_block = *(const BlockNumber *) right;

	return (left_block > right_block) - (left_block < right_block);
}

/* sort_block_numbers(), with the comparison inlined */
#define ST_SORT sort_block_numbers
#define ST_ELEMENT_TYPE BlockNumber
#define ST_COMPARE(left, right) compare_block_numbers(left, right)
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/*
 * Draw that many different blocks out of 1 .. block_count - 1, ascending.
 * Drawing again for each repetition leaves every set equally likely.
 */
static BlockNumber *
draw_blocks(BlockSampler sampler, BlockNumber block_count, BlockNumber wanted)
{
	BlockNumber *blocks = palloc(sizeof(BlockNumber) * wanted);
	BlockNumber count = 0;

	while (count < wanted)
	{
		while (count < wanted)
			blocks[count++] = 1 + (BlockNumber) (block_sampler_random_fract(sampler) *
												 (block_count - 1));
		sort_block_numbers(blocks, count);
		count = qunique(blocks, count, sizeof(BlockNumber), compare_block_numbers);
	}
	return blocks;
}

/* Set out for the blocks of a scan. */
static void
start_choosing(const LeafScan *scan, BlockChooser *chooser)
{
	BlockNumber candidates = scan->block_count - 1;

	chooser->next = 1;
	chooser->end = scan->block_count;
	chooser->drawn = NULL;
	chooser->method = CHOOSE_ALL;
	if (scan->sample_pages >= candidates)
		return;

	BlockSampler_Init(&chooser->sampler, candidates, scan->sample_pages, scan->seed);
	chooser->method = CHOOSE_WALKING;
	if (scan->sample_pages > MOST_DRAWN_BLOCKS ||
		scan->sample_pages > candidates / DRAWN_BLOCKS_DIVISOR)
		return;

	chooser->method = CHOOSE_DRAWN;
	chooser->drawn = draw_blocks(&chooser->sampler, scan->block_count, scan->sample_pages);
	chooser->next = 0;
	chooser->end = scan->sample_pages;
}

/* The next block, InvalidBlockNumber at the end. */
static BlockNumber
choose_block(BlockChooser *chooser)
{
	if (chooser->method == CHOOSE_WALKING)
		return BlockSampler_HasMore(&chooser->sampler) ?
			1 + BlockSampler_Next(&chooser->sampler) : InvalidBlockNumber;
	if (chooser->next >= chooser->end)
		return InvalidBlockNumber;
	if (chooser->method == CHOOSE_DRAWN)
		return chooser->drawn[chooser->next++];
	return chooser->next++;
}

/* A read that may meet a page that cannot be read. */
typedef void (*BlockReader) (void *arg);

/*
 * Run that in a subtransaction.  False when it met corrupted data; other
 * errors go on.
 */
static bool
read_tolerantly(BlockReader read, void *arg)
{
	MemoryContext caller_context = CurrentMemoryContext;
	ResourceOwner caller_owner = CurrentResourceOwner;
	volatile bool succeeded = true;

	BeginInternalSubTransaction(NULL);
	PG_TRY();
	{
		read(arg);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(caller_context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		CurrentResourceOwner = caller_owner;
		if (error->sqlerrcode != ERRCODE_DATA_CORRUPTED)
			ReThrowError(error);
		FreeErrorData(error);
		succeeded = false;
	}
	PG_END_TRY();

	MemoryContextSwitchTo(caller_context);
	CurrentResourceOwner = caller_owner;
	return succeeded;
}

/* One run of read_pages, up to the end or to a page that cannot be read. */
typedef struct ScanRun
{
	const LeafScan *scan;
	BufferAccessStrategy strategy;
	BlockChooser *chooser;		/* behind the block that is being read */
	BlockNumber block;			/* that block */
	MemoryContext caller_context;
	PageFacts  *facts;
} ScanRun;

/* ReadStreamBlockNumberCB over a chooser that runs ahead. */
static BlockNumber
next_stream_block(ReadStream *stream, void *callback_private_data, void *per_buffer_data)
{
	return choose_block((BlockChooser *) callback_private_data);
}

/* Look at a page of a pinned buffer, release it and hand the page on. */
static void
visit_buffer(ScanRun *run, Buffer buffer)
{
	MemoryContext read_context;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	uuid_keyorder_page_read(BufferGetPage(buffer), run->block, run->scan->reader, run->facts);
	UnlockReleaseBuffer(buffer);

	read_context = MemoryContextSwitchTo(run->caller_context);
	run->scan->visit(run->facts, run->scan->visit_arg);
	MemoryContextSwitchTo(read_context);
}

/*
 * The next buffer of the stream, invalid at the end.  Its page sets out from
 * memory to the processor.
 */
static Buffer
next_buffer(ReadStream *stream, const PageReader *reader)
{
	Buffer		buffer = read_stream_next_buffer(stream, NULL);

	if (BufferIsValid(buffer))
		uuid_keyorder_page_prefetch(BufferGetPage(buffer), reader);
	return buffer;
}

/*
 * BlockReader: pages up to the end, or to a read that fails.
 *
 * Where pages are cached, a look at one is mostly waiting for memory.  So one
 * buffer is pinned ahead, unless whole pages are fetched: these keep memory
 * busy by themselves.
 */
static void
read_pages(void *arg)
{
	ScanRun    *run = (ScanRun *) arg;
	const LeafScan *scan = run->scan;
	bool		pin_ahead = !uuid_keyorder_page_is_read_whole(scan->reader);
	BlockChooser ahead = *run->chooser;
	ReadStream *stream;
	Buffer		next = InvalidBuffer;

	/* in the subtransaction's memory, which goes away with a failed run */
	stream = read_stream_begin_relation(READ_STREAM_MAINTENANCE | READ_STREAM_FULL |
										READ_STREAM_USE_BATCHING,
										run->strategy, scan->index, MAIN_FORKNUM,
										next_stream_block, &ahead, 0);

	while ((run->block = choose_block(run->chooser)) != InvalidBlockNumber)
	{
		Buffer		current = next;

		CHECK_FOR_INTERRUPTS();
		if (!BufferIsValid(current))
			current = next_buffer(stream, scan->reader);
		if (pin_ahead)
			next = next_buffer(stream, scan->reader);
		visit_buffer(run, current);
	}

	read_stream_end(stream);
}

/*
 * BlockReader: the page at which read_pages ended.  Blocks are read ahead, and
 * which of them is damaged shows only one by one.
 */
static void
read_page_alone(void *arg)
{
	ScanRun    *run = (ScanRun *) arg;

	CHECK_FOR_INTERRUPTS();
	visit_buffer(run, ReadBufferExtended(run->scan->index, MAIN_FORKNUM, run->block,
										 RBM_NORMAL, run->strategy));
}

/*
 * Read the pages of a scan in the order of blocks and hand each to the
 * visitor, in the caller's memory context, no lock held.  A page that cannot
 * be read is handed over as PAGE_DAMAGED.  Cancellable at every page.
 *
 * Takes memory for the sampled block numbers, at most 4 MB.
 */
void
uuid_keyorder_leaf_scan(const LeafScan *scan)
{
	BlockChooser chooser;
	PageFacts	facts;
	ScanRun		run;

	if (scan->block_count <= 1)
		return;

	start_choosing(scan, &chooser);
	run.scan = scan;
	run.strategy = GetAccessStrategy(BAS_BULKREAD);
	run.chooser = &chooser;
	run.caller_context = CurrentMemoryContext;
	run.facts = &facts;

	while (!read_tolerantly(read_pages, &run))
	{
		if (read_tolerantly(read_page_alone, &run))
			continue;
		memset(&facts, 0, offsetof(PageFacts, runs));
		facts.kind = PAGE_DAMAGED;
		scan->visit(&facts, scan->visit_arg);
	}

	FreeAccessStrategy(run.strategy);
	if (chooser.drawn)
		pfree(unconstify(BlockNumber *, chooser.drawn));
}

/* One block to copy. */
typedef struct BlockCopy
{
	Relation	index;
	BlockNumber block;
	BufferAccessStrategy strategy;
	char	   *copy;
} BlockCopy;

static void
copy_block(void *arg)
{
	BlockCopy  *wanted = (BlockCopy *) arg;
	Buffer		buffer = ReadBufferExtended(wanted->index, MAIN_FORKNUM, wanted->block,
											RBM_NORMAL, wanted->strategy);

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	memcpy(wanted->copy, BufferGetPage(buffer), BLCKSZ);
	UnlockReleaseBuffer(buffer);
}

/*
 * Copy one block, BLCKSZ bytes.  False where it cannot be read; the copy is
 * undefined then.
 */
bool
uuid_keyorder_read_block(Relation index, BlockNumber block,
						 BufferAccessStrategy strategy, char *copy)
{
	BlockCopy	wanted = {index, block, strategy, copy};

	return read_tolerantly(copy_block, &wanted);
}
