package walk

// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3; 2011)
// computes four random words from a counter and a key, independently of earlier words.
const (
	philoxM0, philoxM1 = 0xD2511F53, 0xCD9E8D57
	philoxW0, philoxW1 = 0x9E3779B9, 0xBB67AE85
	philoxRounds       = 10
)

func philox(counter [4]uint32, key [2]uint32) [4]uint32 {
	for range philoxRounds {
		hi0, lo0 := mulExtended(philoxM0, counter[0])
		hi1, lo1 := mulExtended(philoxM1, counter[2])
		counter = [4]uint32{hi1 ^ counter[1] ^ key[0], lo1, hi0 ^ counter[3] ^ key[1], lo0}
		key[0] += philoxW0
		key[1] += philoxW1
	}
	return counter
}

// mulExtended returns the high and the low word of a product, as GLSL's umulExtended does.
func mulExtended(x, y uint32) (hi, lo uint32) {
	product := uint64(x) * uint64(y)
	return uint32(product >> 32), uint32(product)
}

// mulHigh scales a random word to 0..n-1.
func mulHigh(word, n uint32) uint32 {
	hi, _ := mulExtended(word, n)
	return hi
}

// The third word of a counter says what the random words are used for.
const (
	drawsMove     = 0 // first two words of the counter: agent, step
	drawsStart    = 1 // first word: agent
	drawsGaussian = 2 // first word: number of the Gaussian
)
