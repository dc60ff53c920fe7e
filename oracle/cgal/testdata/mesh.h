// What both programs read: a triangle mesh from standard input, as little endian
// uint32 vertices, uint32 triangles, float32 xyz per vertex, uint32 corners.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Input {
  std::vector<std::array<float, 3>> positions;
  std::vector<std::array<uint32_t, 3>> triangles;
};

inline void read_all(void* to, size_t size, size_t count) {
  if (fread(to, size, count, stdin) != count) {
    fprintf(stderr, "the mesh on standard input is cut short\n");
    exit(1);
  }
}

inline Input read_mesh() {
  uint32_t counts[2];
  read_all(counts, sizeof counts, 1);
  Input in;
  in.positions.resize(counts[0]);
  in.triangles.resize(counts[1]);
  read_all(in.positions.data(), sizeof in.positions[0], counts[0]);
  read_all(in.triangles.data(), sizeof in.triangles[0], counts[1]);
  return in;
}

// add_mesh makes a CGAL::Surface_mesh of the input, vertex for vertex and triangle for
// triangle; false if the mesh is not manifold or not oriented.
template <class Mesh> bool add_mesh(const Input& in, Mesh& mesh) {
  for (const auto& p : in.positions)
    mesh.add_vertex(typename Mesh::Point(p[0], p[1], p[2]));
  for (const auto& t : in.triangles) {
    using Vertex = typename Mesh::Vertex_index;
    if (mesh.add_face(Vertex(t[0]), Vertex(t[1]), Vertex(t[2])) == Mesh::null_face())
      return false;
  }
  return true;
}
