/* Files that the program writes for others to read.  SPDX-License-Identifier: MIT
 *
 * Everything but run files, results files and lines that grow is written beside its target, synced
 * and renamed, so that at every moment the target is the previous file or the new one, whole.  The
 * file has no name until it is complete, so that a program that is killed leaves nothing; only a
 * file system without such files (NFS) keeps a “.normscope-XXXXXX” of a program that was killed.
 * Devices and pipes are written directly.
 *
 * No output replaces a database: a run file, a results file, or the log of one. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* NS_ERROR_FILE if a file at this path is a database, through links, or the log of one, or a folder
 * or may not be written. */
bool ns_output_file_check(const char *path, GError **error);

/* A file that is being written. */
typedef struct {
    int fd; /* write here */
    char *path, *target, *temporary;
    bool direct;
} NsOutputFile;

/* Opens a file for this path.  Returns false with NS_ERROR_FILE. */
bool ns_output_file_open(NsOutputFile *file, const char *path, GError **error);

/* Closes the file and puts it in its place, or removes it if writing failed: `code` is the errno, 0
 * if all has been written.  Returns false with NS_ERROR_FILE if the file is not in its place. */
bool ns_output_file_close(NsOutputFile *file, int code, GError **error);

/* Writes a file at once. */
bool ns_save(const char *path, const void *data, size_t size, GError **error);

/* Appends a field, in quotes if it contains a separator, a quote or a line break (RFC 4180).  A
 * text that a spreadsheet would run as a formula, because it begins with = + - @ tab or CR and is
 * not a number, gets a ' before it, as OWASP advises. */
void ns_csv_add_field(GString *line, const char *text);
