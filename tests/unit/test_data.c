/* Reading texts, splitting them, making batches.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/data/json_object.h"
#include "core/data/reader.h"
#include "core/data/task.h"
#include "core/data/text_corpus.h"
#include "core/experiment/param.h"
#include "tests/unit/support.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define POSITIONS 2000
#define FIRST_IDEOGRAPH 0x4E00
#define UNPRIVILEGED 65534 /* nobody, on Linux */

/* A text whose every character is a different one, so that a token says where it stood. */
static NsCorpus *new_positions(size_t seq)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (gunichar i = 0; i < POSITIONS; i++) g_string_append_unichar(text, FIRST_IDEOGRAPH + i);
    g_autoptr(GError) error = NULL;
    NsCorpus *corpus =
        ns_corpus_new_from_text(text->str, text->len, "positions", seq, NULL, &error);
    g_assert_no_error(error);
    return corpus;
}

/* One sentence that names the source and contains `part`. */
static void assert_sentence(const GError *error, int code, const char *part)
{
    g_assert_error(error, NS_ERROR, code);
    g_test_message("%s", error->message);
    g_assert_true(g_str_has_suffix(error->message, "."));
    g_assert_null(strstr(error->message, ". "));
    g_assert_null(strchr(error->message, '\n'));
    g_assert_true(g_utf8_validate(error->message, -1, NULL));
    g_assert_nonnull(strstr(error->message, part));
}

static void assert_decodes(const NsCorpus *corpus, const char *expected)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (size_t i = 0; i < corpus->n; i++)
        g_string_append_unichar(text, corpus->symbols[corpus->tokens[i]]);
    g_assert_cmpstr(text->str, ==, expected);
}

/* Whatever a character is, its token can be seen. */
static void test_token_texts(void)
{
    static const char text[] = "a\n\t _\x07\xC3\xA9\xCC\x81\xE4\xB8\x80"
                               "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    g_autoptr(GError) error = NULL;
    g_autoptr(NsCorpus) corpus =
        ns_corpus_new_from_text(text, sizeof text - 1, "x", 1, NULL, &error);
    g_assert_no_error(error);
    static const char *const expected[] = {"a", "↵", "⇥", "␣", "_", "U+0007", "é", "U+0301", "一"};
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        char seen[NS_TOKEN_TEXT];
        ns_corpus_token_text(corpus, corpus->tokens[i], seen);
        g_assert_cmpstr(seen, ==, expected[i]);
    }
}

static void test_tokens(void)
{
    const char text[] = "\xEF\xBB\xBFyes,\r\nno:\xF0\x9F\x99\x82\n\ra \xC3\xA9t\xC3\xA9 ok z";
    g_autoptr(GError) error = NULL;
    g_autoptr(NsCorpus) corpus =
        ns_corpus_new_from_text(text, sizeof text - 1, "x", 1, NULL, &error);
    g_assert_no_error(error);
    assert_decodes(corpus, "yes,\nno:\xF0\x9F\x99\x82\n\ra \xC3\xA9t\xC3\xA9 ok z");
    g_assert_cmpstr(corpus->name, ==, "x");
    g_assert_cmpuint(corpus->n, ==, 21);
    for (size_t v = 1; v < corpus->V; v++)
        g_assert_cmpuint(corpus->symbols[v - 1], <, corpus->symbols[v]);
    for (size_t i = 0; i < corpus->n; i++) g_assert_cmpuint(corpus->tokens[i], <, corpus->V);
}

static void test_refused_texts(void)
{
    static const struct {
        const char *text;
        size_t bytes;
        const char *part;
    } cases[] = {
        {"", 0, "empty"},
        {"\xEF\xBB\xBF", 3, "empty"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 40,
         "a single repeated character"},
        {"abab", 4, "is too short: 4 characters, at least 40 needed for sequences of 3"},
        {"one\ntwo\nab\xFFgh", 13, "(see line 3)"},
        {"cut\xE2\x82", 5, "(see line 1)"},
        {"over\xC0\xAFlong", 10, "(see line 1)"},
        {"half \xED\xA0\x80", 8, "(see line 1)"},
        {"a\n\0b", 4, "is not a text file"},
        {"\x89PNG\n\0\xFF", 7, "is not a text file; choose another one."},
        {"\xFF\xFEh\0i\0", 6, "UTF-16"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(
            ns_corpus_new_from_text(cases[i].text, cases[i].bytes, "play.txt", 3, NULL, &error));
        assert_sentence(error, NS_ERROR_TEXT, cases[i].part);
        assert_sentence(error, NS_ERROR_TEXT, "play.txt");
    }
}

static void test_too_many_symbols(void)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (gunichar i = 0; i < NS_SYMBOLS_MAX; i++)
        g_string_append_unichar(text, FIRST_IDEOGRAPH + i);
    g_autoptr(GError) error = NULL;
    g_autoptr(NsCorpus) corpus =
        ns_corpus_new_from_text(text->str, text->len, "x", 3, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(corpus->V, ==, NS_SYMBOLS_MAX);
    g_assert_cmpuint(corpus->tokens[corpus->n - 1], ==, NS_SYMBOLS_MAX - 1);

    g_string_append_c(text, 'a');
    g_assert_null(ns_corpus_new_from_text(text->str, text->len, "x", 3, NULL, &error));
    assert_sentence(error, NS_ERROR_TEXT, "20001 distinct characters");
}

static void test_shortest(void)
{
    const size_t seq = 7, needed = 10 * (seq + 1);
    g_autofree char *text = g_strnfill(needed, 'a');
    text[3] = 'b';
    g_autoptr(GError) error = NULL;
    g_assert_null(ns_corpus_new_from_text(text, needed - 1, "x", seq, NULL, &error));
    assert_sentence(error, NS_ERROR_TEXT, "79 characters, at least 80 needed for sequences of 7");
    g_clear_error(&error);

    g_autoptr(NsCorpus) corpus = ns_corpus_new_from_text(text, needed, "x", seq, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(corpus->n_train, ==, 72);

    NsBatch batch;
    ns_batch_init(&batch, 3, seq, 0);
    ns_corpus_train_batch(corpus, 1, 0, &batch);
    for (size_t i = 0; i < 4; i++) ns_corpus_validation_batch(corpus, i, 4, &batch);
    ns_batch_clear(&batch);
}

static void assert_file_refused(const char *path, const char *part)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(ns_corpus_new_from_file(path, 3, NULL, &error));
    assert_sentence(error, NS_ERROR_FILE, part);
}

/* One byte order mark is no text; a second one is, from a file as well. */
static void test_marks(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    const char text[] = "\xEF\xBB\xBF\xEF\xBB\xBF twice: a text of twenty characters";
    g_autofree char *path = g_build_filename(files->folder, "marks", NULL);
    g_autoptr(GError) error = NULL;
    g_assert_true(g_file_set_contents(path, text, -1, &error));
    g_autoptr(NsCorpus) direct =
        ns_corpus_new_from_text(text, sizeof text - 1, "x", 1, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(NsCorpus) file = ns_corpus_new_from_file(path, 1, NULL, &error);
    g_assert_no_error(error);
    assert_decodes(direct, text + 3);
    assert_decodes(file, text + 3);
}

static void test_refused_files(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    g_autofree char *missing = g_build_filename(files->folder, "missing", NULL);
    g_autofree char *below = g_build_filename("/dev/null", "x", NULL);
    g_autofree char *fifo = g_build_filename(files->folder, "fifo", NULL);
    g_autofree char *huge = g_build_filename(files->folder, "huge", NULL);
    g_autofree char *loop = g_build_filename(files->folder, "loop", NULL);
    g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
    g_assert_cmpint(symlink("loop", loop), ==, 0);
    g_assert_true(g_file_set_contents(huge, "a", 1, NULL));
    g_assert_cmpint(truncate(huge, (off_t)NS_TEXT_MAX + 1), ==, 0);

    assert_file_refused(missing, "There is no file");
    assert_file_refused("", "There is no file");
    assert_file_refused(below, "There is no file");
    assert_file_refused(files->folder, "is a folder");
    assert_file_refused(fifo, "is a pipe or a device");
    assert_file_refused("/dev/null", "is a pipe or a device");
    assert_file_refused("/dev/zero", "is a pipe or a device");
    assert_file_refused(huge, "larger than 256.0");
    assert_file_refused(loop, "cannot be read");
}

static void test_refused_socket(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    g_autofree char *path = g_build_filename(files->folder, "socket", NULL);
    g_strlcpy(address.sun_path, path, sizeof address.sun_path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    g_assert_cmpint(bind(fd, (const struct sockaddr *)&address, sizeof address), ==, 0);
    assert_file_refused(path, "is a socket or a device");
    close(fd);
}

static void test_refused_permission(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    g_autofree char *path = g_build_filename(files->folder, "secret", NULL);
    g_assert_true(g_file_set_contents(path, "abc", 3, NULL));
    g_assert_cmpint(g_chmod(path, 0), ==, 0);
    g_assert_cmpint(g_chmod(files->folder, 0755), ==, 0);
    /* Root may read every file. */
    bool root = geteuid() == 0;
    if (root) g_assert_cmpint(seteuid(UNPRIVILEGED), ==, 0);
    assert_file_refused(path, "You do not have permission");
    if (root) g_assert_cmpint(seteuid(0), ==, 0);
}

static void test_read(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    g_autofree char *path = g_build_filename(files->folder, "text", NULL);
    g_autofree char *contents = g_strnfill(10000, 'x');
    g_assert_true(g_file_set_contents(path, contents, 10000, NULL));
    g_autoptr(GError) error = NULL;
    size_t bytes = 0;
    g_autofree char *text = ns_read_file(path, 10000, &bytes, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(bytes, ==, 10000);
    g_assert_cmpstr(text, ==, contents);
    g_assert_null(ns_read_file(path, 9999, &bytes, &error));
    assert_sentence(error, NS_ERROR_FILE, "is larger than 9.8");
    g_clear_error(&error);

    /* A file of /proc says that it is empty. */
    g_autofree char *status = ns_read_file("/proc/self/status", 1 << 20, &bytes, &error);
    g_assert_no_error(error);
    g_assert_true(g_str_has_prefix(status, "Name:"));
    g_assert_cmpuint(bytes, ==, strlen(status));
    g_assert_null(ns_read_file("/proc/self/status", 16, &bytes, &error));
    assert_sentence(error, NS_ERROR_FILE, "is larger than 16");
}

static bool same_batch(const NsBatch *a, const NsBatch *b)
{
    size_t bytes = a->B * a->T * sizeof(int32_t);
    return memcmp(a->tokens, b->tokens, bytes) == 0 && memcmp(a->targets, b->targets, bytes) == 0;
}

static void test_train_batches(void)
{
    const size_t B = 8, T = 19;
    g_autoptr(NsCorpus) corpus = new_positions(T);
    NsBatch first, again;
    ns_batch_init(&first, B, T, 0);
    ns_batch_init(&again, B, T, 0);

    int32_t least = POSITIONS, most = 0;
    for (uint64_t index = 0; index < 2000; index++) {
        ns_corpus_train_batch(corpus, 5, index, &first);
        for (size_t b = 0; b < B; b++)
            for (size_t t = 0; t < T; t++) {
                size_t i = b * T + t;
                g_assert_cmpint(first.tokens[i], ==, first.tokens[b * T] + (int32_t)t);
                g_assert_cmpint(first.targets[i], ==, first.tokens[i] + 1);
                least = MIN(least, first.tokens[i]);
                most = MAX(most, first.targets[i]);
            }
    }
    /* Training never sees held-out text, and sees all of its own. */
    g_assert_cmpint(least, ==, 0);
    g_assert_cmpint(most, ==, (int32_t)corpus->n_train - 1);

    ns_corpus_train_batch(corpus, 5, 1999, &again);
    g_assert_true(same_batch(&first, &again));
    ns_corpus_train_batch(corpus, 6, 1999, &again);
    g_assert_false(same_batch(&first, &again));
    ns_corpus_train_batch(corpus, 5, 2000, &again);
    g_assert_false(same_batch(&first, &again));
    ns_batch_clear(&first);
    ns_batch_clear(&again);
}

static void test_validation_batches(void)
{
    const size_t B = 4, T = 19, count = 6;
    g_autoptr(NsCorpus) corpus = new_positions(T);
    g_assert_cmpuint(corpus->n_train, ==, POSITIONS * 9 / 10);
    NsBatch batch;
    ns_batch_init(&batch, B, T, 0);

    const int32_t gap = (POSITIONS / 10 - 19 - 1) / (4 * 6 - 1);
    int32_t before = -1;
    for (size_t index = 0; index < count; index++) {
        ns_corpus_validation_batch(corpus, index, count, &batch);
        for (size_t b = 0; b < B; b++) {
            int32_t start = batch.tokens[b * T];
            g_assert_cmpint(batch.tokens[b * T + T - 1], ==, start + (int32_t)T - 1);
            g_assert_cmpint(batch.targets[b * T + T - 1], ==, start + (int32_t)T);
            if (before < 0)
                g_assert_cmpint(start, ==, (int32_t)corpus->n_train);
            else
                g_assert_true(start - before == gap || start - before == gap + 1);
            before = start;
        }
    }
    g_assert_cmpint(before + (int32_t)T, ==, (int32_t)corpus->n - 1);

    ns_batch_clear(&batch);
    ns_batch_init(&batch, 1, T, 0);
    ns_corpus_validation_batch(corpus, 0, 1, &batch);
    g_assert_cmpint(batch.tokens[0], ==, (int32_t)corpus->n_train);
    ns_batch_clear(&batch);
}

static void test_tasks(void)
{
    NsSettings settings;
    ns_settings_init(&settings);
    g_autoptr(GError) error = NULL;
    g_autoptr(NsCorpus) generated = ns_corpus_open(&settings, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(generated->name, ==, "generated text");
    NsVocab vocab = ns_corpus_vocab(generated, &settings);
    g_assert_cmpuint(vocab.in, ==, generated->V);
    g_assert_cmpuint(vocab.out, ==, generated->V);

    settings.task = (unsigned)ns_choices_find(ns_task_choice, "text");
    g_assert_null(ns_corpus_open(&settings, &error));
    assert_sentence(error, NS_ERROR_SETTING, "text=PATH");
    ns_settings_clear(&settings);
}

/* A file of more than a million characters, 65 of them different. */
static void test_long_file(NsTestFiles *files, gconstpointer data)
{
    (void)data;
    enum { LENGTH = 1115394, DIFFERENT = 65 };
    g_autofree char *path = g_build_filename(files->folder, "long text.txt", NULL);
    g_autofree char *text = g_malloc(LENGTH);
    for (size_t i = 0; i < LENGTH; i++) text[i] = (char)('!' + i * i % 97 * i % DIFFERENT);
    g_assert_true(g_file_set_contents(path, text, LENGTH, NULL));
    NsSettings settings;
    ns_settings_init(&settings);
    g_autoptr(GError) error = NULL;
    g_assert_true(ns_settings_set(&settings, "text", path, &error));
    g_autoptr(NsCorpus) corpus = ns_corpus_open(&settings, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(corpus->name, ==, "long text.txt");
    g_assert_cmpuint(corpus->n, ==, LENGTH);
    g_assert_cmpuint(corpus->V, ==, DIFFERENT);
    ns_settings_clear(&settings);
}

static void test_references(void)
{
    NsCorpus *corpus = new_positions(3);
    NsCorpus *second = ns_corpus_ref(corpus);
    ns_corpus_unref(corpus);
    g_assert_cmpuint(second->symbols[0], ==, FIRST_IDEOGRAPH);
    ns_corpus_unref(second);
}

/* A million brackets, also behind what hides them from whoever counts. */
static void test_json(void)
{
    static const char *const begins[] = {
        "", "{\"a\":", "/* \" */ {\"a\":", "# \"\n{\"a\":", "// \"\n{\"a\":", "{'\"':"};
    g_autofree char *brackets = g_strnfill(1000000, '[');
    for (size_t i = 0; i < G_N_ELEMENTS(begins); i++) {
        g_autofree char *text = g_strconcat(begins[i], brackets, NULL);
        g_assert_null(ns_json_parse(text, strlen(text)));
    }
    static const char good[] = "{\"[[\": [[7, \"\\\"[\"]], \"b\": 1.5}";
    g_autoptr(JsonNode) root = ns_json_parse(good, strlen(good));
    JsonObject *object = ns_json_object_of(root);
    JsonArray *inner = ns_json_array_of(
        json_array_get_element(ns_json_array_of(json_object_get_member(object, "[[")), 0));
    int64_t number = 0;
    g_assert_true(ns_json_integer_of(json_array_get_element(inner, 0), &number));
    g_assert_cmpint(number, ==, 7);
    g_assert_cmpstr(ns_json_text_of(json_array_get_element(inner, 1)), ==, "\"[");
    g_assert_false(ns_json_integer_of(json_object_get_member(object, "b"), &number));
    g_assert_null(ns_json_text_of(json_object_get_member(object, "c")));
    g_assert_null(ns_json_parse("[1]", 3));
    g_assert_null(ns_json_parse("{\"a\": \"\xff\"}", 10));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/data/text/tokens", test_tokens);
    g_test_add_func("/data/text/token-texts", test_token_texts);
    g_test_add_func("/data/text/refused", test_refused_texts);
    g_test_add_func("/data/text/symbols", test_too_many_symbols);
    g_test_add_func("/data/text/shortest", test_shortest);
#define ADD(path, function)                                                                        \
    g_test_add(path, NsTestFiles, NULL, ns_test_files_set_up, function, ns_test_files_tear_down)
    ADD("/data/file/marks", test_marks);
    ADD("/data/file/refused", test_refused_files);
    ADD("/data/file/socket", test_refused_socket);
    ADD("/data/file/permission", test_refused_permission);
    ADD("/data/file/read", test_read);
    ADD("/data/file/long", test_long_file);
    g_test_add_func("/data/batch/train", test_train_batches);
    g_test_add_func("/data/batch/validation", test_validation_batches);
    g_test_add_func("/data/task/open", test_tasks);
    g_test_add_func("/data/references", test_references);
    g_test_add_func("/data/json", test_json);
    return g_test_run();
}
