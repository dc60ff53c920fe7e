struct Inner {
    vec3 low;     // 0
    vec2 size_px; // 16, then 8 bytes of padding
};
