/* What json-glib leaks itself is no finding.  SPDX-License-Identifier: MIT
 *
 * It leaks the first of two values on a line, and parts of some malformed objects; whole stacks
 * tell its leaks from ours. */
const char *__asan_default_options(void);
const char *__lsan_default_suppressions(void);

const char *__asan_default_options(void)
{
    return "fast_unwind_on_malloc=0";
}

const char *__lsan_default_suppressions(void)
{
    return "leak:json_parser_load_from_data\n";
}
