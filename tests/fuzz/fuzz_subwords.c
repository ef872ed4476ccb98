/* Any bytes as a file of merges, plain or compressed, and as a text to learn merges from.
 * SPDX-License-Identifier: MIT
 *
 * Either is refused with an error of the program's own, or the symbols of a text, joined, are its
 * words again. */
#include "core/data/reader.h"
#include "core/data/subwords.h"
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Without the joiners, the symbols of a text are its words.  The layout cannot tell marks and
 * joiners of its own from those that a text contains. */
static void check_symbols(const NsSubwords *subwords, const char *text, size_t bytes)
{
    if (strstr(text, "</w>") || strstr(text, "@@")) return;
    g_autoptr(GArray) tokens = g_array_new(FALSE, FALSE, sizeof(uint16_t));
    ns_subwords_encode(subwords, text, bytes, tokens);
    const char *at = text, *word;
    size_t n;
    guint i = 0;
    while ((word = ns_word_next(&at, text + bytes, &n)))
        for (size_t done = 0; done < n; i++) {
            require(i < tokens->len);
            uint16_t token = g_array_index(tokens, uint16_t, i);
            require(token < ns_subwords_size(subwords));
            g_autofree char *part = ns_subwords_text(subwords, token);
            size_t length = strlen(part);
            bool last = done + length == n && memcmp(part, word + done, length) == 0;
            if (!last) length -= strlen("@@");
            require(done + length < n + last && memcmp(part, word + done, length) == 0);
            done += length;
        }
    require(i == tokens->len);
}

static void learn(const char *text, size_t bytes, size_t vocab)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GHashTable) words = ns_words_new();
    ns_words_add(words, text, bytes, 1);
    g_autoptr(NsSubwords) subwords = ns_subwords_learn(words, vocab, "fuzz", &error);
    if (!subwords) {
        require(error && error->domain == NS_ERROR);
        return;
    }
    require(ns_subwords_size(subwords) <= vocab);
    check_symbols(subwords, text, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    if (fd < 0) fd = memfd_create("fuzz", 0);
    require(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
    g_autoptr(GError) error = NULL;
    g_autoptr(NsSubwords) merges = ns_subwords_read(path, &error);
    require(merges || (error && error->domain == NS_ERROR));
    g_clear_error(&error);
    size_t bytes;
    g_autofree char *text = ns_text_read(path, &bytes, &error);
    if (!text) {
        require(error && error->domain == NS_ERROR);
        return 0;
    }
    require(strlen(text) == bytes);
    learn(text, bytes, 1 + (size > 0 ? data[0] : 0));
    g_autoptr(GHashTable) words = ns_words_new();
    ns_words_add(words, text, bytes, 0);
    if (merges && ns_subwords_add_characters(merges, words, "fuzz", NULL))
        check_symbols(merges, text, bytes);
    return 0;
}
