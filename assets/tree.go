package assets

import (
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
)

const (
	treeFork     = 3  // branches at the end of a branch
	treeLeaves   = 75 // per twig
	treeBlossoms = 50 // per twig
	goldenTurn   = 0.38196601125010515
)

// limb is a trunk, branch or twig; those of level 0 are twigs and bear leaves.
type limb struct {
	base, direction vec
	length, radius  float64
	level           int
}

func (l limb) tip() vec { return l.base.Add(l.direction.Scale(l.length)) }

// tree forks levels-1 times. Triangles of its wood share vertices, but most triangles are foliage: leaves
// are quads whose four vertices nothing else uses, blossoms are single triangles. So the ideal reuse
// is about .31, like that of the paper's tree.
func tree(levels int) *geometry.Scene {
	r := newRandom(11)
	var limbs []limb
	trunk := limb{direction: vec{0, 1, 0}, length: 2.4, radius: 0.3, level: levels - 1}
	grow(r, trunk, &limbs)
	twigs := slices.DeleteFunc(slices.Clone(limbs), func(l limb) bool { return l.level > 0 })
	b := newBuilder(len(twigs)*(4*treeLeaves+3*treeBlossoms+24), len(twigs)*(6*treeLeaves+3*treeBlossoms+90))
	for _, l := range limbs {
		b.wood(l)
	}
	b.draw("wood", mgl32.Vec4{0.25, 0.14, 0.07, 1})
	for _, l := range twigs {
		b.leaves(r, l)
	}
	b.draw("leaves", mgl32.Vec4{0.16, 0.42, 0.10, 1})
	for _, l := range twigs {
		b.blossoms(r, l)
	}
	b.draw("blossoms", mgl32.Vec4{0.85, 0.55, 0.62, 1})
	return b.scene
}

// grow appends the limb l and all limbs that grow from it, depth first.
func grow(r random, l limb, limbs *[]limb) {
	*limbs = append(*limbs, l)
	if l.level == 0 {
		return
	}
	u, v := tangents(l.direction)
	turn := r.between(0, 1)
	for range treeFork {
		turn += goldenTurn + r.between(-0.06, 0.06)
		sin, cos := sincos(turn)
		tilt := r.between(0.55, 0.95)
		aside := u.Scale(float64(cos * tilt)).Add(v.Scale(float64(sin * tilt)))
		grow(r, limb{
			base:      l.base.Add(l.direction.Scale(float64(l.length * r.between(0.78, 0.97)))),
			direction: l.direction.Add(aside).Add(vec{0, 0.12, 0}).Unit(),
			length:    float64(l.length * r.between(0.66, 0.82)),
			radius:    l.radius * 0.58,
			level:     l.level - 1,
		}, limbs)
	}
}

// wood appends the limb as a tapering tube that ends in a point; thick limbs get more sides and
// rings than twigs.
func (b *builder) wood(l limb) {
	sides := uint32(4 + min(l.level, 8))
	bands := uint32(1 + min(l.level, 4))
	u, v := tangents(l.direction)
	first := b.next()
	for ring := range bands + 1 {
		t := float64(ring) / float64(bands)
		center := l.base.Add(l.direction.Scale(float64(0.95 * t * l.length)))
		radius := float64(l.radius * (1 - float64(0.45*t)))
		for side := range sides {
			sin, cos := sincos(float64(side) / float64(sides))
			normal := u.Scale(cos).Add(v.Scale(sin))
			b.vertex(center.Add(normal.Scale(radius)), normal.Unit())
		}
	}
	for ring := range bands {
		b.band(first+ring*sides, first+(ring+1)*sides, sides)
	}
	apex, last := b.vertex(l.tip(), l.direction), first+bands*sides
	for side := range sides {
		b.triangle(last+side, last+(side+1)%sides, apex)
	}
}

// leafFrame returns the centre and the orientation of a leaf or blossom of the twig. n is the
// direction that it faces: away from the middle of the crown, with some scatter.
func leafFrame(r random, twig limb) (center, u, v, n vec) {
	along := twig.direction.Scale(float64(twig.length * r.between(0.1, 1.1)))
	center = twig.base.Add(along).Add(r.inBall().Scale(float64(twig.length * 0.55)))
	out := center.Sub(vec{0, 3, 0}).Unit()
	n = out.Scale(0.7).Add(r.direction()).Unit()
	if n.Dot(out) < 0 {
		n = n.Scale(-1)
	}
	a, c := tangents(n)
	sin, cos := sincos(r.between(0, 1))
	u = a.Scale(cos).Add(c.Scale(sin)).Unit()
	return center, u, n.Cross(u), n
}

func (b *builder) leaves(r random, twig limb) {
	for range treeLeaves {
		center, u, v, n := leafFrame(r, twig)
		long := float64(twig.length * r.between(0.10, 0.16))
		wide := long * 0.5
		first := b.vertex(center.Sub(u.Scale(long)), n)
		b.vertex(center.Sub(v.Scale(wide)), n)
		b.vertex(center.Add(u.Scale(long)), n)
		b.vertex(center.Add(v.Scale(wide)), n)
		b.quad(first, first+1, first+2, first+3)
	}
}

func (b *builder) blossoms(r random, twig limb) {
	for range treeBlossoms {
		center, u, v, n := leafFrame(r, twig)
		size := float64(twig.length * r.between(0.03, 0.06))
		first := b.next()
		for k := range 3 {
			sin, cos := sincos(float64(k) / 3)
			arm := u.Scale(cos).Add(v.Scale(sin))
			b.vertex(center.Add(arm.Scale(size)), n)
		}
		b.triangle(first, first+1, first+2)
	}
}
