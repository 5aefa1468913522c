/*-------------------------------------------------------------------------
 *
 * buffer_sweep.c
 *	  One pass over the headers of shared buffers, counted by relation fork.
 *
 * Each buffer that seems to hold a page is looked at under its header lock,
 * a spinlock, for as long as it takes to copy the tag: so every buffer is
 * counted once, for the page that it held at that moment.  The whole is no
 * snapshot, as buffers change while the pass goes on, and no lock is held from
 * one buffer to the next.  A buffer without a page is not locked at all.
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

static inline uint32
fork_file_hash(const ForkFile *key)
{
	return relation_file_hash(&key->file) + (uint32) key->fork;
}

static inline bool
fork_file_equal(const ForkFile *a, const ForkFile *b)
{
	return relation_file_equal(&a->file, &b->file) && a->fork == b->fork;
}

#define SH_PREFIX		swept_forks
#define SH_ELEMENT_TYPE	SweptFork
#define SH_KEY_TYPE		ForkFile
#define SH_KEY			key
#define SH_HASH_KEY(table, key)		fork_file_hash(&(key))
#define SH_EQUAL(table, a, b)		fork_file_equal(&(a), &(b))
#define SH_SCOPE		static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

struct BufferSweep
{
	swept_forks_hash *forks;
	swept_forks_iterator iterator;
	BufferCounts pageless;
};

/* A buffer holds a page when it has a tag and the page has been read. */
static inline bool
holds_page(BufferState state)
{
	return (state & (BM_VALID | BM_TAG_VALID)) == (BM_VALID | BM_TAG_VALID);
}

static inline void
count_buffer(BufferCounts *counts, BufferState state)
{
	counts->buffers++;
	counts->dirty += (state & BM_DIRTY) != 0;
	counts->pinned += BUF_STATE_GET_REFCOUNT(state) != 0;
	counts->usage_counts[Min(BUF_STATE_GET_USAGECOUNT(state), BM_MAX_USAGE_COUNT)]++;
}

/* Copy the state, and the tag if the buffer holds a page. */
static inline BufferState
look_at_buffer(BufferDesc *header, BufferTag *tag)
{
	BufferState state = read_buffer_state(header);

	if (holds_page(state))
	{
		state = LockBufHdr(header);
		*tag = header->tag;
		unlock_buffer_header(header, state);
	}
	return state;
}

/* Counters of the fork that the tag names; made when it is the first. */
static inline SweptFork *
swept_fork_of_tag(BufferSweep *sweep, const BufferTag *tag)
{
	ForkFile	key;
	SweptFork  *fork;
	bool		found;

	key.file.tablespace = buffer_tag_tablespace(tag);
	key.file.database = buffer_tag_database(tag);
	key.file.number = BufTagGetRelNumber(tag);
	key.fork = BufTagGetForkNum(tag);
	fork = swept_forks_insert(sweep->forks, key, &found);
	if (!found)
		memset(&fork->counts, 0, sizeof(BufferCounts));
	return fork;
}

static void
sweep_batch(BufferSweep *sweep, int first, int end)
{
	for (int i = first; i < end; i++)
	{
		BufferTag	tag;
		BufferState state = look_at_buffer(GetBufferDescriptor(i), &tag);

		/* What lost its page before the lock was taken is caught here. */
		if (holds_page(state))
			count_buffer(&swept_fork_of_tag(sweep, &tag)->counts, state);
		else
			count_buffer(&sweep->pageless, state);
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

	sweep->forks = swept_forks_create(CurrentMemoryContext, 512, NULL);
	for (int first = 0; first < NBuffers; first += SWEEP_BATCH)
	{
		CHECK_FOR_INTERRUPTS();
		sweep_batch(sweep, first, Min(first + SWEEP_BATCH, NBuffers));
	}
	swept_forks_start_iterate(sweep->forks, &sweep->iterator);

	return sweep;
}

/* Next of the forks that hold buffers, in no order; NULL after the last. */
SweptFork *
uuid_keyorder_buffer_sweep_next(BufferSweep *sweep)
{
	return swept_forks_iterate(sweep->forks, &sweep->iterator);
}

/* Counts of that fork; all zero where it holds none. */
const BufferCounts *
uuid_keyorder_buffer_sweep_find(BufferSweep *sweep, const RelationFile *file, ForkNumber fork)
{
	static const BufferCounts none = {0};
	ForkFile	key = {*file, fork};
	SweptFork  *swept = swept_forks_lookup(sweep->forks, key);

	return swept == NULL ? &none : &swept->counts;
}

/* Buffers that hold no page: unused ones, and pinned those being read into. */
const BufferCounts *
uuid_keyorder_buffer_sweep_pageless(BufferSweep *sweep)
{
	return &sweep->pageless;
}

/* shared_buffers, in buffers. */
int64
uuid_keyorder_buffer_sweep_total(void)
{
	return NBuffers;
}
