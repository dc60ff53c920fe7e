package order

// original keeps the order of the file.
var original = Order{
	Name:   "original",
	Doc:    "the order of the file",
	Source: "the file",
}
