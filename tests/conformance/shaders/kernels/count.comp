#version 450
// Does nothing, and has no arguments.
layout(local_size_x = 1) in;

void main()
{
}
