/*-------------------------------------------------------------------------
 *
 * page_cache.h
 *	  What the operating system caches of a file.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/page_cache.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_PAGE_CACHE_H
#define UUID_KEYORDER_PAGE_CACHE_H

/* Both give -1 where the operating system does not tell. */
extern int64 uuid_keyorder_page_cache_file_bytes(const char *path);
extern int64 uuid_keyorder_physical_memory_bytes(void);

#endif							/* UUID_KEYORDER_PAGE_CACHE_H */
