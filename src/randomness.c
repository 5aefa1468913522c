/*-------------------------------------------------------------------------
 *
 * randomness.c
 *	  Strong random bits, drawn in blocks.
 *
 * One call of pg_strong_random costs half a microsecond and more with
 * OpenSSL 3, whether for 8 bytes or for 4096.  So a block is drawn at once
 * and handed out in slices.
 *
 * The block belongs to one process: it is filled on first use, never before a
 * fork, and bears the process number, so that a child never sees the bytes of
 * its parent.  A slice is zeroed as it is handed out, so that a memory image
 * does not tell ids already issued.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/randomness.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "randomness.h"

#define BLOCK_SLICES	512		/* of 8 bytes: 4 kB */

static uint64 block[BLOCK_SLICES];
static int	next_slice = BLOCK_SLICES;
static int	block_owner_pid = 0;

/*
 * Draw the block anew for this process.  A failing source is an ERROR, and
 * leaves the block used up: there is no second source.
 */
static void
draw_block(void)
{
	next_slice = BLOCK_SLICES;
	if (!pg_strong_random(block, sizeof(block)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
	block_owner_pid = MyProcPid;
	next_slice = 0;
}

/*
 * 64 strong random bits.  ERROR when the random source fails.
 */
uint64
uuid_keyorder_random_uint64(void)
{
	uint64		slice;

	if (unlikely(next_slice >= BLOCK_SLICES || block_owner_pid != MyProcPid))
		draw_block();

	slice = block[next_slice];
	block[next_slice++] = 0;
	return slice;
}
