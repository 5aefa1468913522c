/*-------------------------------------------------------------------------
 *
 * relation_file.h
 *	  How far the files of a relation reach on disk.
 *
 * Copyright (c) 2026, uuid_keyorder contributors
 *
 * IDENTIFICATION
 *	  src/relation_file.h
 *
 *-------------------------------------------------------------------------
 */
#ifndef UUID_KEYORDER_RELATION_FILE_H
#define UUID_KEYORDER_RELATION_FILE_H

#include "relation_names.h"
#include "storage/block.h"

extern BlockNumber uuid_keyorder_relation_file_end(const RelationFile *file,
												   ForkNumber fork,
												   BlockNumber highest);

#endif							/* UUID_KEYORDER_RELATION_FILE_H */
