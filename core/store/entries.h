/* Lines of "key = value" in sections, the form of presets and lessons.
 * SPDX-License-Identifier: MIT
 *
 *     # a comment
 *     title = Post-LN against Pre-LN
 *
 *     [A]
 *     placement = post
 *
 * A key is of letters, digits and hyphens.  A value is the rest of its line without the spaces
 * around it, and may be empty.  A key may come more than once, and so may a section; what that
 * means is for the reader of the entries.  The form is a part of that of desktop entries, so that
 * xgettext --language=Desktop finds the texts. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* Longer files are refused; these are written by hand. */
#define NS_ENTRIES_MAX ((size_t)64 << 10)

typedef struct {
    size_t line;         /* from 1 */
    const char *section; /* "" before the first */
    const char *key;     /* NULL: the section begins here */
    const char *value;
} NsEntry;

typedef struct NsEntries NsEntries;

/* NULL with NS_ERROR_SETTING, which names the line: not UTF-8, too long, or a line that is neither
 * an entry nor the name of a section. */
NsEntries *ns_entries_new(const char *text, size_t size, GError **error);
void ns_entries_free(NsEntries *entries);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsEntries, ns_entries_free)

/* In the order of the text; NULL past the end. */
const NsEntry *ns_entries_at(const NsEntries *entries, size_t i);

/* NS_ERROR_SETTING: "Line 3: There is no key “txet”; did you mean “text”?", of keys that end with
 * NULL; where none is near, all of them.  Returns false. */
bool ns_entry_unknown(const NsEntry *entry, const char *const *keys, GError **error);

/* Puts "Line 3: " before what went wrong at an entry and hands it on.  Takes the error; returns
 * false. */
bool ns_entry_blame(const NsEntry *entry, GError *wrong, GError **error);

/* Appends a copy of the value to a list that ends with NULL, or is NULL. */
void ns_entry_list(const NsEntry *entry, char ***list);

/* Writes an entry; line ends in the value become spaces. */
void ns_entry_write(GString *out, const char *key, const char *value);
