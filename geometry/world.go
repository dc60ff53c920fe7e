package geometry

// AppendWorld appends a draw's vertices, 3 numbers each in world space, and the indices of its triangles. A
// vertex has the number of its (draw, vertex) pair if draws are appended in their order.
func (s *Scene) AppendWorld(i int, positions []float32, indices []uint32) ([]float32, []uint32) {
	d, first := &s.Draws[i], uint32(len(positions)/3)
	for _, p := range s.Positions[d.VertexOffset:][:d.VertexCount] {
		world := d.Transform.Mul4x1(p.Vec4(1))
		positions = append(positions, world[0], world[1], world[2])
	}
	for _, id := range s.DrawIndices(i) {
		indices = append(indices, id+first)
	}
	return positions, indices
}
