/* The strings of a plot as TeX.  SPDX-License-Identifier: MIT */
#include "ui/plot/plot-private.h"

#include "ui/plot/text.h"

#include <stdbool.h>
#include <string.h>

/* Characters that need a command, each before its command, in math mode and in text.  All TeX
 * engines support these, independently of the fonts. */
static const char formulas[] =
    "\\ \\backslash ~ \\sim | | < < > > − - × \\times · \\cdot ± \\pm "
    "√ \\surd ∞ \\infty ∂ \\partial ∇ \\nabla ‖ \\| ∝ \\propto ≈ \\approx ≤ \\le ≥ \\ge "
    "≪ \\ll ≫ \\gg ∈ \\in → \\to ← \\leftarrow ⊙ \\odot ⟨ \\langle ⟩ \\rangle "
    "↵ \\hookleftarrow ⇥ \\mapsto △ \\triangle ▲ \\blacktriangle ▼ \\blacktriangledown "
    "α \\alpha β \\beta γ \\gamma δ \\delta Δ \\Delta ε \\varepsilon η \\eta θ \\theta "
    "λ \\lambda μ \\mu π \\pi ρ \\rho σ \\sigma Σ \\Sigma τ \\tau φ \\varphi ω \\omega ";
static const char texts[] = "^ \\textasciicircum{} { \\{ } \\} % \\% & \\& # \\# $ \\$ _ \\_ ␣ "
                            "\\textvisiblespace{} “ `` ” '' ‘ ` ’ ' "
                            "– -- — --- … \\dots{} \u2009 \\, \u00a0 ~ ";

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

static bool append_sign(Writer *writer, const char **p, const char *signs, bool math)
{
    for (const char *sign = signs, *next; *sign; sign = next + 1) {
        const char *command = strchr(sign, ' ') + 1;
        size_t size = (size_t)(command - 1 - sign);
        next = strchr(command, ' ');
        if (strncmp(*p, sign, size) != 0) continue;
        /* The space after a command of letters belongs to it. */
        size_t length = (size_t)(next - command) + (math && g_ascii_isalpha(next[-1]));
        append_text(writer, command, length, math);
        *p += size;
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
        } else if (scripts && g_str_has_prefix(p, NS_TEXT_LITERAL)) {
            p += strlen(NS_TEXT_LITERAL);
        } else if (!append_sign(writer, &p, formulas, true) &&
                   !append_sign(writer, &p, texts, false)) {
            const char *next = g_utf8_find_next_char(p, NULL);
            /* These characters need no text font in math mode. */
            bool plain = g_ascii_isalnum(*p) || strchr("/+-=(),.*", *p);
            append_text(writer, p, (size_t)(next - p), writer->depth && plain);
            p = next;
        }
    }
}

char *ns_tex(const char *text, bool scripts)
{
    g_autofree char *valid = g_strdelimit(g_utf8_make_valid(text ? text : "", -1), "\n\r", ' ');
    Writer writer = {.out = g_string_new(NULL)};
    convert(&writer, valid, scripts);
    set_formula(&writer, false);
    return g_string_free(writer.out, FALSE);
}
