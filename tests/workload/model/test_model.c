/* Models: parameter counts, DDP's buckets to the byte, files of users. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs those four first */
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/memory.h"
#include "workload/model/model.h"
#include "workload/model/train.h"

#define MIB (UINT64_C(1) << 20)

static orr_err read_text(const char *text, struct orr_model **m,
                         struct orr_report *why)
{
    struct orr_config *c;
    *m = NULL;
    memset(why, 0, sizeof *why);
    assert_int_equal(orr__config_parse("m.yaml", text, strlen(text), &c, why),
                     ORR_OK);
    orr_err err = orr__model_read(c, "m", m, why);
    orr__config_free(c);
    return err;
}

static struct orr_model *by_name(const char *name)
{
    struct orr_model *m;
    struct orr_report why;
    const struct orr_model_file *f = orr__model_find(name);
    assert_non_null(f);
    assert_true(f->title[0]);
    if (read_text(f->text, &m, &why))
        fail_msg("%s: %s", name, why.message);
    return m;
}

/* Published counts; tensors where they matter for buckets. */
static const struct {
    const char *name;
    uint64_t parameters;
    uint32_t tensors, units;
    uint32_t element; /* bytes */
} models[] = {
    {"vgg11-cifar", 9231114, 34, 9, 4},
    {"vgg16", 138357544, 32, 16, 4},
    {"vgg19", 143667240, 38, 19, 4},
    {"resnet50", 25557032, 161, 18, 4},
    {"bert-base", 109482240, 199, 15, 4},
    {"bert-large", 335141888, 391, 27, 4},
    {"gpt2", 124439808, 148, 16, 4},
    {"gpt2-medium", 354823168, 292, 28, 4},
    {"gpt2-large", 774030080, 436, 40, 4},
    {"gpt2-xl", 1557611200, 580, 52, 4},
    {"gpt3", UINT64_C(174604259328), 1156, 100, 2},
    {"dlrm", UINT64_C(81920000000) + 281022464, 24, 24, 4},
    {"llama3-8b", UINT64_C(8030261248), 291, 35, 2},
    {"llama3-70b", UINT64_C(70553706496), 723, 83, 2},
    {"llama3-405b", UINT64_C(405853388800), 1137, 129, 2},
    /* tensors of all experts count as one */
    {"mixtral-8x7b", UINT64_C(46702792704), 323, 35, 2},
    {"mixtral-8x22b", UINT64_C(140620634112), 563, 59, 2},
    {"deepseek-v3", UINT64_C(671026419200), 1025, 64, 2},
    {"qwen2.5-7b", UINT64_C(7615616512), 339, 31, 2},
    {"qwen2.5-72b", UINT64_C(72706203648), 963, 83, 2},
    {"qwen3-8b", UINT64_C(8190735360), 399, 39, 2},
    {"qwen3-32b", UINT64_C(32762123264), 707, 67, 2},
    {"qwen3-30b-a3b", UINT64_C(30532122624), 579, 51, 2},
    {"qwen3-235b-a22b", UINT64_C(235093634560), 1131, 97, 2},
    {"vit-b16", 86567656, 152, 16, 4},
    {"vit-l16", 304326632, 296, 28, 4},
    {"candle", UINT64_C(6442467328), 25, 25, 4},
    {"ncf", UINT64_C(12288000000) + 134223873, 11, 10, 4},
    {"vgg16-topoopt", 289352488, 32, 16, 4},
};

static void test_parameter_counts(void **state)
{
    size_t n = 0;
    for (; orr__model_files[n].name; n++)
        ;
    assert_int_equal(n, sizeof models / sizeof *models);
    for (size_t i = 0; i < n; i++) {
        struct orr_model *m = by_name(models[i].name);
        uint64_t sum = 0;
        assert_int_equal(m->parameters, models[i].parameters);
        assert_int_equal(m->tensors, models[i].tensors);
        assert_int_equal(m->units, models[i].units);
        for (uint32_t l = 0; l < m->layers; l++)
            for (uint32_t t = 0; t < m->layer[l].n; t++)
                sum += orr__tensor_share(m, &m->layer[l], t, 1, 1);
        assert_int_equal(sum, models[i].parameters);
        assert_int_equal(m->element, models[i].element);
        orr__model_free(m);
    }
}

static void test_layers_of_transformers(void **state)
{
    static const struct {
        const char *name, *group;
        uint64_t parameters;
    } layers[] = {
        {"bert-large", "encoder.5.", 12596224},
        {"gpt2-medium", "layer.5.", 12596224},
        {"gpt2-xl", "layer.47.", 30740800},
        {"gpt3", "layer.95.", 1812099072},
    };
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        struct orr_model *m = by_name(layers[i].name);
        uint64_t sum = 0;
        size_t n = strlen(layers[i].group);
        for (uint32_t l = 0; l < m->layers; l++)
            if (!strncmp(m->layer[l].name, layers[i].group, n))
                sum += m->layer[l].parameters;
        assert_int_equal(sum, layers[i].parameters);
        orr__model_free(m);
    }
}

/* ---- buckets ------------------------------------------------------------ */

static void check_buckets(const char *name, uint32_t tensor_ranks,
                          const uint64_t *bytes, uint32_t n)
{
    struct orr_model *m = by_name(name);
    const struct orr_bucketing how = {MIB, 25 * MIB, tensor_ranks, 4, 1};
    struct orr_bucket *b;
    uint32_t got, tensors = 0, layer = m->layers;
    assert_int_equal(
        orr__buckets(m, 0, m->layers, ORR_EXPERT_UNSPLIT, &how, &b, &got, NULL),
        ORR_OK);
    assert_int_equal(got, n);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(b[i].bytes, bytes[i]);
        assert_true(b[i].layer <= layer); /* ready one after another */
        layer = b[i].layer;
        tensors += b[i].tensors;
    }
    assert_int_equal(tensors, m->tensors);
    assert_int_equal(layer, 0);
    orr__free(b);
    orr__model_free(m);
}
#define BUCKETS(name, ...)                                                     \
    do {                                                                       \
        const uint64_t bytes[] = {__VA_ARGS__};                                \
        check_buckets(name, 1, bytes, sizeof bytes / sizeof *bytes);           \
    } while (0)

static void test_buckets(void **state)
{
    BUCKETS("vgg11-cifar", 9463848, 27156480, 304128);
    BUCKETS("vgg16", 16388000, 67125248, 411058176, 28317696, 28319744,
            2221312);
    BUCKETS("vgg19", 16388000, 67125248, 411058176, 28317696, 28317696,
            23462144);
    BUCKETS("resnet50", 8196000, 31502336, 26255360, 26550272, 9724160);
}

/* Without an expert group an MLP is a layer like any other. */
static uint32_t transformer_buckets(const char *name, uint64_t *bytes)
{
    struct orr_model *m = by_name(name);
    const struct orr_bucketing how = {MIB, 25 * MIB, 1, 4, 1};
    struct orr_bucket *b;
    uint32_t n;
    for (uint32_t l = 0; l < m->layers; l++)
        m->layer[l].expert = ORR_EXPERT_UNSPLIT;
    assert_int_equal(
        orr__buckets(m, 0, m->layers, ORR_EXPERT_UNSPLIT, &how, &b, &n, NULL),
        ORR_OK);
    for (uint32_t i = 0; i < n && i < 64; i++)
        bytes[i] = b[i].bytes;
    orr__free(b);
    orr__model_free(m);
    return n;
}

static void test_buckets_of_transformers(void **state)
{
    static const uint64_t period[] = {33583104, 33591296, 29396992, 37781504};
    uint64_t bytes[64];
    assert_int_equal(transformer_buckets("bert-large", bytes), 38);
    assert_int_equal(bytes[0], 4198400);
    for (int i = 0; i < 3; i++)
        assert_int_equal(bytes[1 + i], period[i]);
    assert_int_equal(bytes[4], period[3]);
    assert_int_equal(bytes[37], 131330048);
    assert_int_equal(transformer_buckets("bert-base", bytes), 14);
    assert_int_equal(bytes[0], 2362368);
    for (int i = 1; i < 13; i++)
        assert_int_equal(bytes[i], 28351488);
    assert_int_equal(bytes[13], 95348736);
}

/* ---- files of users ----------------------------------------------------- */

static void test_a_file(void **state)
{
    struct orr_model *m;
    struct orr_report why;
    assert_int_equal(
        read_text("title: mine\n"
                  "dtype: bf16\n"
                  "profile: {batch: 2}\n"
                  "layers:\n"
                  "  - {name: a, tensors: [3, 4], forward: 1ms, "
                  "backward: 2ms}\n"
                  "  - name: b.c\n"
                  "    repeat: 3\n"
                  "    layers:\n"
                  "      - {name: d.e, tensors: [5], activations: 7B, "
                  "forward: 0ms, backward: 1us}\n"
                  "      - {name: f, forward: 3us, backward: 4us}\n",
                  &m, &why),
        ORR_OK);
    assert_int_equal(m->layers, 7);
    assert_int_equal(m->units, 4);
    assert_int_equal(m->parameters, 22);
    assert_int_equal(m->element, 2);
    assert_string_equal(m->layer[1].name, "b.c.0.d.e");
    assert_string_equal(m->layer[5].name, "b.c.2.d.e");
    assert_int_equal(m->layer[5].unit, 3);
    assert_int_equal(m->layer[5].first, 4);
    assert_int_equal(m->layer[6].backward_ps, 4000000);
    orr__model_free(m);
}

static void test_bad_files(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"title: x\n", "model.layers is missing"},
        {"layers: []\n", "layers: a list of layers is expected"},
        {"layers: 3\n", "layers: a list of layers is expected"},
        {"layers: [{name: a, layers: [{layers: []}]}]\n",
         "unknown key \"layers\" in layers"},
        {"layers: [{name: a, repeat: 0, layers: [{name: b}]}]\n",
         "layers.repeat: 0 is below the smallest allowed, 1"},
        {"layers: [{name: a, forward: 1ms}]\n",
         "a: `forward` and `backward` times need one another"},
        {"layers: [{name: a, forward: 1ms, backward: 1ms}]\n",
         "a: a measured time needs `profile: {batch: ...}` of the model"},
        {"profile: {batch: 1}\nlayers: [{name: a}]\n",
         "a: with a profile every layer has its `forward` and `backward` "
         "time"},
        {"layers: [{name: a, tensors: [900000000000000, 900000000000000], "
         "activations: 3}]\n",
         "layers.activations: \"3\": a unit is missing"},
        {"layers: [{name: a, repeat: 100000, layers: [{}, {}, {}, {}, {}, {},"
         " {}, {}, {}, {}, {}]}]\n",
         "layers: more layers or tensors than any model has"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct orr_model *m;
        struct orr_report why;
        assert_int_equal(read_text(cases[i].text, &m, &why), ORR_ECONFIG);
        assert_null(m);
        assert_string_equal(why.message, cases[i].message);
    }
}

static void test_out_of_memory(void **state)
{
    const char *text = orr__model_find("resnet50")->text;
    for (uint64_t n = 1;; n++) {
        struct orr_config *c;
        struct orr_model *m = NULL;
        struct orr_report why = {0};
        assert_int_equal(
            orr__config_parse("m.yaml", text, strlen(text), &c, &why), ORR_OK);
        orr__memory_fail_after(n, 0);
        orr_err err = orr__model_read(c, "m", &m, &why);
        orr__memory_fail_after(0, 0);
        orr__config_free(c);
        if (!err) {
            orr__model_free(m);
            break;
        }
        assert_int_equal(err, ORR_ENOMEM);
        assert_null(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameter_counts),
        cmocka_unit_test(test_layers_of_transformers),
        cmocka_unit_test(test_buckets),
        cmocka_unit_test(test_buckets_of_transformers),
        cmocka_unit_test(test_a_file),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
