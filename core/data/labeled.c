/* SPDX-License-Identifier: MIT */
#include "core/data/labeled.h"

#include "core/base/error.h"
#include "core/data/reader.h"
#include "core/data/sampler.h"

#include <string.h>

/* Of HELD_OUT pairs one is held out. */
#define HELD_OUT 5

/* The pairs collected so far. */
typedef struct {
    const NsCorpus *vocabulary;
    GArray *tokens, *training, *held_out; /* uint16_t; NsPair */
    NsLabeledLeftOut left_out;
} Collection;

static void collection_init(Collection *c, const NsCorpus *vocabulary)
{
    *c = (Collection){.vocabulary = vocabulary,
                      .tokens = g_array_new(FALSE, FALSE, sizeof(uint16_t)),
                      .training = g_array_new(FALSE, FALSE, sizeof(NsPair)),
                      .held_out = g_array_new(FALSE, FALSE, sizeof(NsPair))};
}

static void collection_clear(Collection *c)
{
    g_array_unref(c->tokens);
    g_array_unref(c->training);
    g_array_unref(c->held_out);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Collection, collection_clear)

/* Appends a sentence without its end; returns where it begins. */
static size_t add_sentence(Collection *c, const char *sentence, size_t *length)
{
    size_t left_out, begin = c->tokens->len;
    g_autoptr(GArray) own = ns_sentence_encode(c->vocabulary, sentence, &left_out);
    c->left_out.characters += left_out;
    *length = own->len - 1;
    g_array_append_vals(c->tokens, own->data, (guint)*length);
    return begin;
}

static void add_pair(Collection *c, const char *first, const char *second, int label, bool held_out)
{
    NsPair pair = {.label = label};
    pair.source = add_sentence(c, first, &pair.source_length);
    pair.target = add_sentence(c, second, &pair.target_length);
    g_array_append_vals(held_out ? c->held_out : c->training, &pair, 1);
}

static NsCorpus *corpus_of(const Collection *c, const char *name)
{
    NsCorpus *corpus = ns_corpus_new(name, &ns_labeled_sampler, c->vocabulary->V);
    corpus->arch = NS_ARCH_ENCODER;
    corpus->n = c->tokens->len;
    corpus->tokens = g_memdup2(c->tokens->data, corpus->n * sizeof *corpus->tokens);
    corpus->n_train_pairs = c->training->len;
    corpus->n_pairs = corpus->n_train_pairs + c->held_out->len;
    g_array_append_vals(c->training, c->held_out->data, c->held_out->len);
    corpus->pairs = g_memdup2(c->training->data, corpus->n_pairs * sizeof *corpus->pairs);
    return corpus;
}

/* ---- Files ---- */

typedef struct {
    guint columns, label, first, second;
    const char *labels[2], *words; /* of class 0 and 1; what a line consists of, for messages */
} Layout;

static const Layout layouts[] = {
    [NS_LABELED_MRPC] = {5, 0, 3, 4, {"0", "1"}, "a label 0 or 1, two numbers and two sentences"},
    [NS_LABELED_RTE] = {4,
                        3,
                        1,
                        2,
                        {"not_entailment", "entailment"},
                        "a number, two sentences and the label entailment or not_entailment"},
};

static bool read_line(Collection *c, const Layout *layout, char *line, size_t number,
                      const char *name, GError **error)
{
    g_auto(GStrv) columns = g_strsplit(line, "\t", -1);
    int label = -1;
    for (char **column = columns; *column; column++) g_strstrip(*column);
    /* Editors remove the tab before an empty sentence at the end of a line. */
    guint n = g_strv_length(columns);
    bool cut = n + 1 == layout->columns && layout->second == n;
    for (int k = 0; (n == layout->columns || cut) && k < 2; k++)
        if (g_str_equal(columns[layout->label], layout->labels[k])) label = k;
    if (label < 0)
        return ns_refuse(error, NS_ERROR_TEXT,
                         "Line %zu of “%s” is not %s, separated by tabs; correct or remove it.",
                         number, name, layout->words);
    if (!*columns[layout->first] || cut || !*columns[layout->second]) {
        c->left_out.empty++;
        return true;
    }
    size_t pairs = c->training->len + c->held_out->len;
    add_pair(c, columns[layout->first], columns[layout->second], label,
             pairs % HELD_OUT == HELD_OUT - 1);
    return true;
}

NsCorpus *ns_labeled_new_from_file(const NsCorpus *vocabulary, const char *path,
                                   NsLabeledFormat format, NsLabeledLeftOut *left_out,
                                   GError **error)
{
    size_t bytes;
    g_autofree char *text = ns_text_read(path, &bytes, error);
    if (!text) return NULL;
    g_autofree char *name = g_filename_display_basename(path);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_auto(Collection) c;
    collection_init(&c, vocabulary);
    bool good = true, has_head = false;
    for (size_t i = 0; good && lines[i]; i++) {
        bool blank = !lines[i][strspn(lines[i], " \t\r")];
        c.left_out.blank += blank && lines[i + 1]; /* not at the end of the file */
        if (!blank && has_head)
            good = read_line(&c, &layouts[format], lines[i], i + 1, name, error);
        has_head |= !blank;
    }
    if (good && c.held_out->len == 0)
        good = ns_refuse(error, NS_ERROR_TEXT,
                         "“%s” has too few pairs after its header line: %u, where %d are needed.",
                         name, c.training->len, HELD_OUT);
    *left_out = c.left_out;
    return good ? corpus_of(&c, name) : NULL;
}

NsCorpus *ns_labeled_new_generated(const NsCorpus *vocabulary, NsPairRelation relation,
                                   uint64_t seed, size_t n, NsLabeledLeftOut *left_out)
{
    g_auto(Collection) c;
    collection_init(&c, vocabulary);
    for (int part = 0; part < 2; part++) {
        NsRng rng;
        ns_rng_init(&rng, part ? 0 : seed,
                    ns_rng_stream(part ? "held-out pairs" : "labeled pairs"));
        for (size_t i = 0; i < (part ? NS_LABELED_HELD_OUT : n); i++) {
            g_autoptr(GString) first = g_string_new(NULL), second = g_string_new(NULL);
            int label = ns_fact_pair(&rng, relation, first, second);
            add_pair(&c, first->str, second->str, label, part);
        }
    }
    *left_out = c.left_out;
    return corpus_of(&c, "generated pairs");
}

/* ---- Batches ---- */

static void take(const NsCorpus *corpus, size_t i, NsBatch *batch, size_t b)
{
    const NsPair *pair = &corpus->pairs[i];
    ns_segments_write(batch, b, corpus->V, corpus->tokens + pair->source, pair->source_length,
                      corpus->tokens + pair->target, pair->target_length);
    batch->targets[b * batch->T] = pair->label;
}

static void train(const NsCorpus *corpus, uint64_t data_seed, uint64_t index, NsBatch *batch)
{
    NsRng rng;
    ns_rng_init(&rng, data_seed, ns_rng_stream("labeled") + index);
    for (size_t b = 0; b < batch->B; b++)
        take(corpus, ns_rng_below(&rng, corpus->n_train_pairs), batch, b);
}

static void validate(const NsCorpus *corpus, size_t index, size_t count, NsBatch *batch)
{
    size_t held_out = corpus->n_pairs - corpus->n_train_pairs, all = count * batch->B;
    for (size_t b = 0; b < batch->B; b++)
        take(corpus, corpus->n_train_pairs + (index * batch->B + b) * held_out / all, batch, b);
}

size_t ns_labeled_held_out(const NsCorpus *corpus, size_t first, NsBatch *batch)
{
    size_t held_out = corpus->n_pairs - corpus->n_train_pairs;
    for (size_t b = 0; b < batch->B; b++)
        take(corpus, corpus->n_train_pairs + (first + b) % held_out, batch, b);
    return MIN(batch->B, held_out - first);
}

static NsVocab vocab(const NsCorpus *corpus, const NsSettings *settings)
{
    (void)settings;
    return (NsVocab){.in = corpus->V + NS_MLM_SPECIAL, .out = 2, .segments = 2};
}

const NsSampler ns_labeled_sampler = {.vocab = vocab, .train = train, .validate = validate};
