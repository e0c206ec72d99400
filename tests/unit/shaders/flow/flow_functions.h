/* Control flow in the words that C and GLSL have in common: the shader is compared with itself. The including
 * file defines FUNCTION and uint. */
FUNCTION uint early_returns(uint x)
{
    if (x % 7u == 0u)
        return 100u;
    for (uint i = 0u; i < 9u; i++) {
        if (i * i == x)
            return i;
        if (i > x)
            return 200u + i;
    }
    return x * 3u;
}

FUNCTION uint switches(uint x)
{
    uint sum = 0u;
    for (uint i = 0u; i < x % 13u; i++) {
        switch ((x + i) % 6u) {
        case 0u:
            sum += 1u;
            break;
        case 1u:
        case 2u:
            sum += 10u;
            /* falls through */
        case 3u:
            sum += 100u;
            break;
        case 4u:
            if ((i & 1u) == 0u)
                continue;
            sum += 1000u;
            break;
        default:
            sum *= 3u;
            if (sum > 50000u)
                return sum;
        }
        sum += i;
    }
    return sum;
}

FUNCTION uint nested_loops(uint x)
{
    uint count = 0u;
    for (uint i = 0u; i < 8u; i++) {
        uint j = 0u;
        while (true) {
            if (j >= 8u)
                break;
            j++;
            if (((i * j) ^ x) % 5u == 1u)
                continue;
            if (i + j > 12u)
                break;
            uint k = j;
            do {
                count += k;
                if (count % 97u == 0u)
                    return count;
                k = k * 2u + 1u;
            } while (k < 40u);
        }
        if ((x >> i) % 11u == 3u)
            break;
    }
    return count;
}

/* The phis of this loop exchange their values. */
FUNCTION uint exchanges(uint x)
{
    uint a = x, b = 1u, c = 7u;
    for (uint i = 0u; i < x % 10u; i++) {
        uint t = a;
        a      = b;
        b      = c;
        c      = t;
        if ((a & 1u) == 1u) {
            t = b;
            b = a;
            a = t;
        }
    }
    return a * 10000u + b * 100u + c;
}

FUNCTION uint signed_switch(uint x)
{
    int s = int(x % 9u) - 4;
    switch (s) {
    case -4:
        return 1u;
    case -1:
        return 2u;
    case 3:
        return 3u;
    }
    return uint(s + 50);
}

FUNCTION uint all_flow(uint x)
{
    return early_returns(x) + 7u * switches(x) + 31u * nested_loops(x) + 1009u * exchanges(x) +
           5u * signed_switch(x);
}
