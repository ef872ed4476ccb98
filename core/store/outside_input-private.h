/* The bytes of one log of another program, as lines.  Internal to outside*.c.
 * SPDX-License-Identifier: MIT
 *
 * The format is detected from the first bytes: an event file, a table, a document of JSON, or lines
 * of JSON, of Python or of text; any of them may be compressed with gzip. */
#pragma once

#include "core/store/outside_events-private.h"

/* Receives what is read. */
typedef struct {
    void *data;
    /* A line that can be read.  The receiver may keep it and put another one in its place. */
    void (*line)(void *data, NsOutsideLine **line);
    /* A line or event that cannot be read; `why` is the beginning of a sentence. */
    void (*wrong)(void *data, const char *why);
    /* Something about the whole log; a sentence. */
    void (*note)(void *data, const char *sentence);
} NsOutsideSink;

typedef struct NsOutsideInput NsOutsideInput;

/* `prefix`: the name of a folder that its tags belong to, or NULL.  The names are borrowed. */
NsOutsideInput *ns_outside_input_new(NsOutsideNames *names, const char *prefix, NsOutsideSink sink);
void ns_outside_input_free(NsOutsideInput *input);

/* The first line is that of a table, even if no column is recognized. */
void ns_outside_input_expect_table(NsOutsideInput *input);

/* Reads the next bytes, which may end in the middle of a line. */
void ns_outside_input_feed(NsOutsideInput *input, const char *bytes, size_t n);

/* Passes on the newest step of an event file, although it may be incomplete; returns whether there
 * was one that is new. */
bool ns_outside_input_pause(NsOutsideInput *input);

/* The last line may lack its newline. */
void ns_outside_input_end(NsOutsideInput *input);

/* Whether this is a log of another program, as far as it was read.  `last`: nothing more comes;
 * before that it is not said of lines of text, of which enough have to be those of a log. */
bool ns_outside_input_is_log(const NsOutsideInput *input, bool last);

/* The events of an event file, borrowed; NULL for any other. */
NsOutsideEvents *ns_outside_input_events(const NsOutsideInput *input);

/* “event file of TensorBoard”, “table”, “JSON lines”, ...; empty before it is known. */
const char *ns_outside_input_format(const NsOutsideInput *input);

/* The number of lines or events that were read. */
size_t ns_outside_input_lines(const NsOutsideInput *input);
