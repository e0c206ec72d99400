#version 450
/* The neighbourhoods of 3 x 3 of an image with several channels, padded by 1, as a matrix: a row for each channel and
 * place in the neighbourhood, a column for each pixel. */
layout(local_size_x = 256) in;

layout(std430, set = 0, binding = 0) readonly buffer Image { float image[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Columns { float columns[]; };
layout(push_constant) uniform Parameters {
    int width;
    int height;
};

void main()
{
    int pixel = int(gl_GlobalInvocationID.x), row = int(gl_GlobalInvocationID.y);
    if (pixel >= width * height)
        return;
    int channel = row / 9, place = row % 9;
    int x = pixel % width + place % 3 - 1, y = pixel / width + place / 3 - 1;
    float value = 0.0;
    if (x >= 0 && x < width && y >= 0 && y < height)
        value = image[(channel * height + y) * width + x];
    columns[row * width * height + pixel] = value;
}
