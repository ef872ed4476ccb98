/* SPDX-License-Identifier: MIT */
#include "core/train/continuation.h"

#include "core/base/copy.h"
#include "core/data/tokenizer.h"
#include "core/model/decode.h"

#include <math.h>
#include <string.h>

/* Tokens of the held-out text that make a prompt. */
#define PROMPT_TOKENS 16

bool ns_continuation_is_possible(const NsCorpus *corpus)
{
    return corpus->arch != NS_ARCH_ENCODER && (corpus->symbols || corpus->words);
}

/* ---- Prompts ---- */

GArray *ns_prompt_tokens(const NsCorpus *corpus, const NsSettings *settings, const char *text)
{
    GArray *prompt = g_array_new(FALSE, FALSE, sizeof(int32_t));
    /* Appends the tokens of a text in the form in which the model reads it. */
    bool source = corpus->arch == NS_ARCH_ENCODER_DECODER;
    const NsCorpus *read = source ? ns_corpus_source(corpus) : corpus;
    g_autoptr(GArray) tokens = NULL;
    size_t left_out;
    if (read->symbols || read->subwords) {
        tokens = ns_text_encode(read, text, &left_out);
    } else {
        g_auto(NsTokenizer) tokenizer = {0};
        if (ns_tokenizer_open(&tokenizer, settings, NULL) && tokenizer.bytes)
            tokens = ns_bpe_encode(tokenizer.bytes, text, strlen(text));
    }
    for (guint i = 0; tokens && i < tokens->len; i++) {
        int32_t token = g_array_index(tokens, uint16_t, i);
        g_array_append_val(prompt, token);
    }
    /* After the text comes the end of a source sentence, or the separator before an answer. */
    int32_t last = source && corpus->pairs              ? ns_sentence_end(read)
                   : corpus->sampler->answer && !source ? (int32_t)corpus->V
                                                        : -1;
    bool has = prompt->len && g_array_index(prompt, int32_t, prompt->len - 1) == last;
    if (prompt->len && last >= 0 && !has) g_array_append_val(prompt, last);
    if (prompt->len == 0) {
        /* Append the beginning of a held-out sequence: its source, what comes before its answer, or
         * some tokens of a text, all of which are targets. */
        NsBatch batch;
        size_t T = (size_t)settings->seq, S = (size_t)ns_settings_source_seq(settings), n = 1;
        ns_batch_init(&batch, 1, T, S);
        ns_corpus_validation_batch(corpus, 0, 1, &batch);
        while (n < T && batch.targets[n - 1] == NS_NO_TARGET) n++;
        if (n == 1) n = CLAMP(T / 2, 1, PROMPT_TOKENS);
        if (S > 0)
            g_array_append_vals(prompt, batch.source, (guint)batch.source_length[0]);
        else
            g_array_append_vals(prompt, batch.tokens, (guint)n);
        ns_batch_clear(&batch);
    }
    return prompt;
}

/* ---- Decoding ---- */

/* The tokens that a model has read so far. */
typedef struct {
    NsDecoder *decoder;
    const int32_t *tokens; /* [n] the prompt and what was written */
    size_t n, first;       /* a decoder alone has read first .. n - 1 */
    int32_t length;        /* of the source */
} Reading;

static const ns_real *read_from(Reading *r, size_t first)
{
    const ns_real *logits = NULL;
    r->first = first;
    ns_decoder_begin(r->decoder, &(NsSourceBatch){.n = 1});
    for (size_t i = first; i < r->n; i++) logits = ns_decoder_step(r->decoder, &r->tokens[i]);
    return logits;
}

/* Reads the prompt and returns the logits of the next token. */
static const ns_real *read_prompt(Reading *r, int32_t begin)
{
    NsDecoderSize size = ns_decoder_size(r->decoder);
    size_t S = size.source, T = size.positions;
    if (S == 0) return read_from(r, r->n > T ? r->n - T : 0);
    r->length = (int32_t)MIN(r->n, S);
    ns_decoder_begin(r->decoder, &(NsSourceBatch){1, (size_t)r->length, r->tokens, &r->length});
    return ns_decoder_step(r->decoder, &begin);
}

/* Chooses the next token by its logits [V]: draws it at a temperature, or takes the most probable
 * one at 0.  -1 if any logit is not finite. */
static int32_t choose(const ns_real *logits, size_t V, double temperature, NsRng *rng)
{
    size_t best = 0;
    for (size_t i = 0; i < V; i++) {
        if (!isfinite(logits[i])) return -1;
        if (logits[i] > logits[best]) best = i;
    }
    if (temperature <= 0) return (int32_t)best;
    double sum = 0, below = 0, draw = ns_rng_uniform(rng);
    for (size_t i = 0; i < V; i++) sum += exp((double)(logits[i] - logits[best]) / temperature);
    for (size_t i = 0; i < V; i++) {
        below += exp((double)(logits[i] - logits[best]) / temperature);
        if (draw * sum < below) return (int32_t)i;
    }
    return (int32_t)best; /* by rounding */
}

bool ns_prompt_text(const NsCorpus *corpus, const GArray *prompt, char *text, size_t size)
{
    bool source = corpus->arch == NS_ARCH_ENCODER_DECODER;
    const NsCorpus *read = source ? ns_corpus_source(corpus) : corpus;
    const int32_t *tokens = (const int32_t *)(const void *)prompt->data;
    size_t shown = prompt->len;
    /* The end of a source sentence is not shown. */
    if (source && corpus->pairs && tokens[shown - 1] == ns_sentence_end(read)) shown--;
    g_autoptr(GString) words = g_string_new(NULL);
    bool space = false;
    ns_tokens_append(read, tokens, shown, &space, words);
    const char *from = words->str;
    if (words->len >= size) from += words->len - size + 1;
    while ((*from & 0xC0) == 0x80) from++; /* within a character */
    ns_copy_text(text, size, from);
    return space && !source;
}

bool ns_continue(NsModel *model, const NsCorpus *corpus, const NsSettings *settings,
                 const GArray *prompt, NsContinuation *continuation, GError **error)
{
    g_autoptr(NsDecoder) decoder = ns_decoder_new(model, 1, 1, error);
    if (!decoder) return false;
    bool source = ns_decoder_size(decoder).source > 0;
    size_t T = ns_decoder_size(decoder).positions;
    size_t answer = corpus->sampler->answer ? prompt->len - (source ? 0 : 1) : 0;
    size_t most = answer ? MIN(answer, NS_CONTINUATION_TOKENS) : NS_CONTINUATION_TOKENS;
    double temperature = answer || corpus->pairs ? 0 : settings->temperature;
    NsRng rng;
    ns_rng_init(&rng, (uint64_t)settings->data_seed, ns_rng_stream("continuation"));
    int32_t end = corpus->pairs ? ns_sentence_end(corpus) : -1;
    g_autofree int32_t *tokens = g_new(int32_t, prompt->len + most);
    memcpy(tokens, prompt->data, prompt->len * sizeof *tokens);
    Reading r = {.decoder = decoder, .tokens = tokens, .n = prompt->len};
    const ns_real *logits = read_prompt(&r, (int32_t)corpus->V);
    for (size_t written = 0; written < most;) {
        int32_t next = choose(logits, ns_decoder_size(decoder).vocabulary, temperature, &rng);
        if (next < 0 || next == end) break;
        tokens[r.n++] = next;
        if (++written == most || (source && written == T)) break;
        logits = !source && r.n - r.first > T ? read_from(&r, r.n - MAX(T / 2, 1))
                                              : ns_decoder_step(decoder, &tokens[r.n - 1]);
    }

    bool space = ns_prompt_text(corpus, prompt, continuation->prompt, sizeof continuation->prompt);
    g_autoptr(GString) text = g_string_new(NULL);
    ns_tokens_append(corpus, tokens + prompt->len, r.n - prompt->len, &space, text);
    ns_copy_text(continuation->text, sizeof continuation->text, text->str);
    return true;
}

size_t ns_next_tokens(NsModel *model, const NsCorpus *corpus, const GArray *prompt,
                      NsNextToken next[NS_NEXT_TOKENS], GError **error)
{
    g_autoptr(NsDecoder) decoder = ns_decoder_new(model, 1, 1, error);
    if (!decoder) return 0;
    Reading r = {.decoder = decoder,
                 .tokens = (const int32_t *)(const void *)prompt->data,
                 .n = prompt->len};
    const ns_real *logits = read_prompt(&r, (int32_t)corpus->V);
    size_t V = ns_decoder_size(decoder).vocabulary, n = 0, best[NS_NEXT_TOKENS];
    double sum = 0;
    for (size_t i = 0; i < V; i++) {
        if (!isfinite(logits[i])) return 0;
        size_t at = n;
        while (at > 0 && logits[i] > logits[best[at - 1]]) at--;
        if (at == NS_NEXT_TOKENS) continue;
        n = MIN(n + 1, NS_NEXT_TOKENS);
        memmove(best + at + 1, best + at, (n - at - 1) * sizeof *best);
        best[at] = i;
    }
    for (size_t i = 0; i < V; i++) sum += exp((double)(logits[i] - logits[best[0]]));
    for (size_t k = 0; k < n; k++) {
        ns_corpus_token_text(corpus, (int32_t)best[k], next[k].text);
        next[k].probability = exp((double)(logits[best[k]] - logits[best[0]])) / sum;
    }
    return n;
}
