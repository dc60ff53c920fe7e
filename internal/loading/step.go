package loading

// Steps is the order in which files are tried when moving by step from a
// position: in that direction around the ends, but not the position itself.
func Steps(position, step, count int) []int {
	if step == 0 || count == 0 {
		return nil
	}
	direction := 1
	if step < 0 {
		direction = -1
	}
	var order []int
	for i := range count {
		at := ((position+step+i*direction)%count + count) % count
		if at != position {
			order = append(order, at)
		}
	}
	return order
}
