/*-------------------------------------------------------------------------
 *
 * buffer_sweep.c
 *	  One pass over the headers of shared buffers, counted by relation fork.
 *
 * Every buffer is counted once, for the page that it held when it was looked
 * at.  The whole is no snapshot, as buffers change while the pass goes on.
 *
 * A tag is copied between two reads of the state, without the header lock: who
 * changes a tag sets BM_LOCKED in the state first, so that an unlocked and
 * unchanged state means that the copy is whole.  Where it is not, and for the
 * first buffer of each fork, the header is locked, for as long as it takes to
 * copy the tag.  So a row is never made up from a torn tag.  What can go
 * wrong is that between the two reads a buffer is evicted, filled by another
 * page and left with the same pins, usage count and flags; then one page may
 * be counted for another fork that holds some.  Taking a spinlock twice costs
 * five times as much as all the rest, and takes each header's cache line away
 * from those who work.
 *
 * Memory grows with the forks found, not with the buffers.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/buffer_sweep.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "buffer_sweep.h"
#include "miscadmin.h"
#include "storage/buf_internals.h"

StaticAssertDecl(SWEEP_USAGE_COUNTS == BM_MAX_USAGE_COUNT + 1,
				 "usage counts do not fit the counters");

/* Interrupts are served once in so many buffers: well under a millisecond. */
#define SWEEP_BATCH		4096

/*
 * Buffers of one fork, by their state: usage count, and whether dirty and
 * pinned.  One addition a buffer, whatever is to be told apart later.
 */
#define TALLY_DIRTY			SWEEP_USAGE_COUNTS
#define TALLY_PINNED		(2 * SWEEP_USAGE_COUNTS)
#define TALLY_SIZE			(4 * SWEEP_USAGE_COUNTS)

typedef struct SweptFork
{
	ForkFile	key;
	int			tally[TALLY_SIZE];
} SweptFork;

typedef struct ForkEntry
{
	ForkFile	key;
	SweptFork  *fork;
	char		status;			/* for simplehash */
} ForkEntry;

static inline uint32
fork_file_hash(const ForkFile *key)
{
	return relation_file_hash(&key->file) + (uint32) key->fork;
}

/* All fields at once: a guess at each is a guess too many. */
static inline bool
fork_file_equal(const ForkFile *a, const ForkFile *b)
{
	return ((a->file.tablespace ^ b->file.tablespace) |
			(a->file.database ^ b->file.database) |
			(a->file.number ^ b->file.number) |
			(uint32) (a->fork ^ b->fork)) == 0;
}

#define SH_PREFIX		fork_entries
#define SH_ELEMENT_TYPE	ForkEntry
#define SH_KEY_TYPE		ForkFile
#define SH_KEY			key
#define SH_HASH_KEY(table, key)		fork_file_hash(&(key))
#define SH_EQUAL(table, a, b)		fork_file_equal(&(a), &(b))
#define SH_SCOPE		static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* Forks found lately, by the low bits of their file number. */
#define RECENT_FORKS	64

struct BufferSweep
{
	fork_entries_hash *forks;
	fork_entries_iterator iterator;
	SweptFork	pageless;
	SweptFork  *recent[RECENT_FORKS];
};

/*-------------------------------------------------------------------------
 * Buffers
 *-------------------------------------------------------------------------
 */

/* A buffer holds a page when it has a tag and the page has been read. */
static inline bool
holds_page(BufferState state)
{
	return (state & (BM_VALID | BM_TAG_VALID)) == (BM_VALID | BM_TAG_VALID);
}

static inline void
count_buffer(SweptFork *fork, BufferState state)
{
	fork->tally[Min(BUF_STATE_GET_USAGECOUNT(state), BM_MAX_USAGE_COUNT) +
				((state & BM_DIRTY) != 0) * TALLY_DIRTY +
				(BUF_STATE_GET_REFCOUNT(state) != 0) * TALLY_PINNED]++;
}

static inline ForkFile
fork_file_of_tag(const BufferTag *tag)
{
	ForkFile	key;

	key.file.tablespace = buffer_tag_tablespace(tag);
	key.file.database = buffer_tag_database(tag);
	key.file.number = BufTagGetRelNumber(tag);
	key.fork = BufTagGetForkNum(tag);
	return key;
}

/* The fork of that key, made when it is the first time. */
static SweptFork *
find_or_make_fork(BufferSweep *sweep, ForkFile key)
{
	bool		found;
	ForkEntry  *entry = fork_entries_insert(sweep->forks, key, &found);

	if (!found)
	{
		entry->fork = palloc0(sizeof(SweptFork));
		entry->fork->key = key;
	}
	return entry->fork;
}

/* Count the buffer for what it holds under the header lock. */
static void
count_locked(BufferSweep *sweep, BufferDesc *header)
{
	BufferState state;
	BufferTag	tag;

	state = LockBufHdr(header);
	tag = header->tag;
	unlock_buffer_header(header, state);

	if (holds_page(state))
		count_buffer(find_or_make_fork(sweep, fork_file_of_tag(&tag)), state);
	else
		count_buffer(&sweep->pageless, state);
}

/*
 * Count the buffer without its lock, where it holds no page or one of a fork
 * that was met before.  False where the lock is needed.
 */
static inline bool
count_unlocked(BufferSweep *sweep, BufferDesc *header)
{
	BufferState state = read_buffer_state(header);
	ForkFile	key;
	SweptFork **recent;

	if (!holds_page(state))
	{
		count_buffer(&sweep->pageless, state);
		return true;
	}

	pg_read_barrier();
	key = fork_file_of_tag(&header->tag);
	pg_read_barrier();
	if ((state & BM_LOCKED) != 0 || read_buffer_state(header) != state)
		return false;

	recent = &sweep->recent[key.file.number % RECENT_FORKS];
	if (!fork_file_equal(&(*recent)->key, &key))
	{
		ForkEntry  *entry = fork_entries_lookup(sweep->forks, key);

		if (entry == NULL)
			return false;
		*recent = entry->fork;
	}
	count_buffer(*recent, state);
	return true;
}

static void
sweep_batch(BufferSweep *sweep, int first, int end)
{
	for (int i = first; i < end; i++)
	{
		BufferDesc *header = GetBufferDescriptor(i);

		if (!count_unlocked(sweep, header))
			count_locked(sweep, header);
	}
}

/*
 * Count all shared buffers, in the current memory context.  The sums over the
 * forks and uuid_keyorder_buffer_sweep_pageless() make up all buffers, always.
 * Cancellable within a fraction of a millisecond.  Reads no page.
 */
BufferSweep *
uuid_keyorder_buffer_sweep(void)
{
	BufferSweep *sweep = palloc0(sizeof(BufferSweep));

	/* No tag has the key of pageless, so that none is found there. */
	for (int i = 0; i < RECENT_FORKS; i++)
		sweep->recent[i] = &sweep->pageless;
	sweep->forks = fork_entries_create(CurrentMemoryContext, 128, NULL);

	for (int first = 0; first < NBuffers; first += SWEEP_BATCH)
	{
		CHECK_FOR_INTERRUPTS();
		sweep_batch(sweep, first, Min(first + SWEEP_BATCH, NBuffers));
	}
	fork_entries_start_iterate(sweep->forks, &sweep->iterator);

	return sweep;
}

/*-------------------------------------------------------------------------
 * Counts
 *-------------------------------------------------------------------------
 */

static BufferCounts
counts_of_fork(const SweptFork *fork)
{
	BufferCounts counts = {0};

	for (int i = 0; i < TALLY_SIZE; i++)
	{
		int			buffers = fork->tally[i];

		counts.buffers += buffers;
		if (i % TALLY_PINNED >= TALLY_DIRTY)
			counts.dirty += buffers;
		if (i >= TALLY_PINNED)
			counts.pinned += buffers;
		counts.usage_counts[i % SWEEP_USAGE_COUNTS] += buffers;
	}
	return counts;
}

/*
 * Next of the forks that hold buffers, in no order, and its counts.  False
 * after the last.
 */
bool
uuid_keyorder_buffer_sweep_next(BufferSweep *sweep, ForkFile *key, BufferCounts *counts)
{
	ForkEntry  *entry = fork_entries_iterate(sweep->forks, &sweep->iterator);

	if (entry == NULL)
		return false;
	*key = entry->key;
	*counts = counts_of_fork(entry->fork);
	return true;
}

/* Counts of that fork; all zero where it holds no buffer. */
BufferCounts
uuid_keyorder_buffer_sweep_find(BufferSweep *sweep, const RelationFile *file, ForkNumber fork)
{
	const BufferCounts none = {0};
	ForkFile	key;
	ForkEntry  *entry;

	key.file = *file;
	key.fork = fork;
	entry = fork_entries_lookup(sweep->forks, key);
	return entry == NULL ? none : counts_of_fork(entry->fork);
}

/* Buffers that hold no page: unused ones, and pinned those being read into. */
BufferCounts
uuid_keyorder_buffer_sweep_pageless(BufferSweep *sweep)
{
	return counts_of_fork(&sweep->pageless);
}

/* shared_buffers, in buffers. */
int64
uuid_keyorder_buffer_sweep_total(void)
{
	return NBuffers;
}
