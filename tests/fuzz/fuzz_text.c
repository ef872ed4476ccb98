/* Any bytes as a text, directly and as a file.  SPDX-License-Identifier: MIT
 *
 * A text is refused with an error of the program's own, or gives batches whose tokens all lie in
 * the vocabulary, for every architecture.  The first byte of the input chooses the length of a
 * sequence. */
#include "core/data/reader.h"
#include "core/data/sampler.h"
#include "core/data/text_corpus.h"
#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

static void check_tokens(const int32_t *tokens, size_t n, size_t below)
{
    for (size_t i = 0; i < n; i++) require(tokens[i] >= 0 && (size_t)tokens[i] < below);
}

static void check_batch(const NsCorpus *corpus, const NsBatch *batch)
{
    size_t n = batch->B * batch->T;
    bool extra = corpus->arch != NS_ARCH_DECODER;
    check_tokens(batch->tokens, n, corpus->V + (extra ? 1 : 0));
    check_tokens(batch->source, batch->B * batch->S, corpus->V);
    for (size_t i = 0; i < n; i++)
        require(batch->targets[i] >= NS_NO_TARGET && batch->targets[i] < (int32_t)corpus->V);
    size_t targets = ns_batch_targets(batch);
    require(targets >= batch->B && (corpus->arch == NS_ARCH_ENCODER || targets == n));
}

/* The first part of the sequence is the source of an encoder-decoder. */
static void check_batches(NsCorpus *corpus, unsigned arch, size_t seq)
{
    size_t source = arch == NS_ARCH_ENCODER_DECODER ? seq / 2 : 0;
    NsBatch batch;
    ns_batch_init(&batch, 3, seq - source, source);
    corpus->arch = arch;
    for (size_t i = 0; i < 2; i++) {
        ns_corpus_train_batch(corpus, 1, i, &batch);
        check_batch(corpus, &batch);
        ns_corpus_validation_batch(corpus, i, 2, &batch);
        check_batch(corpus, &batch);
    }
    ns_batch_clear(&batch);
}

static void check_corpus(NsCorpus *corpus, size_t seq)
{
    require(corpus->V >= 2 && corpus->V <= NS_SYMBOLS_MAX);
    require(corpus->n_train < corpus->n);
    check_batches(corpus, NS_ARCH_DECODER, seq);
    check_batches(corpus, NS_ARCH_ENCODER, seq);
    if (seq > 1) check_batches(corpus, NS_ARCH_ENCODER_DECODER, seq);
}

static void check_error(const GError *error)
{
    require_error(error);
    require(g_str_has_suffix(error->message, "."));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    size_t seq = 1 + data[0] % 16u;
    const char *text = (const char *)data + 1;
    g_autoptr(GError) error = NULL, file_error = NULL;

    g_autoptr(NsCorpus) corpus = ns_corpus_new_from_text(text, size - 1, "fuzz", seq, NULL, &error);
    if (corpus != NULL)
        check_corpus(corpus, seq);
    else
        check_error(error);

    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    require(fd >= 0 && write(fd, text, size - 1) == (ssize_t)(size - 1));
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
    g_autoptr(NsCorpus) file = ns_corpus_new_from_file(path, seq, NULL, &file_error);
    close(fd);
    /* Only a file can be the pointer of Git LFS to another one. */
    require((file == NULL) == (corpus == NULL || ns_lfs_pointer_is(text, size - 1)));
    if (file == NULL)
        check_error(file_error);
    else
        require(corpus != NULL && file->n == corpus->n && file->V == corpus->V);
    return 0;
}
