/* The strings of a plot as TeX.  SPDX-License-Identifier: MIT */
#include "ui/plot/tex.h"

#include "ui/plot/text.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Characters that need a command, which all TeX engines support independently of the fonts. */
static const struct {
    const char *sign, *tex;
    bool math;
} signs[] = {
    {"\\", "\\backslash ", true},
    {"{", "\\{", false},
    {"}", "\\}", false},
    {"%", "\\%", false},
    {"&", "\\&", false},
    {"#", "\\#", false},
    {"$", "\\$", false},
    {"~", "\\sim ", true},
    {"_", "\\_", false},
    {"^", "\\wedge ", true},
    {"|", "|", true},
    {"<", "<", true},
    {">", ">", true},
    {"−", "-", true},
    {"×", "\\times ", true},
    {"·", "\\cdot ", true},
    {"±", "\\pm ", true},
    {"√", "\\surd ", true},
    {"∞", "\\infty ", true},
    {"∂", "\\partial ", true},
    {"∇", "\\nabla ", true},
    {"‖", "\\|", true},
    {"∝", "\\propto ", true},
    {"≈", "\\approx ", true},
    {"≤", "\\le ", true},
    {"≥", "\\ge ", true},
    {"≪", "\\ll ", true},
    {"≫", "\\gg ", true},
    {"∈", "\\in ", true},
    {"→", "\\to ", true},
    {"←", "\\leftarrow ", true},
    {"⊙", "\\odot ", true},
    {"⟨", "\\langle ", true},
    {"⟩", "\\rangle ", true},
    {"␣", "\\textvisiblespace{}", false},
    {"↵", "\\hookleftarrow ", true},
    {"⇥", "\\mapsto ", true},
    {"△", "\\triangle ", true},
    {"▲", "\\blacktriangle ", true},
    {"▼", "\\blacktriangledown ", true},
    {"α", "\\alpha ", true},
    {"β", "\\beta ", true},
    {"γ", "\\gamma ", true},
    {"δ", "\\delta ", true},
    {"Δ", "\\Delta ", true},
    {"ε", "\\varepsilon ", true},
    {"η", "\\eta ", true},
    {"θ", "\\theta ", true},
    {"λ", "\\lambda ", true},
    {"μ", "\\mu ", true},
    {"π", "\\pi ", true},
    {"ρ", "\\rho ", true},
    {"σ", "\\sigma ", true},
    {"Σ", "\\Sigma ", true},
    {"τ", "\\tau ", true},
    {"φ", "\\varphi ", true},
    {"ω", "\\omega ", true},
    {"“", "``", false},
    {"”", "''", false},
    {"‘", "`", false},
    {"’", "'", false},
    {"–", "--", false},
    {"—", "---", false},
    {"…", "\\dots{}", false},
    {"\u2009", "\\,", false},
    {"\u00a0", "~", false},
    {"\n", " ", false},
    {"\r", " ", false},
};

/* TeX that is being written.  Math mode begins and ends as required by the next character. */
typedef struct {
    GString *out;
    bool formula; /* math mode is active */
    int depth;    /* nesting depth of scripts, which are all in math mode */
} Writer;

static void set_formula(Writer *writer, bool formula)
{
    if (writer->formula != formula && !writer->depth) {
        g_string_append_c(writer->out, '$');
        writer->formula = formula;
    }
}

static void append_text(Writer *writer, const char *text, size_t size, bool math)
{
    set_formula(writer, math);
    bool words = writer->formula && !math;
    if (words) g_string_append(writer->out, "\\text{");
    g_string_append_len(writer->out, text, (gssize)size);
    if (words) g_string_append_c(writer->out, '}');
}

static bool append_sign(Writer *writer, const char **p)
{
    for (size_t i = 0; i < G_N_ELEMENTS(signs); i++) {
        if (!g_str_has_prefix(*p, signs[i].sign)) continue;
        append_text(writer, signs[i].tex, strlen(signs[i].tex), signs[i].math);
        *p += strlen(signs[i].sign);
        return true;
    }
    return false;
}

static void convert(Writer *writer, const char *text, bool scripts)
{
    for (const char *p = text; *p;) {
        if (scripts && ns_text_is_script(p)) {
            bool base = writer->formula;
            set_formula(writer, true);
            g_string_append_printf(writer->out, "%s%c{", base ? "" : "{}", *p);
            g_autofree char *group = ns_text_group(p + 1, &p);
            writer->depth++;
            convert(writer, group, true);
            writer->depth--;
            g_string_append_c(writer->out, '}');
        } else if (!append_sign(writer, &p)) {
            const char *next = g_utf8_find_next_char(p, NULL);
            /* These characters need no text font in math mode. */
            bool plain = g_ascii_isalnum(*p) || strchr("/+-=(),.*", *p);
            append_text(writer, p, (size_t)(next - p), writer->depth && plain);
            p = next;
        }
    }
}

static char *tex_of(const char *text, bool scripts)
{
    g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);
    Writer writer = {.out = g_string_new(NULL)};
    convert(&writer, valid, scripts);
    set_formula(&writer, false);
    return g_string_free(writer.out, FALSE);
}

char *ns_tex_text(const char *text)
{
    return tex_of(text, true);
}

char *ns_tex_literal(const char *text)
{
    return tex_of(text, false);
}

static void add_number(GString *out, double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append(
        out, isfinite(value) ? g_ascii_formatd(digits, sizeof digits, "%.9g", value + 0.0) : "nan");
}

void ns_tex_printf(GString *out, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    for (const char *p = format; *p; p++) {
        if (*p != '%') {
            g_string_append_c(out, *p);
            continue;
        }
        switch (*++p) {
        case 's':
            g_string_append(out, va_arg(values, const char *));
            break;
        case 'g':
            add_number(out, va_arg(values, double));
            break;
        case 'd':
            g_string_append_printf(out, "%d", va_arg(values, int));
            break;
        case 'u':
            g_string_append_printf(out, "%u", va_arg(values, unsigned));
            break;
        default:
            g_string_append_c(out, *p);
        }
    }
    va_end(values);
}
