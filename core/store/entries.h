/* Lines of "key = value" in sections, the form of presets and lessons.
 * SPDX-License-Identifier: MIT
 *
 *     # a comment
 *     title = Post-LN against Pre-LN
 *
 *     [A]
 *     placement = post
 *
 * A key consists of letters, digits and hyphens.  A value is the rest of the line without
 * surrounding spaces, and may be empty.  Keys and sections may be repeated; the caller decides what
 * that means.  The format is a subset of that of desktop entries, so that xgettext
 * --language=Desktop finds the texts. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* Larger files are refused, because these files are written by hand. */
#define NS_ENTRIES_MAX ((size_t)64 << 10)

typedef struct {
    size_t line;         /* line number, from 1 */
    const char *section; /* "" before the first section */
    const char *key;     /* NULL: the section begins here */
    const char *value;
} NsEntry;

typedef struct NsEntries NsEntries;

/* Parses a text.  Returns NULL with NS_ERROR_SETTING if it is not UTF-8, is too long, or has a line
 * that is neither an entry nor the name of a section; the message names the line. */
NsEntries *ns_entries_new(const char *text, size_t size, GError **error);
void ns_entries_free(NsEntries *entries);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsEntries, ns_entries_free)

/* The i-th entry in the order of the text; NULL past the end. */
const NsEntry *ns_entries_at(const NsEntries *entries, size_t i);

/* Sets NS_ERROR_SETTING: "Line 3: There is no key “txet”; did you mean “text”?".  `keys` ends with
 * NULL; if none is similar, the message lists them all.  Returns false. */
bool ns_entry_unknown(const NsEntry *entry, const char *const *keys, GError **error);

/* Puts "Line 3: " before the message of an error and propagates it.  Takes the error; returns
 * false. */
bool ns_entry_blame(const NsEntry *entry, GError *wrong, GError **error);

/* Appends a copy of the value to a NULL-terminated list; the list may be NULL. */
void ns_entry_list(const NsEntry *entry, char ***list);

/* Writes an entry; line ends in the value become spaces. */
void ns_entry_write(GString *out, const char *key, const char *value);
