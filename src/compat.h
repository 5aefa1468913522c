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

/* 15 renamed EmitWarningsOnPlaceholders and made it reserve (5609cc01c69). */
#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

/* Infinite intervals came with 17 (519fc1bd9e9). */
#ifndef INTERVAL_NOT_FINITE
#define INTERVAL_NOT_FINITE(interval) (false)
#endif

/* 18 named the loaded module in the magic block (9324c8c5806). */
#ifndef PG_MODULE_MAGIC_EXT
#define PG_MODULE_MAGIC_EXT(...) PG_MODULE_MAGIC
#endif

#endif							/* UUID_KEYORDER_COMPAT_H */
