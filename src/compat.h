/*-------------------------------------------------------------------------
 *
 * compat.h
 *	  The one door for differences between PostgreSQL majors.
 *
 * No other file names PG_VERSION_NUM.  The rest of the source is written
 * against the newest major; what older ones lack is emulated here, one block
 * per change, with the major and the upstream commit that made it.  Dropping
 * a major is deleting blocks.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/compat.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_COMPAT_H
#define UUID_KEYORDER_COMPAT_H

#include "datatype/timestamp.h"
#include "fmgr.h"
#include "utils/guc.h"

#if PG_VERSION_NUM < 140000
#error "uuid_keyorder needs PostgreSQL 14 or later"
#endif

/* 16 moved the access to variable-length datums to a header (d952373a987). */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* 15 renamed EmitWarningsOnPlaceholders and made it reserve (5609cc01c69). */
#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

/* Infinite intervals came with 17 (519fc1bd9e9). */
#ifndef INTERVAL_NOT_FINITE
#define INTERVAL_NOT_FINITE(interval) (false)
#endif

/* 16 moved the macros of variable-length data out of postgres.h (d952373a987). */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* 18 named the loaded module in the magic block (9324c8c5806). */
#ifndef PG_MODULE_MAGIC_EXT
#define PG_MODULE_MAGIC_EXT(...) PG_MODULE_MAGIC
#endif

/*
 * Shared memory by name without preloading.  17 brought the registry of
 * dynamic shared memory (8b2bcf3f287), 19 an argument for the initializer
 * (48d4a1423d2).  Before, a little main shared memory is left over for those
 * who come late.
 */
#if PG_VERSION_NUM >= 170000
#include "storage/dsm_registry.h"
#else
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#endif

#if PG_VERSION_NUM >= 190000
static inline void
initialize_named_shared_memory(void *address, void *initialize)
{
	((void (*) (void *)) initialize) (address);
}
#endif

static inline void *
get_named_shared_memory(const char *name, Size size, void (*initialize) (void *))
{
	bool		found;
#if PG_VERSION_NUM >= 190000
	return GetNamedDSMSegment(name, size, initialize_named_shared_memory, &found,
							  (void *) initialize);
#elif PG_VERSION_NUM >= 170000
	return GetNamedDSMSegment(name, size, initialize, &found);
#else
	void	   *address;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	address = ShmemInitStruct(name, size, &found);
	if (!found)
		initialize(address);
	LWLockRelease(AddinShmemInitLock);
	return address;
#endif
}

#endif							/* UUID_KEYORDER_COMPAT_H */
