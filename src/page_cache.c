/*-------------------------------------------------------------------------
 *
 * page_cache.c
 *	  What the operating system caches of a file.
 *
 * Linux tells since 6.5, through the system call cachestat(): it walks the
 * pages that are cached and touches nothing of the file.  Everywhere else, and
 * where a sandbox refuses the call, the answer is "unknown"; mincore() would
 * need the file mapped, and tells less since Linux 5.2.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/page_cache.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#endif

#include "miscadmin.h"
#include "page_cache.h"
#include "storage/fd.h"

#ifdef __linux__

/* Headers may be older than the kernel.  Alpha numbers system calls apart. */
#if defined(SYS_cachestat)
#define CACHESTAT_SYSCALL	SYS_cachestat
#elif defined(__alpha__)
#define CACHESTAT_SYSCALL	561
#else
#define CACHESTAT_SYSCALL	451
#endif

/* As struct cachestat_range and struct cachestat of linux/mman.h. */
typedef struct CachestatRange
{
	uint64		offset;
	uint64		length;
} CachestatRange;

typedef struct CachestatResult
{
	uint64		cached_pages;
	uint64		dirty_pages;
	uint64		writeback_pages;
	uint64		evicted_pages;
	uint64		recently_evicted_pages;
} CachestatResult;

/*
 * Bytes asked about in one call.  A gigabyte of cached pages takes the kernel
 * 2 to 15 ms, in which the call is not to be interrupted.
 */
#define CACHESTAT_RANGE_BYTES	(INT64CONST(1) << 30)

/* Cached pages of the range, in pages of the kernel; negative if refused. */
static int64
cached_pages(int fd, int64 offset, int64 length)
{
	CachestatRange range = {(uint64) offset, (uint64) length};
	CachestatResult result;

	if (syscall(CACHESTAT_SYSCALL, fd, &range, &result, 0) != 0)
		return -1;
	return (int64) result.cached_pages;
}

static int64
open_file_cached_bytes(int fd)
{
	struct stat status;
	struct statfs file_system;
	int64		offset = 0;
	int64		pages = 0;

	if (fstat(fd, &status) != 0 || fstatfs(fd, &file_system) != 0)
		return -1;

	/* The pages belong to the file below, and cachestat() finds none here. */
	if (file_system.f_type == OVERLAYFS_SUPER_MAGIC)
		return -1;

	/* An empty file too: it tells whether the kernel answers. */
	do
	{
		int64		more = cached_pages(fd, offset, CACHESTAT_RANGE_BYTES);

		if (more < 0)
			return -1;
		pages += more;
		offset += CACHESTAT_RANGE_BYTES;
		CHECK_FOR_INTERRUPTS();
	} while (offset < status.st_size);

	return pages * sysconf(_SC_PAGESIZE);
}

#endif							/* __linux__ */

/*
 * Bytes of the file that are in the page cache, in whole pages of the kernel,
 * or -1.  The file is opened for reading and not read.  That it cannot be
 * opened is no ERROR: it may have been dropped.
 */
int64
uuid_keyorder_page_cache_file_bytes(const char *path)
{
#ifdef __linux__
	int64		bytes;
	int			fd = OpenTransientFile(path, O_RDONLY | PG_BINARY);

	if (fd < 0)
		return -1;
	bytes = open_file_cached_bytes(fd);
	(void) CloseTransientFile(fd);
	return bytes;
#else
	return -1;
#endif
}

/*
 * Memory of the machine in bytes as the operating system sees it, whatever a
 * container may be allowed of it, or -1.
 */
int64
uuid_keyorder_physical_memory_bytes(void)
{
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
	int64		pages = sysconf(_SC_PHYS_PAGES);

	return pages > 0 ? pages * sysconf(_SC_PAGESIZE) : -1;
#else
	return -1;
#endif
}
