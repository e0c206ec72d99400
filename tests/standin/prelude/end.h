/* What stands behind every text: its kernels as the driver's stand-in calls them. The compiler's driver
 * writes the table, with a standin_entry() for each kernel.
 * SPDX-License-Identifier: MIT
 */
template <int...> struct standin_numbers {
};

/* The numbers from 0 up to `count`. */
template <int count, int... I> struct standin_count : standin_count<count - 1, count - 1, I...> {
};
template <int... I> struct standin_count<0, I...> {
    typedef standin_numbers<I...> numbers;
};

template <typename T> struct standin_stored {
    typedef T type;
};
template <typename T> struct standin_stored<const T> {
    typedef T type;
};

template <int count> struct standin_layout {
    standin_parameter parameters[count + 1];
    unsigned int bytes;
};

/* Parameters lie each at the next multiple of its alignment. */
template <typename... A> constexpr standin_layout<sizeof...(A)> standin_layout_of()
{
    const unsigned int sizes[]          = {(unsigned int)sizeof(A)..., 0u};
    const unsigned int alignments[]     = {(unsigned int)alignof(A)..., 1u};
    standin_layout<sizeof...(A)> layout = {};
    for (unsigned int i = 0; i < sizeof...(A); i++) {
        unsigned int offset  = (layout.bytes + alignments[i] - 1) / alignments[i] * alignments[i];
        layout.parameters[i] = {offset, sizes[i]};
        layout.bytes         = offset + sizes[i];
    }
    return layout;
}

template <auto kernel, typename T> struct standin_calls;

template <auto kernel, typename... A> struct standin_calls<kernel, void (*)(A...)> {
    static constexpr standin_layout<sizeof...(A)> layout = standin_layout_of<A...>();

    template <int... I> STANDIN_INLINE void call(void **parameters, standin_numbers<I...>)
    {
        kernel(*(typename standin_stored<A>::type *)parameters[I]...);
    }

    static void item(void **parameters)
    {
        call(parameters, typename standin_count<sizeof...(A)>::numbers());
    }

    static void group(void **parameters)
    {
        const struct standin_index threads = standin_item.threads;
        for (unsigned int z = 0; z < threads.z; z++)
            for (unsigned int y = 0; y < threads.y; y++)
                for (unsigned int x = 0; x < threads.x; x++) {
                    standin_item.thread = {x, y, z};
                    item(parameters);
                }
    }
};

template <auto kernel> constexpr standin_kernel standin_entry(const char *name, unsigned int items_most)
{
    typedef standin_calls<kernel, decltype(kernel)> calls;
    return {name,
            calls::group,
            calls::item,
            calls::layout.parameters,
            sizeof(calls::layout.parameters) / sizeof(calls::layout.parameters[0]) - 1,
            calls::layout.bytes,
            items_most};
}
