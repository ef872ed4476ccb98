/* The registry of tasks.  SPDX-License-Identifier: MIT */
#include "core/data/task.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/data/grammar.h"
#include "core/data/pair_corpus.h"
#include "core/data/sampler.h"
#include "core/data/text_corpus.h"

#include <inttypes.h>
#include <string.h>

/* Characters of generated text: more than a model can memorize in a lecture, and generated in a
 * fraction of a second. */
#define GENERATED_CHARACTERS ((size_t)400000)

/* Characters of one sequence, including its source. */
static size_t span(const NsSettings *settings)
{
    return (size_t)(settings->seq + ns_settings_source_seq(settings));
}

static NsCorpus *open_grammar(const NsTask *task, const NsSettings *settings, GError **error)
{
    (void)task;
    g_auto(NsTokenizer) tokenizer = {0};
    if (!ns_tokenizer_open(&tokenizer, settings, error)) return NULL;
    g_autofree char *text = ns_grammar_text((uint64_t)settings->data_seed, GENERATED_CHARACTERS);
    return ns_corpus_new_from_text(text, strlen(text), "generated text", span(settings), &tokenizer,
                                   error);
}

static NsCorpus *open_text(const NsTask *task, const NsSettings *settings, GError **error)
{
    if (settings->text[0] == '\0')
        return ns_refuse_null(
            error, NS_ERROR_SETTING,
            N_("The task “%s” needs a text to train on; name its file with text=PATH."),
            task->choice.key);
    g_auto(NsTokenizer) tokenizer = {0};
    if (!ns_tokenizer_open(&tokenizer, settings, error)) return NULL;
    return ns_corpus_new_from_file(settings->text, span(settings), &tokenizer, error);
}

static NsCorpus *open_translation(const NsTask *task, const NsSettings *settings, GError **error)
{
    if (settings->arch == NS_ARCH_ENCODER_DECODER) return ns_corpus_new_from_pairs(settings, error);
    return ns_refuse_null(
        error, NS_ERROR_SETTING,
        N_("The task “%s” needs an encoder for the source and a decoder for the target; set "
           "arch=encoder-decoder."),
        task->choice.key);
}

static NsCorpus *open_mlm(const NsTask *task, const NsSettings *settings, GError **error)
{
    if (settings->arch != NS_ARCH_ENCODER)
        return ns_refuse_null(
            error, NS_ERROR_SETTING,
            N_("The task “%s” predicts masked tokens from the text on both sides, which only "
               "an encoder reads; set arch=encoder."),
            task->choice.key);
    if (settings->seq < NS_MLM_LEAST)
        return ns_refuse_null(
            error, NS_ERROR_SETTING,
            "The task “%s” needs room for two segments and their [CLS] and [SEP]; set seq to "
            "%d or more.",
            task->choice.key, NS_MLM_LEAST);
    NsCorpus *corpus = *settings->text ? open_text(task, settings, error)
                                       : ns_corpus_new_from_facts(settings, error);
    if (!corpus) return NULL;
    corpus->sampler = task->sampler;
    corpus->next_sentence = settings->next_sentence == NS_TOGGLE_ON;
    return corpus;
}

/* A corpus of as many symbols as the settings request; `letters`: they are named if they are few.
 */
static NsCorpus *open_made(const NsTask *task, const NsSettings *settings, const char *name,
                           bool letters, GError **error)
{
    size_t V = settings->vocab ? (size_t)settings->vocab : task->V;
    if (V > 1) return ns_corpus_new_made(name, task->sampler, V, letters && V <= 26);
    return ns_refuse_null(
        error, NS_ERROR_SETTING,
        "The task “%s” has nothing to predict with vocab=%zu; set vocab to 2 or more, or to "
        "0 for the default of %zu.",
        task->choice.key, V, task->V);
}

static NsCorpus *open_symbols(const NsTask *task, const NsSettings *settings, GError **error)
{
    if (settings->arch == NS_ARCH_DECODER && settings->seq < 2)
        return ns_refuse_null(
            error, NS_ERROR_SETTING,
            "The task “%s” does not fit into sequences of length %" PRId64
            ": a decoder reads the symbols and then the answer; set seq to 2 or more.",
            task->choice.key, settings->seq);
    return open_made(task, settings, "random symbols", true, error);
}

static NsCorpus *open_gaussian(const NsTask *task, const NsSettings *settings, GError **error)
{
    return open_made(task, settings, "Gaussian inputs", false, error);
}

static NsCorpus *open_random(const NsTask *task, const NsSettings *settings, GError **error)
{
    return open_made(task, settings, "random tokens", false, error);
}

static const NsTask tasks[] = {
    {{.key = "grammar",
      .label = "Generated play",
      .purpose =
          "A play that the program generates, learned character by character; no file is needed."},
     open_grammar,
     &ns_text_sampler,
     0},
    {{.key = "text",
      .label = "Text file",
      .purpose = "A UTF-8 text file, learned character by character."},
     open_text,
     &ns_text_sampler,
     0},
    {{.key = "mlm",
      .label = "Masked tokens",
      .formula = "[CLS] the [M] saw the cat [SEP] …",
      .reference = "Devlin et al. 2018, arXiv 1810.04805",
      .purpose = "The pre-training of BERT: an encoder predicts the masked tokens of two segments "
                 "and, with next-sentence, whether the second follows the first. The text is a "
                 "file, or sentences that the program generates."},
     open_mlm,
     &ns_mlm_sampler,
     0},
    {{.key = "translation",
      .label = "Translation",
      .formula = "ein Hund → a dog",
      .reference = "Vaswani et al. 2017",
      .purpose =
          "Translate sentences: those of two line-aligned files, or German ones that the program "
          "generates with their English translations. The task needs an encoder-decoder."},
     open_translation,
     &ns_pairs_sampler,
     0},
    {{.key = "copy",
      .label = "Copy",
      .formula = "abca → abca",
      .purpose = "Repeat random symbols; shows whether attention finds the right position."},
     open_symbols,
     &ns_copy_sampler,
     NS_TASK_SYMBOLS},
    {{.key = "reverse",
      .label = "Reverse",
      .formula = "abca → acba",
      .purpose = "Write random symbols in reverse order."},
     open_symbols,
     &ns_reverse_sampler,
     NS_TASK_SYMBOLS},
    {{.key = "sort",
      .label = "Sort",
      .formula = "abca → aabc",
      .purpose = "Write random symbols in ascending order."},
     open_symbols,
     &ns_sort_sampler,
     NS_TASK_SYMBOLS},
    {{.key = "gaussian",
      .label = "Gaussian inputs",
      .formula = "x_{b,t} ~ N(0, I)",
      .reference = "Xiong et al. 2020, 3.3",
      .purpose = "Every position has its own normally distributed input and a random target: the "
                 "setting of the theory."},
     open_gaussian,
     &ns_gaussian_sampler,
     NS_GAUSSIAN_TARGETS},
    {{.key = "random",
      .label = "Random tokens",
      .formula = "loss → log V",
      .purpose =
          "Every next token is random: all that can be learned is that all are equally frequent."},
     open_random,
     &ns_random_sampler,
     NS_RANDOM_SYMBOLS},
};

const NsTask *ns_task(size_t i)
{
    return i < G_N_ELEMENTS(tasks) ? &tasks[i] : NULL;
}

NS_CHOICES(ns_task_choice, tasks)

bool ns_task_translates(const NsSettings *settings)
{
    return g_str_equal(ns_task(settings->task)->choice.key, "translation");
}

NsCorpus *ns_corpus_open(const NsSettings *settings, GError **error)
{
    const NsTask *task = &tasks[settings->task];
    NsCorpus *corpus = task->open(task, settings, error);
    if (!corpus) return NULL;
    corpus->arch = settings->arch;
    corpus->data_seed = (uint64_t)settings->data_seed;
    return corpus;
}
