#version 450
/* softmax_cross_entropy: of each row of logits its probabilities, the loss against its label, and the
 * loss's gradient
 *
 *      probabilities[r][c] = exp(logits[r][c] - max) / sum over j of exp(logits[r][j] - max)
 *      losses[r]           = log(sum over j of exp(logits[r][j] - max)) - (logits[r][label] - max)
 *      gradient[r][c]      = scale * (probabilities[r][c] - (c = label ? 1 : 0))
 *
 * max is the greatest of the row: taken away it keeps exp() from overflowing and cancels out. A row
 * whose label is no column (0xffffffff, say) is left out: its loss and gradient are 0.
 *
 * Arguments
 *     logits          rows x columns floats, row after row
 *     labels          rows unsigned integers: the right column of each row
 *     probabilities   rows x columns floats
 *     losses          rows floats
 *     gradient        rows x columns floats
 *     columns         of a row
 *     scale           1 / rows for the gradient of the mean loss, 1 for that of the sum
 * Launch
 *     one group for each row, in x
 * Constants
 *     0               items of a group (256)
 * Example
 *     struct trm_argument arguments[] = {trm_arg_buffer(logits), trm_arg_buffer(labels),
 *                                        trm_arg_buffer(probabilities), trm_arg_buffer(losses),
 *                                        trm_arg_buffer(gradient), trm_arg_u32(columns),
 *                                        trm_arg_f32(1)};
 *     trm_kernel_named(device, "softmax_cross_entropy", NULL, 0, &kernel);
 *     grid = trm_grid_1d(rows, 0);
 *     trm_launch(stream, kernel, &grid, arguments, 7);
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256, local_size_x_id = 0) in;

layout(std430, set = 0, binding = 0) readonly restrict buffer Logits { float logits[]; };
layout(std430, set = 0, binding = 1) readonly restrict buffer Labels { uint labels[]; };
layout(std430, set = 0, binding = 2) restrict buffer Probabilities { float probabilities[]; };
layout(std430, set = 0, binding = 3) writeonly restrict buffer Losses { float losses[]; };
layout(std430, set = 0, binding = 4) writeonly restrict buffer Gradient { float gradient[]; };

layout(push_constant) uniform Parameters {
    uint columns;
    float scale;
};

shared float tree[gl_WorkGroupSize.x];

/* The greatest of what the items give, for all of them. */
float group_max(float value)
{
    const uint item = gl_LocalInvocationID.x;
    tree[item] = value;
    barrier();
    for (uint left = gl_WorkGroupSize.x; left > 1;) {
        uint upper = (left + 1) / 2;
        if (item + upper < left)
            tree[item] = max(tree[item], tree[item + upper]);
        left = upper;
        barrier();
    }
    float result = tree[0];
    barrier();
    return result;
}

float group_sum(float value)
{
    const uint item = gl_LocalInvocationID.x;
    tree[item] = value;
    barrier();
    for (uint left = gl_WorkGroupSize.x; left > 1;) {
        uint upper = (left + 1) / 2;
        if (item + upper < left)
            tree[item] += tree[item + upper];
        left = upper;
        barrier();
    }
    float result = tree[0];
    barrier();
    return result;
}

void main()
{
    const uint size = gl_WorkGroupSize.x;
    const uint item = gl_LocalInvocationID.x;
    const uint row = gl_WorkGroupID.x;
    const uint begin = row * columns;
    const uint label = labels[row];

    float most = uintBitsToFloat(0xff800000u);
    for (uint column = item; column < columns; column += size)
        most = max(most, logits[begin + column]);
    most = group_max(most);

    float sum = 0.0;
    for (uint column = item; column < columns; column += size) {
        float power = exp(logits[begin + column] - most);
        probabilities[begin + column] = power;
        sum += power;
    }
    sum = group_sum(sum);

    const bool counts = label < columns;
    for (uint column = item; column < columns; column += size) {
        float probability = probabilities[begin + column] / sum;
        probabilities[begin + column] = probability;
        gradient[begin + column] = counts ? scale * (probability - (column == label ? 1.0 : 0.0)) : 0.0;
    }
    if (item == 0)
        losses[row] = counts ? log(sum) - (logits[begin + label] - most) : 0.0;
}
