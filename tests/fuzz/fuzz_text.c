/* Any bytes as a text, directly and as a file.  SPDX-License-Identifier: MIT
 *
 * A text is refused with an error of the program's own, or gives batches whose tokens all lie in
 * the vocabulary.  The first byte of the input chooses the length of a sequence. */
#include "core/base/error.h"
#include "core/data/corpus.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

static void check_batch(const NsCorpus *corpus, const NsBatch *batch)
{
    for (size_t i = 0; i < batch->B * batch->T; i++) {
        require(batch->tokens[i] >= 0 && (size_t)batch->tokens[i] < corpus->V);
        require(batch->targets[i] >= 0 && (size_t)batch->targets[i] < corpus->V);
    }
}

static void check_corpus(const NsCorpus *corpus, size_t seq)
{
    require(corpus->V >= 2 && corpus->V <= NS_SYMBOLS_MAX);
    require(corpus->n_train < corpus->n);

    NsBatch batch;
    ns_batch_init(&batch, 3, seq);
    for (size_t i = 0; i < 2; i++) {
        ns_corpus_train_batch(corpus, 1, i, &batch);
        check_batch(corpus, &batch);
        ns_corpus_validation_batch(corpus, i, 2, &batch);
        check_batch(corpus, &batch);
    }
    ns_batch_clear(&batch);
}

static void check_error(const GError *error)
{
    require(error != NULL && error->domain == NS_ERROR);
    require(g_utf8_validate(error->message, -1, NULL));
    require(g_str_has_suffix(error->message, "."));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    size_t seq = 1 + data[0] % 16u;
    const char *text = (const char *)data + 1;
    g_autoptr(GError) error = NULL, file_error = NULL;

    g_autoptr(NsCorpus) corpus = ns_corpus_new_from_text(text, size - 1, "fuzz", seq, &error);
    if (corpus != NULL)
        check_corpus(corpus, seq);
    else
        check_error(error);

    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    require(fd >= 0 && write(fd, text, size - 1) == (ssize_t)(size - 1));
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
    g_autoptr(NsCorpus) file = ns_corpus_new_from_file(path, seq, &file_error);
    close(fd);
    require((file == NULL) == (corpus == NULL));
    if (file == NULL)
        check_error(file_error);
    else
        require(file->n == corpus->n && file->V == corpus->V);
    return 0;
}
