/* The corpora of sentence pairs, and batches of them.  SPDX-License-Identifier: MIT */
#include "core/data/pair_corpus.h"

#include "core/base/error.h"
#include "core/data/grammar.h"
#include "core/data/sampler.h"
#include "core/data/text_corpus.h"

#include <string.h>

/* ---- Pairs by length ----
 *
 * The length of a pair is that of its longer side.  Pairs of similar length form a group, from
 * which whole batches are drawn, so that batches have little padding.  A group has enough pairs for
 * several different batches. */

/* A group, and the batches that are drawn from it: B pairs of at most S and T tokens. */
typedef struct {
    size_t first, n; /* range of its pairs in the order of length */
    size_t B, T, S;
} Group;

/* A group has pairs for at least this many batches, if there are enough pairs.  Larger groups have
 * more padding: on Multi30k with 2,048 tokens a batch, 8% with 8 batches and 14% with 32. */
#define GROUP_BATCHES 8

/* Statistics of the pairs of one length. */
typedef struct {
    size_t n;
    size_t source, target; /* the largest number of tokens on each side */
    double tokens;         /* the sum over all pairs and both sides */
} SameLength;

struct NsPairLengths {
    size_t n, longest;
    guint32 *order;   /* [n] indices of the pairs, sorted by length */
    SameLength *same; /* [longest + 1] by length */
};

static size_t length_of(const NsPair *pair)
{
    return MAX(pair->source_length, pair->target_length);
}

void ns_pair_lengths_free(NsPairLengths *lengths)
{
    if (!lengths) return;
    g_free(lengths->order);
    g_free(lengths->same);
    g_free(lengths);
}

static size_t pairs_of(size_t tokens, size_t length)
{
    return MAX(tokens / length, 1);
}

/* The state of an iteration over the groups, from the shortest pairs to the longest. */
typedef struct {
    size_t length; /* length of the shortest pairs of the next group */
    double tokens; /* sum over the pairs of the current group */
    Group group;
} Walk;

static bool next_group(const NsPairLengths *lengths, size_t tokens, Walk *walk)
{
    Group *group = &walk->group;
    *group = (Group){.first = group->first + group->n};
    walk->tokens = 0;
    for (; walk->length <= lengths->longest; walk->length++) {
        size_t rest = lengths->n - group->first - group->n;
        size_t enough = GROUP_BATCHES * pairs_of(tokens, walk->length);
        bool others = rest >= GROUP_BATCHES * pairs_of(tokens, lengths->longest);
        if (group->n >= enough && others) break;
        const SameLength *same = &lengths->same[walk->length];
        group->n += same->n;
        group->S = MAX(group->S, same->source);
        group->T = MAX(group->T, same->target);
        walk->tokens += same->tokens;
    }
    if (group->n > 0) group->B = pairs_of(tokens, MAX(group->S, group->T));
    return group->n > 0;
}

/* The number of batches in which every pair of a group occurs once. */
static double batches_of(const Group *group)
{
    return (double)group->n / (double)group->B;
}

double ns_pair_lengths_padding(const NsPairLengths *lengths, const NsBatch *batch)
{
    double positions = 0, used = 0;
    for (Walk walk = {.length = 1}; next_group(lengths, MAX(batch->capacity, 1), &walk);) {
        size_t each = batch->capacity ? walk.group.S + walk.group.T : batch->S + batch->T;
        positions += (double)(walk.group.n * each);
        used += walk.tokens;
    }
    return 1 - used / positions;
}

/* Of HELD_OUT pairs one is for validation if there are no files of validation pairs. */
#define HELD_OUT 10

/* Enough that a model must learn the grammar instead of memorizing the sentences. */
#define GENERATED_PAIRS 20000

typedef enum { SOURCE, TARGET, SIDES } Side;

/* Two texts with the same number of lines; every line ends in '\n'. */
typedef struct {
    GString *side[SIDES];
    size_t lines;
    const char *name; /* display name; borrowed */
} Texts;

static void texts_clear(Texts *texts)
{
    for (Side s = SOURCE; s < SIDES; s++)
        if (texts->side[s]) g_string_free(texts->side[s], TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Texts, texts_clear)

static size_t count_lines(const GString *text)
{
    size_t n = 0;
    for (gsize i = 0; i < text->len; i++) n += text->str[i] == '\n';
    return n;
}

static GString *read_side(const char *path, GError **error)
{
    size_t bytes;
    g_autofree char *data = ns_text_read(path, &bytes, error);
    if (!data) return NULL;
    GString *text = g_string_new_len(data, (gssize)bytes);
    if (bytes > 0 && data[bytes - 1] != '\n') g_string_append_c(text, '\n');
    return text;
}

static bool read_texts(Texts *texts, const char *source, const char *target, GError **error)
{
    texts->side[SOURCE] = read_side(source, error);
    texts->side[TARGET] = texts->side[SOURCE] ? read_side(target, error) : NULL;
    if (!texts->side[TARGET]) return false;
    texts->lines = count_lines(texts->side[SOURCE]);
    size_t other = count_lines(texts->side[TARGET]);
    if (texts->lines == other) return true;
    g_autofree char *name = g_filename_display_basename(source);
    g_autofree char *other_name = g_filename_display_basename(target);
    return ns_refuse(
        error, NS_ERROR_TEXT,
        "“%s” has %zu lines and “%s” has %zu; line i of one must be the translation of "
        "line i of the other.",
        name, texts->lines, other_name, other);
}

/* Moves the last tenth of the lines to `held_out`. */
static void hold_out(Texts *texts, Texts *held_out)
{
    held_out->lines = texts->lines / HELD_OUT;
    texts->lines -= held_out->lines;
    for (Side s = SOURCE; s < SIDES; s++) {
        GString *text = texts->side[s];
        const char *end = text->str;
        for (size_t i = 0; i < texts->lines; i++) end = strchr(end, '\n') + 1;
        held_out->side[s] = g_string_new(end);
        g_string_truncate(text, (gsize)(end - text->str));
    }
}

static bool open_texts(const NsSettings *settings, Texts *training, Texts *held_out, GError **error)
{
    bool files = *settings->source || *settings->target;
    bool validation = *settings->valid_source || *settings->valid_target;
    if (files && (!*settings->source || !*settings->target))
        return ns_refuse(error, NS_ERROR_SETTING,
                         "The task translation needs two files; name both source and target, or "
                         "neither to use generated pairs.");
    if (validation && (!files || !*settings->valid_source || !*settings->valid_target))
        return ns_refuse(error, NS_ERROR_SETTING,
                         "Pairs for validation need all of source, target, valid-source and "
                         "valid-target; name all four files.");
    if (files && !read_texts(training, settings->source, settings->target, error)) return false;
    if (validation)
        return read_texts(held_out, settings->valid_source, settings->valid_target, error);
    if (!files) {
        for (Side s = SOURCE; s < SIDES; s++) training->side[s] = g_string_new(NULL);
        training->lines = GENERATED_PAIRS;
        ns_grammar_pairs((uint64_t)settings->data_seed, GENERATED_PAIRS, training->side[SOURCE],
                         training->side[TARGET]);
    }
    hold_out(training, held_out);
    return true;
}

/* ---- Tokens ---- */

/* Returns where the sentence at *at begins, and moves *at to the next sentence. */
static size_t next_line(const NsCorpus *corpus, size_t end, size_t *at)
{
    size_t begin = *at;
    while (corpus->tokens[*at] != end) (*at)++;
    (*at)++;
    return begin;
}

/* The largest number of tokens of a sentence on each side, and where the next sentences begin. */
typedef struct {
    size_t capacity[SIDES], at[SIDES];
} Sentences;

/* The tokens of sides first .. last of the texts; a byte-pair encoding is learned from the training
 * texts only. */
static NsCorpus *tokens_of(const Texts *training, const Texts *held_out, Side first, Side last,
                           const NsTokenizer *tokenizer, GError **error)
{
    g_autoptr(GString) all = g_string_new(NULL);
    for (Side s = first; s <= last; s++) g_string_append(all, training->side[s]->str);
    size_t training_bytes = all->len;
    for (Side s = first; s <= last; s++) g_string_append(all, held_out->side[s]->str);
    const NsText text = {all->str, training->name, all->len, training_bytes};
    return ns_text_tokens(&text, tokenizer, error);
}

/* A corpus of the pairs that fit into next.capacity, with one vocabulary or one for each side. */
static NsCorpus *corpus_from_texts(const Texts *training, const Texts *held_out,
                                   const NsTokenizer *tokenizer, bool separate, Sentences next,
                                   GError **error)
{
    if (tokenizer->bytes)
        return ns_refuse_null(
            error, NS_ERROR_SETTING,
            "The byte-level BPE of GPT-2 merges newlines, which separate the sentences; use "
            "tokenizer=bpe, char, or a merges file.");
    if (separate && tokenizer->subwords)
        return ns_refuse_null(error, NS_ERROR_SETTING,
                              "A merges file is one vocabulary for source and target; with "
                              "vocabularies=separate use tokenizer=bpe or char.");
    g_autoptr(NsCorpus) source =
        separate ? tokens_of(training, held_out, SOURCE, SOURCE, tokenizer, error) : NULL;
    if (separate && !source) return NULL;
    NsCorpus *corpus =
        tokens_of(training, held_out, separate ? TARGET : SOURCE, TARGET, tokenizer, error);
    if (!corpus) return NULL;
    corpus->source = g_steal_pointer(&source);
    size_t lines = training->lines + held_out->lines;
    corpus->pairs = g_new(NsPair, MAX(lines, 1));
    const Texts *parts[] = {training, held_out};
    for (size_t i = 0; lines > 0 && i < G_N_ELEMENTS(parts); i++) {
        if (!separate) {
            /* A text with all source sentences first: the target sentences begin after them. */
            size_t end = (size_t)ns_sentence_end(corpus);
            next.at[SOURCE] = next.at[TARGET];
            for (size_t k = 0; k < parts[i]->lines; k++) next_line(corpus, end, &next.at[TARGET]);
        }
        /* The next pairs, except those that are too long. */
        const NsCorpus *of[SIDES] = {ns_corpus_source(corpus), corpus};
        size_t ends[SIDES], begin[SIDES], length[SIDES];
        for (Side s = SOURCE; s < SIDES; s++) ends[s] = (size_t)ns_sentence_end(of[s]);
        for (size_t k = 0; k < parts[i]->lines; k++) {
            for (Side s = SOURCE; s < SIDES; s++) {
                begin[s] = next_line(of[s], ends[s], &next.at[s]);
                length[s] = next.at[s] - begin[s];
            }
            if (length[SOURCE] <= next.capacity[SOURCE] && length[TARGET] <= next.capacity[TARGET])
                corpus->pairs[corpus->n_pairs++] = (NsPair){.source = begin[SOURCE],
                                                            .target = begin[TARGET],
                                                            .source_length = length[SOURCE],
                                                            .target_length = length[TARGET]};
        }
        if (i > 0) continue;
        corpus->n_train_pairs = corpus->n_pairs;
        corpus->n_train = next.at[TARGET];
        if (separate) corpus->source->n_train = next.at[SOURCE];
    }
    return corpus;
}

NsCorpus *ns_corpus_new_from_pairs(const NsSettings *settings, GError **error)
{
    g_auto(NsTokenizer) tokenizer = {0};
    g_auto(Texts) training = {0}, held_out = {0};
    if (!ns_tokenizer_open(&tokenizer, settings, error) ||
        !open_texts(settings, &training, &held_out, error))
        return NULL;
    g_autofree char *name = *settings->source ? g_filename_display_basename(settings->source)
                                              : g_strdup("generated pairs");
    training.name = name;
    const Sentences all = {
        .capacity = {(size_t)ns_settings_source_seq(settings), (size_t)settings->seq}};
    bool separate = settings->vocabularies == NS_VOCABULARIES_SEPARATE;
    g_autoptr(NsCorpus) corpus =
        corpus_from_texts(&training, &held_out, &tokenizer, separate, all, error);
    if (!corpus) return NULL;
    size_t lines = training.lines + held_out.lines;
    corpus->sampler = &ns_pairs_sampler;
    if (corpus->n_train_pairs == 0 || corpus->n_pairs <= corpus->n_train_pairs)
        return ns_refuse_null(
            error, NS_ERROR_TEXT,
            "Of the %zu pairs in “%s”, %zu are short enough for training and %zu for "
            "validation; use more pairs, a longer seq and source-seq, or tokenizer=bpe.",
            lines, corpus->name, corpus->n_train_pairs, corpus->n_pairs - corpus->n_train_pairs);
    /* The name with the number of pairs. */
    g_autofree char *plain = corpus->name;
    corpus->name = corpus->n_pairs == lines
                       ? g_strdup_printf("%s (%zu pairs)", plain, lines)
                       : g_strdup_printf("%s (%zu of %zu pairs, the others are longer than seq or "
                                         "source-seq)",
                                         plain, corpus->n_pairs, lines);
    /* Sort the pairs by length. */
    NsPairLengths *lengths = corpus->lengths = g_new0(NsPairLengths, 1);
    size_t n = lengths->n = corpus->n_train_pairs;
    for (size_t i = 0; i < n; i++)
        lengths->longest = MAX(lengths->longest, length_of(&corpus->pairs[i]));
    lengths->order = g_new(guint32, n);
    lengths->same = g_new0(SameLength, lengths->longest + 1);
    for (size_t i = 0; i < n; i++) {
        const NsPair *pair = &corpus->pairs[i];
        SameLength *same = &lengths->same[length_of(pair)];
        same->n++;
        same->source = MAX(same->source, pair->source_length);
        same->target = MAX(same->target, pair->target_length);
        same->tokens += (double)(pair->source_length + pair->target_length);
    }
    g_autofree size_t *next = g_new0(size_t, lengths->longest + 1);
    for (size_t k = 1; k <= lengths->longest; k++) next[k] = next[k - 1] + lengths->same[k - 1].n;
    for (size_t i = 0; i < n; i++)
        lengths->order[next[length_of(&corpus->pairs[i])]++] = (guint32)i;
    return g_steal_pointer(&corpus);
}

NsCorpus *ns_corpus_new_from_facts(const NsSettings *settings, GError **error)
{
    g_auto(NsTokenizer) tokenizer = {0};
    g_auto(Texts) training = {.lines = GENERATED_PAIRS, .name = "generated sentences"};
    g_auto(Texts) held_out = {0};
    if (!ns_tokenizer_open(&tokenizer, settings, error)) return NULL;
    for (Side s = SOURCE; s < SIDES; s++) training.side[s] = g_string_new(NULL);
    ns_fact_text((uint64_t)settings->data_seed, GENERATED_PAIRS, training.side[SOURCE],
                 training.side[TARGET]);
    hold_out(&training, &held_out);
    const Sentences all = {.capacity = {SIZE_MAX, SIZE_MAX}};
    NsCorpus *corpus = corpus_from_texts(&training, &held_out, &tokenizer, false, all, error);
    if (corpus) corpus->sampler = &ns_mlm_sampler;
    return corpus;
}

/* ---- Batches of sentences and their translations ---- */

static void copy(int32_t *to, const uint16_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] = from[i];
}

static void take_pair(const NsCorpus *corpus, const NsPair *pair, NsBatch *batch, size_t b)
{
    size_t T = batch->T, S = batch->S, n = pair->target_length;
    int32_t *tokens = batch->tokens + b * T, *targets = batch->targets + b * T;
    int32_t *source = batch->source + b * S;
    memset(source, 0, S * sizeof *source);
    memset(tokens, 0, T * sizeof *tokens);
    for (size_t t = n; t < T; t++) targets[t] = NS_NO_TARGET;
    copy(source, ns_corpus_source(corpus)->tokens + pair->source, pair->source_length);
    copy(targets, corpus->tokens + pair->target, n);
    tokens[0] = (int32_t)corpus->V;
    copy(tokens + 1, corpus->tokens + pair->target, n - 1);
    batch->source_length[b] = (int32_t)pair->source_length;
    batch->length[b] = (int32_t)n;
}

static void train(const NsCorpus *corpus, uint64_t data_seed, uint64_t index, NsBatch *batch)
{
    NsRng rng;
    ns_rng_init(&rng, data_seed, ns_rng_stream("pairs") + index);
    if (batch->capacity) {
        /* Draw a group of pairs of similar length, with at most `capacity` positions on each side.
         * On average every pair occurs in the same number of batches. */
        double batches = 0;
        for (Walk walk = {.length = 1}; next_group(corpus->lengths, batch->capacity, &walk);)
            batches += batches_of(&walk.group);
        double at = batches * ns_rng_uniform(&rng);
        Walk walk = {.length = 1};
        next_group(corpus->lengths, batch->capacity, &walk);
        Group group = walk.group;
        while ((at -= batches_of(&group)) > 0 &&
               next_group(corpus->lengths, batch->capacity, &walk))
            group = walk.group;
        batch->B = group.B;
        batch->T = group.T;
        batch->S = group.S;
        for (size_t b = 0; b < batch->B; b++) {
            size_t i = group.first + ns_rng_below(&rng, group.n);
            take_pair(corpus, &corpus->pairs[corpus->lengths->order[i]], batch, b);
        }

        return;
    }
    for (size_t b = 0; b < batch->B; b++)
        take_pair(corpus, &corpus->pairs[ns_rng_below(&rng, corpus->n_train_pairs)], batch, b);
}

/* Takes pairs that are spread evenly over the held-out ones. */
static void validate(const NsCorpus *corpus, size_t index, size_t count, NsBatch *batch)
{
    size_t held_out = corpus->n_pairs - corpus->n_train_pairs, all = count * batch->B;
    for (size_t b = 0; b < batch->B; b++) {
        size_t at = (index * batch->B + b) * held_out / all;
        take_pair(corpus, &corpus->pairs[corpus->n_train_pairs + at], batch, b);
    }
}

const NsSampler ns_pairs_sampler = {
    .special[NS_ARCH_ENCODER_DECODER] = NS_BEGIN_SYMBOL, .train = train, .validate = validate};
