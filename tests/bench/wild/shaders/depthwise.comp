#version 450
/* Depthwise convolution of 3 x 3, padded by 1, with a bias, then clamped to 0..6: a filter for each channel. */
layout(local_size_x = 16, local_size_y = 16) in;

layout(std430, set = 0, binding = 0) readonly buffer Image { float image[]; };
layout(std430, set = 0, binding = 1) readonly buffer Weights { float weights[]; };
layout(std430, set = 0, binding = 2) readonly buffer Bias { float bias[]; };
layout(std430, set = 0, binding = 3) writeonly buffer Result { float result[]; };
layout(push_constant) uniform Parameters {
    int width;
    int height;
};

void main()
{
    int x = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y), channel = int(gl_GlobalInvocationID.z);
    if (x >= width || y >= height)
        return;
    float sum = bias[channel];
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            int px = x + i - 1, py = y + j - 1;
            if (px < 0 || px >= width || py < 0 || py >= height)
                continue;
            sum += weights[channel * 9 + j * 3 + i] * image[(channel * height + py) * width + px];
        }
    }
    result[(channel * height + y) * width + x] = clamp(sum, 0.0, 6.0);
}
