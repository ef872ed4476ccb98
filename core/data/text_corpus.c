/* SPDX-License-Identifier: MIT
 *
 * A text is read twice.  The first pass records which characters occur; the second replaces each by
 * its rank among them. */
#include "core/data/text_corpus.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/data/reader.h"
#include "core/data/sampler.h"

#include <string.h>

/* Of HELD_OUT parts one is for validation. */
#define HELD_OUT 10

/* A bit for each code point that occurs, and for each 64-bit word the number of bits set before it:
 * together they give the rank of a code point without a table of all code points. */
#define ALPHABET_WORDS (0x110000 / 64)

typedef struct {
    uint64_t bits[ALPHABET_WORDS];
    uint32_t below[ALPHABET_WORDS];
    size_t V; /* characters that occur */
} Alphabet;

/* Reads one character of valid text and moves *at past it; CR LF is read as LF. */
static gunichar next_character(const char **at, const char *end)
{
    const char *p = *at;
    if (p[0] == '\r' && p + 1 < end && p[1] == '\n') p++;
    gunichar c = (guchar)*p < 0x80 ? (gunichar)*p : g_utf8_get_char(p);
    *at = p + g_utf8_skip[(guchar)*p];
    return c;
}

/* Refuses a text of n characters or tokens that is too short. */
static bool check_size(size_t n, const char *what, const char *source, size_t seq, GError **error)
{
    size_t part = seq + 1; /* one more, as the target of the last position */
    if (n == 0)
        return ns_refuse(error, NS_ERROR_TEXT,
                         "“%s” is empty; a text of at least %zu %s is needed.", source,
                         HELD_OUT * part, what);
    if (n / HELD_OUT >= part) return true;
    return ns_refuse(error, NS_ERROR_TEXT,
                     N_("“%s” is too short: %zu %s, at least %zu needed for sequences of %zu."),
                     source, n, what, HELD_OUT * part, seq);
}

/* A corpus with uninitialized memory for n tokens of a vocabulary of V. */
static NsCorpus *new_corpus(const char *source, size_t V, size_t n, GError **error)
{
    g_autoptr(NsCorpus) corpus = ns_corpus_new(source, &ns_text_sampler, V);
    corpus->n = n;
    corpus->tokens = g_try_new(uint16_t, MAX(n, 1));
    if (corpus->tokens) return g_steal_pointer(&corpus);
    g_autofree char *size = g_format_size_full(n * sizeof(uint16_t), G_FORMAT_SIZE_IEC_UNITS);
    return ns_refuse_null(
        error, NS_ERROR_MEMORY,
        N_("There is not enough memory for the tokens of “%s” (%s); use a shorter text."), source,
        size);
}

static NsCorpus *of_characters(const NsText *text, GError **error)
{
    const char *end = text->begin + text->bytes;
    g_autofree Alphabet *alphabet = g_new0(Alphabet, 1);
    size_t n = 0;
    for (const char *at = text->begin; at < end; n++) {
        gunichar c = next_character(&at, end);
        alphabet->bits[c / 64] |= UINT64_C(1) << (c % 64);
    }
    uint32_t below = 0;
    for (size_t i = 0; i < ALPHABET_WORDS; i++) {
        alphabet->below[i] = below;
        below += (uint32_t)__builtin_popcountll(alphabet->bits[i]);
    }
    alphabet->V = below;
    if (alphabet->V == 1)
        return ns_refuse_null(
            error, NS_ERROR_TEXT,
            N_("“%s” consists of a single repeated character, so there is nothing to "
               "predict; use a text with at least two different characters."),
            text->source);
    if (alphabet->V > NS_SYMBOLS_MAX)
        return ns_refuse_null(error, NS_ERROR_TEXT,
                              N_("“%s” has %zu distinct characters, but a model can distinguish "
                                 "at most %zu; use a text in fewer scripts."),
                              text->source, alphabet->V, NS_SYMBOLS_MAX);

    NsCorpus *corpus = new_corpus(text->source, alphabet->V, n, error);
    if (!corpus) return NULL;
    corpus->symbols = g_new(gunichar, corpus->V);
    uint16_t *token = corpus->tokens;
    for (const char *at = text->begin; at < end; token++) {
        gunichar c = next_character(&at, end);
        uint64_t lower = alphabet->bits[c / 64] & ((UINT64_C(1) << (c % 64)) - 1);
        *token = (uint16_t)(alphabet->below[c / 64] + (uint32_t)__builtin_popcountll(lower));
        corpus->symbols[*token] = c;
    }
    return corpus;
}

/* A corpus of tokens of a vocabulary of V, whose words are still to be set. */
static NsCorpus *of_tokens(const GArray *tokens, size_t V, const NsText *text, GError **error)
{
    NsCorpus *corpus = new_corpus(text->source, V, tokens->len, error);
    if (!corpus) return NULL;
    if (tokens->len > 0) memcpy(corpus->tokens, tokens->data, tokens->len * sizeof *corpus->tokens);
    corpus->words = g_new(char *, V);
    return corpus;
}

static NsCorpus *of_subwords(const NsText *text, NsSubwords *subwords, GError **error)
{
    g_autoptr(GArray) tokens = g_array_new(FALSE, FALSE, sizeof(uint16_t));
    ns_subwords_encode(subwords, text->begin, text->bytes, tokens);
    NsCorpus *corpus = of_tokens(tokens, ns_subwords_size(subwords), text, error);
    for (size_t i = 0; corpus && i < corpus->V; i++)
        corpus->words[i] = ns_subwords_text(subwords, i);
    if (corpus) corpus->subwords = ns_subwords_ref(subwords);
    return corpus;
}

NsCorpus *ns_text_tokens(const NsText *text, const NsTokenizer *tokenizer, GError **error)
{
    if (tokenizer && tokenizer->bytes) {
        /* Models may have more rows of embeddings than their tokenizer has words. */
        const NsBpe *bpe = tokenizer->bytes;
        g_autoptr(GArray) tokens = ns_bpe_encode(bpe, text->begin, text->bytes);
        size_t words = ns_bpe_size(bpe);
        NsCorpus *corpus = of_tokens(tokens, MAX(words, tokenizer->least), text, error);
        for (size_t i = 0; corpus && i < corpus->V; i++)
            corpus->words[i] =
                i < words ? g_strdup(ns_bpe_bytes(bpe, i)) : g_strdup_printf("<|%zu|>", i);
        return corpus;
    }
    if (!tokenizer || (tokenizer->learned == 0 && !tokenizer->subwords))
        return of_characters(text, error);
    g_autoptr(GHashTable) words = ns_words_new();
    ns_words_add(words, text->begin, text->training, 1);
    ns_words_add(words, text->begin + text->training, text->bytes - text->training, 0);
    if (tokenizer->subwords)
        return ns_subwords_add_characters(tokenizer->subwords, words, text->source, error)
                   ? of_subwords(text, tokenizer->subwords, error)
                   : NULL;
    g_autoptr(NsSubwords) learned =
        ns_subwords_learn(words, tokenizer->learned, text->source, error);
    return learned ? of_subwords(text, learned, error) : NULL;
}

/* Builds a corpus of a text whose byte order mark has been removed; a second one is an ordinary
 * character. */
static NsCorpus *of_text(const char *text, size_t bytes, const char *source, size_t seq,
                         const NsTokenizer *tokenizer, GError **error)
{
    NsText all = {.begin = text, .bytes = bytes, .source = source};
    /* About the first nine tenths of the text, up to white space, are for training. */
    size_t n = bytes - bytes / HELD_OUT;
    while (n > 0 && text[n - 1] != ' ' && text[n - 1] != '\n') n--;
    all.training = n;
    g_autoptr(NsCorpus) corpus = ns_text_tokens(&all, tokenizer, error);
    if (!corpus) return NULL;
    const char *what = corpus->words ? _("tokens") : _("characters");
    if (!check_size(corpus->n, what, source, seq, error)) return NULL;
    corpus->n_train = corpus->n - corpus->n / HELD_OUT;
    return g_steal_pointer(&corpus);
}

NsCorpus *ns_corpus_new_from_text(const char *text, size_t bytes, const char *source, size_t seq,
                                  const NsTokenizer *tokenizer, GError **error)
{
    if (!ns_text_check(text, bytes, source, error)) return NULL;
    size_t mark = ns_byte_order_mark(text, bytes);
    return of_text(text + mark, bytes - mark, source, seq, tokenizer, error);
}

NsCorpus *ns_corpus_new_from_file(const char *path, size_t seq, const NsTokenizer *tokenizer,
                                  GError **error)
{
    size_t bytes = 0;
    g_autofree char *text = ns_text_read(path, &bytes, error);
    if (text == NULL) return NULL;

    g_autofree char *name = g_filename_display_basename(path);
    return of_text(text, bytes, name, seq, tokenizer, error);
}
