package format

import (
	"math"
	"strconv"
)

// pow10 holds powers of ten; those up to 10^22 are exact in a float64.
var pow10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
	1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34, 1e35, 1e36, 1e37,
}

// maxDigits is how many decimal digits always fit a uint64.
const maxDigits = 19

// scanFloat parses the decimal number that starts at s[i] and returns it and its end. It rounds
// as strconv.ParseFloat(..., 32) does. ok is true only for finite decimal numbers: not for "nan",
// "inf", hexadecimal numbers, or numbers that overflow a float32.
func scanFloat(s []byte, i int) (f float32, end int, ok bool) {
	start, negative := i, false
	if uint(i) < uint(len(s)) && (s[i] == '-' || s[i] == '+') {
		negative = s[i] == '-'
		i++
	}
	var mantissa uint64
	digits, exponent := i, 0
	for uint(i) < uint(len(s)) && s[i]-'0' <= 9 {
		mantissa = mantissa*10 + uint64(s[i]-'0')
		i++
	}
	digits = i - digits
	if uint(i) < uint(len(s)) && s[i] == '.' {
		i++
		fraction := i
		for uint(i) < uint(len(s)) && s[i]-'0' <= 9 {
			mantissa = mantissa*10 + uint64(s[i]-'0')
			i++
		}
		exponent = fraction - i
		digits -= exponent
	}
	if digits == 0 {
		return 0, i, false
	}
	if uint(i) < uint(len(s)) && s[i]|0x20 == 'e' {
		e, end, ok := scanInt(s, i+1)
		if !ok {
			return 0, end, false
		}
		exponent, i = exponent+int(e), end
	}
	if digits <= maxDigits {
		if f, ok = round(mantissa, exponent); ok {
			if negative {
				f = -f
			}
			return f, i, true
		}
	}
	d, err := strconv.ParseFloat(string(s[start:i]), 32)
	return float32(d), i, err == nil
}

// round returns mantissa * 10^exponent as a float32; sure is false if its last bit may be wrong.
// It computes a float64, which is wrong by at most 3 units in the last place, since conversion,
// power and product each round once. Rounding that to float32 is right unless it lies that close
// to the middle between two float32 values.
func round(mantissa uint64, exponent int) (f float32, sure bool) {
	const (
		dropped = 52 - 23 // bits of the float64 mantissa that a float32 lacks
		middle  = 1 << (dropped - 1)
		doubt   = 8
	)
	if mantissa == 0 {
		return 0, true
	}
	d := float64(mantissa)
	switch {
	case exponent >= 0 && exponent < len(pow10):
		d *= pow10[exponent]
	case exponent < 0 && -exponent < len(pow10):
		d /= pow10[-exponent]
	default:
		return 0, false
	}
	low := math.Float64bits(d) & (1<<dropped - 1)
	if low-(middle-doubt) <= 2*doubt || d > math.MaxFloat32 || d < 0x1p-126 {
		return 0, false
	}
	return float32(d), true
}

// scanInt parses the decimal integer that starts at s[i] and returns it and its end. A value
// beyond +-10^17 is returned as some value at least that large.
func scanInt(s []byte, i int) (v int64, end int, ok bool) {
	negative := false
	if uint(i) < uint(len(s)) && (s[i] == '-' || s[i] == '+') {
		negative = s[i] == '-'
		i++
	}
	first := i
	for uint(i) < uint(len(s)) && s[i]-'0' <= 9 {
		if v = v*10 + int64(s[i]-'0'); v > 1e17 {
			v = 1e17
		}
		i++
	}
	if negative {
		v = -v
	}
	return v, i, i > first
}
