// Refines a mesh by CGAL's Loop subdivision in double precision, as many levels as the
// argument says, and writes it to standard output: uint32 vertices, uint32 triangles,
// float64 xyz per vertex, uint32 corners. The mesh has no unreferenced vertices.
#include <CGAL/Simple_cartesian.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/subdivision_method_3.h>

#include "mesh.h"

using Mesh = CGAL::Surface_mesh<CGAL::Simple_cartesian<double>::Point_3>;

int main(int, char** arguments) {
  Mesh mesh;
  if (!add_mesh(read_mesh(), mesh)) {
    fprintf(stderr, "the mesh is not manifold\n");
    return 1;
  }
  CGAL::Subdivision_method_3::Loop_subdivision(mesh, CGAL::parameters::number_of_iterations(atoi(arguments[1])));
  const uint32_t counts[] = {uint32_t(mesh.number_of_vertices()), uint32_t(mesh.number_of_faces())};
  fwrite(counts, sizeof counts, 1, stdout);
  for (auto v : mesh.vertices()) {
    const auto& p = mesh.point(v);
    const double xyz[] = {p.x(), p.y(), p.z()};
    fwrite(xyz, sizeof xyz, 1, stdout);
  }
  for (auto f : mesh.faces())
    for (auto v : CGAL::vertices_around_face(mesh.halfedge(f), mesh)) {
      const uint32_t id = v;
      fwrite(&id, sizeof id, 1, stdout);
    }
}
