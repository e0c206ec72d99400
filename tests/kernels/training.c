/* softmax_cross_entropy and sgd beside double precision.
 * SPDX-License-Identifier: MIT
 */
#include "tests/kernels/harness.h"

/* ---- softmax_cross_entropy ---- */

struct batch {
    uint32_t rows, columns;
    float *logits;
    uint32_t *labels;
    float *probabilities, *losses, *gradient;
};

static struct batch make_batch(uint32_t rows, uint32_t columns, double range)
{
    size_t elements          = (size_t)rows * columns;
    struct generator numbers = {rows * 1000u + columns};
    struct batch batch       = {
              .rows          = rows,
              .columns       = columns,
              .logits        = random_floats(elements, -range, range, rows + columns),
              .labels        = allocate(rows * 4u),
              .probabilities = allocate(elements * 4),
              .losses        = allocate(rows * 4u),
              .gradient      = allocate(elements * 4),
    };

    for (uint32_t row = 0; row < rows; row++)
        batch.labels[row] = random_u32(&numbers) % columns;
    return batch;
}

static void free_batch(struct batch *batch)
{
    free(batch->logits);
    free(batch->labels);
    free(batch->probabilities);
    free(batch->losses);
    free(batch->gradient);
}

static void run_batch(struct kernel *softmax, struct batch *batch, float scale)
{
    size_t bytes = (size_t)batch->rows * batch->columns * 4;

    RUN(softmax, batch->rows, 1, 1, read_only("logits", batch->logits, bytes),
        read_only("labels", batch->labels, batch->rows * 4u),
        write_only("probabilities", batch->probabilities, bytes),
        write_only("losses", batch->losses, batch->rows * 4u), write_only("gradient", batch->gradient, bytes),
        scalar_u32("columns", batch->columns), scalar_f32("scale", scale));
}

/* A power exp(x - max) is off by (3 + 2 |x - max|) ULP and by half a ULP of the difference, relatively; a
 * power that is far from 1 does not count in the sum, so that of the sum is off by the same for the greatest
 * and less for the others, and by an addition for each 256 columns and 8 of the tree. */
static void check_row(const struct batch *batch, uint32_t row, float scale)
{
    size_t begin = (size_t)row * batch->columns;
    double most = -INFINITY, sum = 0, error = 0;

    for (size_t i = begin; i < begin + batch->columns; i++)
        most = fmax(most, batch->logits[i]);
    for (size_t i = begin; i < begin + batch->columns; i++) {
        double power = exp(batch->logits[i] - most);
        sum += power;
        error += power * (3 + 3 * (most - batch->logits[i])) * ULP;
    }
    error = error / sum + (batch->columns / 256 + 9) * 0.5 * ULP;

    uint32_t label = batch->labels[row];
    for (size_t i = begin; i < begin + batch->columns; i++) {
        double p         = exp(batch->logits[i] - most) / sum;
        double tolerance = p * (error + (3 + 3 * (most - batch->logits[i]) + 2.5) * ULP) + 0x1p-126;
        double gradient  = label < batch->columns ? scale * (p - (i - begin == label)) : 0;
        expect_near("probabilities", i, batch->probabilities[i], p, tolerance);
        expect_near("gradient", i, batch->gradient[i], gradient, scale * (tolerance + ULP));
    }
    /* The logarithm turns relative errors into absolute ones and has 3 ULP and 2^-21 of its own. */
    double loss = label < batch->columns ? log(sum) - (batch->logits[begin + label] - most) : 0;
    double size = log(sum) + fabs(loss);
    expect_near("losses", row, batch->losses[row], loss,
                label < batch->columns ? error + 0x1p-21 + 4 * ULP * size : 0);
}

START_TEST(softmax_gives_probabilities_loss_and_gradient_of_each_row)
{
    static const uint32_t shapes[][2] = {{1, 1},   {1, 2},   {3, 10},   {2, 255},
                                         {2, 256}, {2, 257}, {5, 1000}, {2, 4099}};
    struct kernel *softmax            = kernel_open("softmax_cross_entropy", NULL, 0);

    for (size_t s = 0; s < COUNT(shapes); s++) {
        struct batch batch = make_batch(shapes[s][0], shapes[s][1], 8);
        float scale        = 1.0f / (float)batch.rows;
        run_batch(softmax, &batch, scale);
        for (uint32_t row = 0; row < batch.rows; row++)
            check_row(&batch, row, scale);
        free_batch(&batch);
    }
    kernel_close(softmax);
}
END_TEST

START_TEST(softmax_of_logits_that_overflow_an_exponential_is_fine)
{
    struct kernel *softmax = kernel_open("softmax_cross_entropy", NULL, 0);
    struct batch batch     = make_batch(2, 100, 1);

    for (uint32_t column = 0; column < 100; column++) {
        batch.logits[column]       = 1000.0f + (float)column / 64;
        batch.logits[100 + column] = -1000.0f - (float)column / 64;
    }
    run_batch(softmax, &batch, 1);
    check_row(&batch, 0, 1);
    check_row(&batch, 1, 1);
    free_batch(&batch);
    kernel_close(softmax);
}
END_TEST

START_TEST(softmax_leaves_out_a_row_whose_label_is_no_column)
{
    struct kernel *softmax = kernel_open("softmax_cross_entropy", NULL, 0);
    struct batch batch     = make_batch(3, 33, 4);

    batch.labels[0] = UINT32_MAX;
    batch.labels[2] = 33;
    run_batch(softmax, &batch, 1);
    for (uint32_t row = 0; row < 3; row++)
        check_row(&batch, row, 1);
    free_batch(&batch);
    kernel_close(softmax);
}
END_TEST

START_TEST(softmax_works_with_another_group_size)
{
    struct constant size   = {NULL, 33};
    struct kernel *softmax = kernel_open("softmax_cross_entropy", &size, 1);
    struct batch batch     = make_batch(4, 100, 8);

    run_batch(softmax, &batch, 1);
    for (uint32_t row = 0; row < batch.rows; row++)
        check_row(&batch, row, 1);
    free_batch(&batch);
    kernel_close(softmax);
}
END_TEST

/* ---- sgd ---- */

struct step {
    float rate, momentum, decay;
};

/* A multiplication and an addition make two roundings, half a ULP each of what they give. */
static void check_sgd(struct kernel *sgd, int nesterov, size_t n, const struct step *step)
{
    float *gradient = random_floats(n, -1, 1, 1);
    float *before = random_floats(n, -1, 1, 2), *weights = allocate(n * 4);
    float *velocity_before = random_floats(n, -1, 1, 3), *velocity = allocate(n * 4);

    memcpy(weights, before, n * 4);
    memcpy(velocity, velocity_before, n * 4);
    RUN(sgd, groups_for(n, 256), 1, 1, read_only("gradient", gradient, n * 4),
        read_write("weights", weights, n * 4), read_write("velocity", velocity, n * 4),
        scalar_f32("rate", step->rate), scalar_f32("momentum", step->momentum),
        scalar_f32("decay", step->decay), scalar_u32("count", (uint32_t)n));
    for (size_t i = 0; i < n; i++) {
        double g     = gradient[i] + (double)step->decay * before[i];
        double v     = (double)step->momentum * velocity_before[i] + g;
        double along = nesterov ? g + step->momentum * v : v;
        double bound = 2 * ULP * (fabs(g) + fabs(v) + fabs((double)step->momentum * velocity_before[i]) + 2);
        expect_near("velocity", i, velocity[i], v, bound);
        expect_near("weights", i, weights[i], before[i] - step->rate * along, step->rate * 2 * bound + ULP);
    }
    free(gradient);
    free(before);
    free(weights);
    free(velocity_before);
    free(velocity);
}

START_TEST(sgd_makes_one_step_with_momentum_and_decay)
{
    static const struct step steps[] = {{0.1f, 0, 0}, {0.1f, 0.9f, 0}, {0.01f, 0.9f, 0.5f}, {0, 0.5f, 0.5f}};
    struct constant constant         = {"nesterov", (uint32_t)_i};
    struct kernel *sgd               = kernel_open("sgd", &constant, 1);

    for (size_t s = 0; s < COUNT(sizes); s++) {
        for (size_t p = 0; p < COUNT(steps); p++)
            check_sgd(sgd, _i, sizes[s], &steps[p]);
    }
    kernel_close(sgd);
}
END_TEST

int main(void)
{
    TCase *group = suite_group("training");

    tcase_add_test(group, softmax_gives_probabilities_loss_and_gradient_of_each_row);
    tcase_add_test(group, softmax_of_logits_that_overflow_an_exponential_is_fine);
    tcase_add_test(group, softmax_leaves_out_a_row_whose_label_is_no_column);
    tcase_add_test(group, softmax_works_with_another_group_size);
    tcase_add_loop_test(group, sgd_makes_one_step_with_momentum_and_decay, 0, 2);
    return suite_run(group);
}
