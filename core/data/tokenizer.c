/* SPDX-License-Identifier: MIT */
#include "core/data/tokenizer.h"

#include "core/base/error.h"

bool ns_tokenizer_is_path(const char *value)
{
    return *value && !g_str_equal(value, "char") && !g_str_equal(value, "bpe");
}

char **ns_tokenizer_files(const char *value)
{
    GPtrArray *files = g_ptr_array_new();
    if (ns_tokenizer_is_path(value) && !g_file_test(value, G_FILE_TEST_IS_DIR))
        g_ptr_array_add(files, g_strdup(value));
    else if (ns_tokenizer_is_path(value)) {
        g_ptr_array_add(files, g_build_filename(value, "vocab.json", NULL));
        g_ptr_array_add(files, g_build_filename(value, "merges.txt", NULL));
    }
    g_ptr_array_add(files, NULL);
    return (char **)g_ptr_array_free(files, FALSE);
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
        return tokenizer->bytes != NULL;
    }
    if (g_file_test(value, G_FILE_TEST_EXISTS)) {
        tokenizer->subwords = ns_subwords_read(value, error);
        return tokenizer->subwords != NULL;
    }
    return ns_refuse(error, NS_ERROR_SETTING,
                     "The tokenizer “%s” is neither char nor bpe, and there is no such file of "
                     "merges and no such folder of GPT-2; check the path.",
                     value);
}

void ns_tokenizer_clear(NsTokenizer *tokenizer)
{
    ns_bpe_free(tokenizer->bytes);
    ns_subwords_free(tokenizer->subwords);
    *tokenizer = (NsTokenizer){0};
}
