/* SPDX-License-Identifier: MIT */
#include "core/data/tokenizer.h"

#include "core/base/error.h"

bool ns_tokenizer_is_path(const char *value)
{
    return *value && !g_str_equal(value, "char") && !g_str_equal(value, "bpe");
}

char **ns_tokenizer_files(const char *value)
{
    if (!ns_tokenizer_is_path(value)) return g_new0(char *, 1);
    if (g_file_test(value, G_FILE_TEST_IS_DIR)) return ns_bpe_files(value);
    char **files = g_new0(char *, 2);
    files[0] = g_strdup(value);
    return files;
}

bool ns_tokenizer_open(NsTokenizer *tokenizer, const NsSettings *settings, GError **error)
{
    const char *value = settings->tokenizer;
    *tokenizer = (NsTokenizer){0};
    if (g_str_equal(value, "bpe")) {
        size_t vocab = settings->vocab ? (size_t)settings->vocab : NS_LEARNED_TOKENS;
        tokenizer->learned = MIN(vocab, NS_TOKENS_MAX);
        return true;
    }
    if (!ns_tokenizer_is_path(value)) return true;
    if (g_file_test(value, G_FILE_TEST_IS_DIR)) {
        tokenizer->bytes = ns_bpe_new(value, error);
        tokenizer->least = MIN((size_t)settings->vocab, NS_TOKENS_MAX);
        return tokenizer->bytes != NULL;
    }
    if (g_file_test(value, G_FILE_TEST_EXISTS)) {
        tokenizer->subwords = ns_subwords_read(value, error);
        return tokenizer->subwords != NULL;
    }
    return ns_refuse(error, NS_ERROR_SETTING,
                     "The tokenizer “%s” is neither char nor bpe, nor the path of a merges file or "
                     "a GPT-2 folder; check the path.",
                     value);
}

void ns_tokenizer_clear(NsTokenizer *tokenizer)
{
    ns_bpe_free(tokenizer->bytes);
    ns_subwords_free(tokenizer->subwords);
    *tokenizer = (NsTokenizer){0};
}
