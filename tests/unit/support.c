/* SPDX-License-Identifier: MIT */
#include "tests/unit/support.h"

#include <string.h>

void ns_test_small_settings(NsSettings *settings)
{
    ns_settings_init(settings);
    settings->layers = 2;
    settings->d_model = 8;
    settings->heads = 2;
    settings->seq = 5;
    settings->batch = 3;
    settings->threads = 1;
}

JsonNode *ns_test_parse(const char *line)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(strchr(line, '\n'));
    JsonNode *node = json_from_string(line, &error);
    g_assert_no_error(error);
    g_assert_nonnull(node);
    return node;
}
