package format

// zstdPackings is empty in browsers, where the page itself unpacks files: Zstandard would be a tenth of the
// page's program.
var zstdPackings []packing
