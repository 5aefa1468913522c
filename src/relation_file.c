/*-------------------------------------------------------------------------
 *
 * relation_file.c
 *	  How far the files of a relation reach on disk.
 *
 * For callers that know a relation by its numbers only, hold no lock on it and
 * must not fail when it is dropped meanwhile.  smgrnblocks() would raise an
 * error there, and would keep the files open.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/relation_file.c
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/stat.h>

#include "compat.h"
#include "relation_file.h"
#include "storage/smgr.h"

/*
 * Number of blocks that a fork of a permanent relation has on disk, looking no
 * further than the segment of block "highest": a result above "highest" says
 * that this block and all before it are there.  0 when the file is missing or
 * empty, as it is from the commit of a DROP to the next checkpoint.  A file
 * that cannot be looked at for another reason counts as whole.
 *
 * Takes no lock and raises no error but out of memory.  Costs one stat() where
 * the block is there, else one more for each segment that is not.
 */
BlockNumber
uuid_keyorder_relation_file_end(const RelationFile *file, ForkNumber fork,
								BlockNumber highest)
{
	char		path[MAXPGPATH];
	Size		length;
	BlockNumber segment = highest / RELSEG_SIZE;

	get_relation_path(path, sizeof(path), file->tablespace, file->database,
					  file->number, INVALID_PROC_NUMBER, fork);
	length = strlen(path);

	for (;;)
	{
		struct stat status;

		if (segment > 0)
			snprintf(path + length, sizeof(path) - length, ".%u", segment);
		else
			path[length] = '\0';

		if (stat(path, &status) != 0)
		{
			if (errno != ENOENT)
				return highest + 1;
		}
		else if (status.st_size > 0)
			return segment * RELSEG_SIZE + (BlockNumber) (status.st_size / BLCKSZ);

		if (segment == 0)
			return 0;
		segment--;
	}
}
