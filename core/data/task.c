/* The registry of tasks.  SPDX-License-Identifier: MIT */
#include "core/data/task.h"

#include "core/base/error.h"
#include "core/data/grammar.h"

#include <string.h>

/* Characters of generated text: enough that a model cannot learn it by heart in a lecture, and made
 * in a fraction of a second. */
#define GENERATED_CHARACTERS ((size_t)400000)

static NsCorpus *open_grammar(const NsSettings *settings, GError **error)
{
    g_autofree char *text = ns_grammar_text((uint64_t)settings->data_seed, GENERATED_CHARACTERS);
    return ns_corpus_new_from_text(text, strlen(text), "generated text", (size_t)settings->seq,
                                   error);
}

static NsCorpus *open_text(const NsSettings *settings, GError **error)
{
    if (settings->text[0] == '\0') {
        g_set_error_literal(error, NS_ERROR, NS_ERROR_SETTING,
                            "The task “text” needs a file to learn; name one with text=PATH.");
        return NULL;
    }
    return ns_corpus_new_from_file(settings->text, (size_t)settings->seq, error);
}

static const NsTask tasks[] = {
    {{"grammar", "Generated play", NULL, NULL,
      "The next character of a play that the program writes itself; needs no file."},
     open_grammar},
    {{"text", "Text file", NULL, NULL, "The next character of a UTF-8 text file."}, open_text},
};

const NsTask *ns_task(size_t i)
{
    return i < G_N_ELEMENTS(tasks) ? &tasks[i] : NULL;
}

const NsChoice *ns_task_choice(size_t i)
{
    return i < G_N_ELEMENTS(tasks) ? &tasks[i].choice : NULL;
}

NsCorpus *ns_corpus_open(const NsSettings *settings, GError **error)
{
    return tasks[settings->task].open(settings, error);
}
