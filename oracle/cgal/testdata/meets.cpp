// Prints how many pairs of a mesh's triangles meet elsewhere than in the vertices and
// edges that they share, in exact arithmetic. Two numbers: the first is by CGAL's
// predicates for two triangles, for any mesh whose triangles have an area; the second
// is by its self_intersections, or -1 if the mesh is not manifold.
#include <CGAL/Bbox_3.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/box_intersection_d.h>

#include "mesh.h"

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using Segment = Kernel::Segment_3;
using Triangle = Kernel::Triangle_3;
using Mesh = CGAL::Surface_mesh<Point>;
using Corners = std::array<uint32_t, 3>;
using Box = CGAL::Box_intersection_d::Box_with_handle_d<double, 3, const Corners*>;

static Input in;

static Point at(uint32_t v) {
  const auto& p = in.positions[v];
  return Point(p[0], p[1], p[2]);
}

static Triangle whole(const Corners& t) { return Triangle(at(t[0]), at(t[1]), at(t[2])); }

// part puts the vertices of t that are in s, or those that are not, into a list.
static std::vector<uint32_t> part(const Corners& t, const Corners& s, bool common) {
  std::vector<uint32_t> list;
  for (uint32_t v : t)
    if ((v == s[0] || v == s[1] || v == s[2]) == common)
      list.push_back(v);
  return list;
}

static bool meet(const Corners& t, const Corners& s) {
  const auto common = part(t, s, true), own = part(t, s, false), other = part(s, t, false);
  switch (common.size()) {
  case 0:
    return CGAL::do_intersect(whole(t), whole(s));
  case 1:
    return CGAL::do_intersect(whole(t), Segment(at(other[0]), at(other[1]))) ||
           CGAL::do_intersect(whole(s), Segment(at(own[0]), at(own[1])));
  case 2: {
    const Point u = at(common[0]), v = at(common[1]), a = at(own[0]), b = at(other[0]);
    return CGAL::coplanar(u, v, a, b) && CGAL::coplanar_orientation(u, v, a, b) == CGAL::POSITIVE;
  }
  }
  return true; // the same triangle twice
}

int main() {
  in = read_mesh();
  std::vector<Box> boxes;
  for (const Corners& t : in.triangles) {
    if (whole(t).is_degenerate()) {
      fprintf(stderr, "triangle %u %u %u has no area\n", t[0], t[1], t[2]);
      return 1;
    }
    boxes.push_back(Box(whole(t).bbox(), &t));
  }
  size_t pairs = 0;
  CGAL::box_self_intersection_d(boxes.begin(), boxes.end(), [&](const Box& a, const Box& b) {
    pairs += meet(*a.handle(), *b.handle());
  });

  Mesh mesh;
  long own = -1;
  if (add_mesh(in, mesh)) {
    std::vector<std::pair<Mesh::Face_index, Mesh::Face_index>> list;
    CGAL::Polygon_mesh_processing::self_intersections(mesh, std::back_inserter(list));
    own = list.size();
  }
  printf("%zu %ld\n", pairs, own);
}
