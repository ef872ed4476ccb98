/* Translation with a trained model.  SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/base/error.h"
#include "core/base/processors.h"
#include "core/data/corpus.h"
#include "core/data/reader.h"
#include "core/data/task.h"
#include "core/data/vocabulary.h"
#include "core/store/dump.h"
#include "core/store/run_notes.h"
#include "core/store/run_reader.h"
#include "core/train/translate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Lines that are translated as one block before they are written. */
#define TOGETHER ((size_t)512)

typedef struct {
    const NsArguments *a;
    char *name;               /* of the run or folder, for display */
    NsCheckpoint *checkpoint; /* the newest one, with averaged weights */
    NsCorpus *corpus;
    NsModel *model;
    GPtrArray *tokens;    /* a GArray of uint16_t per line */
    size_t left_out, cut; /* left_out: characters; cut: lines that are too long */
} Translate;

static void translate_clear(Translate *t)
{
    ns_model_free(t->model);
    g_clear_pointer(&t->corpus, ns_corpus_unref);
    ns_checkpoint_unref(t->checkpoint);
    g_clear_pointer(&t->tokens, g_ptr_array_unref);
    g_free(t->name);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Translate, translate_clear)

/* ---- Weights ---- */

/* y += x / n.  Both may be NULL if there are no elements. */
static void add_share(ns_real *y, const ns_real *x, size_t elements, double n)
{
    for (size_t i = 0; i < elements; i++) y[i] += (ns_real)((double)x[i] / n);
}

/* Reads the newest checkpoint and averages its weights with those of the previous ones. */
static bool read_checkpoints(Translate *t, NsRunReader *reader, GError **error)
{
    g_autoptr(GArray) steps = ns_run_reader_checkpoint_steps(reader, error);
    if (!steps) return false;
    if (steps->len < (guint64)t->a->average)
        return ns_refuse(error, NS_ERROR_USAGE,
                         "“%s” has %u checkpoints, and --average needs %" PRId64
                         "; train with a smaller --checkpoint-every.",
                         t->name, steps->len, t->a->average);
    size_t lane = (size_t)t->a->lane - 1;
    int64_t *last = &g_array_index(steps, int64_t, steps->len - 1);
    t->checkpoint = ns_run_reader_checkpoint(reader, lane, *last, error);
    if (!t->checkpoint) return false;
    double n = (double)t->a->average;
    NsCheckpoint *mean = t->checkpoint;
    for (size_t i = 0; n > 1 && i < mean->table.size; i++)
        mean->w[i] = (ns_real)((double)mean->w[i] / n);
    for (size_t i = 0; n > 1 && i < mean->n_state; i++)
        mean->state[i] = (ns_real)((double)mean->state[i] / n);
    for (int64_t k = 1; k < t->a->average; k++) {
        g_autoptr(NsCheckpoint) c = ns_run_reader_checkpoint(reader, lane, last[-k], error);
        if (!c || !ns_checkpoint_fits(c, &mean->table, error)) return false;
        add_share(mean->w, c->w, mean->table.size, n);
        add_share(mean->state, c->state, MIN(mean->n_state, c->n_state), n);
    }
    return true;
}

static bool check_task(const Translate *t, const NsSettings *s, GError **error)
{
    if (ns_task_translates(s)) return true;
    return ns_refuse(error, NS_ERROR_FILE,
                     "“%s” was trained on the task %s, and only a model of the task translation "
                     "translates; train one with --set task=translation --run FILE.",
                     t->name, ns_task(s->task)->choice.key);
}

static bool make_model(Translate *t, GError **error)
{
    NsSettings s = t->checkpoint->settings;
    /* More threads than sequences in a batch would be idle. */
    s.threads = (int64_t)ns_processors();
    s.batch = s.threads;
    ns_settings_measure_nothing(&s);
    t->model = ns_model_new(&s, ns_corpus_vocab(t->corpus, &s), error);
    if (!t->model) return false;
    const NsTensorTable *table = ns_model_tensors(t->model);
    const NsCheckpoint *c = t->checkpoint;
    if (!ns_checkpoint_fits(c, table, error)) return false;
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *to = &table->tensors[i], *from = ns_tensor_find(&c->table, to->name);
        memcpy(ns_model_weights(t->model) + to->offset, c->w + from->offset,
               ns_tensor_size(to) * sizeof *c->w);
    }
    size_t n;
    ns_real *state = ns_model_state(t->model, &n);
    if (n > 0 && n == c->n_state) memcpy(state, c->state, n * sizeof *state);
    return true;
}

static bool open_model(Translate *t, GError **error)
{
    if (t->a->checkpoint) {
        t->checkpoint = ns_dump_read(t->a->checkpoint, error);
        if (!t->checkpoint || !check_task(t, &t->checkpoint->settings, error)) return false;
        t->corpus = ns_corpus_ref(t->checkpoint->corpus);
        return make_model(t, error);
    }
    g_autoptr(NsRunReader) reader = ns_run_reader_open(t->a->run, error);
    if (!reader) return false;
    const NsExperiment *experiment = &ns_run_reader_provenance(reader)->experiment;
    if (t->a->lane > (gint64)experiment->n)
        return ns_refuse(error, NS_ERROR_USAGE,
                         "“%s” has %zu lanes, so there is no --lane %" PRId64 ".", t->name,
                         experiment->n, t->a->lane);
    if (!check_task(t, &experiment->lane[t->a->lane - 1], error) ||
        !read_checkpoints(t, reader, error))
        return false;
    /* Run files of older versions have no vocabulary, so it is rebuilt from their texts. */
    g_autofree char *key = g_strdup_printf(NS_RUN_NOTE_VOCABULARY "-%" PRId64, t->a->lane);
    g_autofree char *stored = ns_run_reader_note(reader, key);
    t->corpus = stored ? ns_vocabulary_read(stored, t->name, error)
                       : ns_corpus_open(&t->checkpoint->settings, error);
    return t->corpus && make_model(t, error);
}

/* ---- Lines ---- */

static bool translate(const Translate *t, GError **error)
{
    NsLines *out = ns_lines_open(t->a->out ? t->a->out : "-", false, error);
    if (!out) return false;
    NsProgress progress;
    ns_progress_start(&progress, t->a->out != NULL);
    bool good = true;
    size_t n = t->tokens->len;
    const NsTranslating how = {(size_t)t->a->beam, t->a->length_penalty};
    for (size_t first = 0; good && first < n; first += TOGETHER) {
        ns_progress_share(&progress, "translated", (double)first / (double)n);
        size_t part = MIN(TOGETHER, n - first);
        g_autofree NsSentence *sentences = g_new(NsSentence, part);
        for (size_t i = 0; i < part; i++) {
            GArray *tokens = g_ptr_array_index(t->tokens, first + i);
            sentences[i] = (NsSentence){(const uint16_t *)(void *)tokens->data, tokens->len};
        }
        g_auto(GStrv) lines = g_new0(char *, part + 1);
        good = ns_translate(t->model, t->corpus, &how, sentences, part, lines, error);
        for (size_t i = 0; good && lines[i]; i++) good = ns_lines_write(out, lines[i], error);
        good = good && ns_lines_flush(out, error);
    }
    ns_progress_end(&progress);
    return ns_lines_close(out, good, error);
}

/* ---- The command ---- */

static int run(NsArguments *a, GError **error)
{
    g_auto(Translate)
        t = {.a = a, .name = g_filename_display_basename(a->run ? a->run : a->checkpoint)};
    if (a->out && !ns_output_check(a->out, error)) return NS_EXIT_USAGE;
    if (!open_model(&t, error) || !ns_output_spares_data(a->out, &t.checkpoint->settings, error))
        return NS_EXIT_ERROR;
    size_t bytes;
    g_autofree char *text = ns_text_read(a->in, &bytes, error);
    if (!text) return NS_EXIT_ERROR;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    size_t n = g_strv_length(lines), S = ns_model_source(t.model);
    if (n > 0 && !*lines[n - 1]) n--;
    t.tokens = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (size_t i = 0; i < n; i++) {
        size_t left_out;
        if (g_str_has_suffix(lines[i], "\r")) lines[i][strlen(lines[i]) - 1] = '\0';
        GArray *tokens = ns_sentence_encode(ns_corpus_source(t.corpus), lines[i], &left_out);
        g_ptr_array_add(t.tokens, tokens);
        t.left_out += left_out;
        t.cut += tokens->len > S;
    }

    /* Reports what was not translated. */
    if (t.checkpoint->diverged)
        fprintf(stderr,
                NS_CLI ": The model had diverged by step %" PRId64 ", so that it writes nothing.\n",
                t.checkpoint->step);
    if (t.left_out > 0)
        fprintf(stderr,
                NS_CLI ": The model has no token for %zu characters, which were left out.\n",
                t.left_out);
    if (t.cut > 0)
        fprintf(stderr,
                NS_CLI ": %zu lines have more tokens than the model reads (source-seq=%zu); the "
                       "beginning of each was translated.\n",
                t.cut, ns_model_source(t.model));
    return translate(&t, error) ? NS_EXIT_OK : NS_EXIT_ERROR;
}

const NsCommand ns_cli_translate = {
    .choice = {.key = "translate", .purpose = "Translate sentences with the model of a run file"},
    .summary = "Translates sentences with the model of a run file, by beam search.  The run "
               "file\ncontains everything needed, including the vocabulary.\n\n"
               "A translation has at most seq tokens, and at most 50 more than its source: "
               "there its\nend is forced, and the probability of this end counts in its score.",
    .examples = NS_CLI " train --set task=translation --set arch=encoder-decoder --set "
                       "tokenizer=bpe --run a.nsrun\n" NS_CLI
                       " translate --run a.nsrun --in test.de --out test.hyp\n" NS_CLI
                       " bleu --reference test.en test.hyp",
    .run = run,
};
