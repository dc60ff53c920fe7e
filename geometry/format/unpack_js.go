package format

// zstdPackings is empty in browsers, where the page unpacks: Zstandard is a tenth of its program.
var zstdPackings []packing
