#!/usr/bin/python3
"""Writes a frame that RenderDoc captured as one GLB, with what its vertex shaders read and put out.

    export.py FRAME.rdc [-o FRAME.glb]

Runs in any Python that has RenderDoc's module "renderdoc" (Debian: python3-renderdoc; elsewhere set PYTHONPATH to the
folder of renderdoc.so or renderdoc.pyd), and inside qrenderdoc (Window, Python Shell, Run Scripts), where it exports
the capture that is open to a .glb beside it. OpenGL needs a display, such as xvfb-run's. Nothing else is needed.

The file: a node a pass, below it a node and a mesh a draw, a primitive an instance.
  POSITION   the vertex shader's input as it is in the buffer, 32-bit floats
  _NAME      its other inputs, one value a vertex
  _CLIP      its output, clip space as the API has it; 0 0 0 0 for a vertex that no index names
  indices    a triangle list: strips and fans are taken apart, restarts and base vertices are gone
Extras of the asset ("shadeonce"): version, API, passes with the size of what they draw into, and what was left out, by
name and count. Extras of a primitive: event, pass, instance, whether it writes depth, which triangles are culled as they
are seen on the target ("", "cw", "ccw", "both"), the inputs that have one value an instance, and "window" = [sx, ox, sy, oy, sz, oz], by which clip space maps to that of the whole target, x and y within -w..w and y
down, z within 0..w: x' = sx*x + ox*w, and so on. It holds viewport, depth range and the API's conventions.
"""
import array, hashlib, json, math, os, re, shutil, struct, sys

VERSION = 1


class Bad(Exception):
    """What the user is told, in one line."""


class Skip(Exception):
    """Why a draw is left out."""


def load_renderdoc():
    if "renderdoc" in globals():  # qrenderdoc has it there already
        return globals()["renderdoc"]
    try:
        import renderdoc
    except ImportError as e:
        raise Bad("needs RenderDoc's Python module (Debian: apt-get install python3-renderdoc; "
                  "elsewhere set PYTHONPATH to its folder): %s" % e)
    return renderdoc


# ---- bytes ----

def gather(data, offset, stride, size, count):
    """count elements of size bytes, stride bytes apart, packed at multiples of 4 bytes."""
    if count and offset + stride * (count - 1) + size > len(data):
        raise Skip("its vertices end before its indices do")
    pad = (size + 3) & ~3
    if stride == size == pad:
        return bytes(data[offset:offset + size * count])
    out = bytearray(pad * count)
    for k in range(size):
        if stride == 0:
            out[k::pad] = data[offset + k:offset + k + 1] * count
        else:
            out[k::pad] = data[offset + k:offset + k + stride * (count - 1) + 1:stride]
    return bytes(out)


INTEGER = {1: "b", 2: "h", 4: "i"}
REAL = {2: "e", 4: "f", 8: "d"}


class Format:
    """A vertex format: how to get numbers from bytes."""

    def __init__(self, rd, f):
        self.count, self.width, self.bgra = f.compCount, f.compByteWidth, f.BGRAOrder()
        kind, types = f.compType, rd.CompType
        self.packed = f.type == rd.ResourceFormatType.R10G10B10A2
        self.normal = kind in (types.UNorm, types.SNorm)
        self.signed = kind in (types.SNorm, types.SInt, types.SScaled)
        self.real = kind == types.Float
        if self.packed:
            self.count, self.width, self.size = 4, 0, 4
        elif f.type == rd.ResourceFormatType.Regular and self.width in (REAL if self.real else INTEGER):
            self.size = self.count * self.width
        else:
            raise Skip("vertex format " + f.Name())

    def letter(self):
        letter = REAL[self.width] if self.real else INTEGER[self.width]
        return letter if self.real or self.signed else letter.upper()

    def plain(self):
        """glTF's component type where the bytes can stay as they are, else None."""
        if self.packed or self.bgra:
            return None
        return {"f": 5126, "b": 5120, "B": 5121, "h": 5122, "H": 5123}.get(self.letter())

    def floats(self, packed, components):
        """The first components of every element as 32-bit floats; packed is gather's."""
        if self.packed:
            columns = self.ten_bits(packed)
        else:
            pad = (self.size + 3) & ~3
            n = pad // self.width
            flat = struct.unpack("<%d%s" % (len(packed) // self.width, self.letter()), packed)
            columns = [flat[k::n] for k in range(self.count)]
            if self.normal:
                most = (1 << (8 * self.width - self.signed)) - 1
                columns = [[max(v / most, -1) for v in c] for c in columns]
        if self.bgra and self.count >= 3:
            columns[0], columns[2] = columns[2], columns[0]
        out = array.array("f", bytes(4 * components * len(columns[0])))
        for k, c in enumerate(columns[:components]):
            try:
                out[k::components] = array.array("f", c)
            except OverflowError:
                raise Skip("numbers beyond 32-bit floats")
        return little(out)

    def ten_bits(self, packed):
        words = struct.unpack("<%dI" % (len(packed) // 4), packed)
        columns = []
        for shift, bits in ((0, 10), (10, 10), (20, 10), (30, 2)):
            c = [w >> shift & (1 << bits) - 1 for w in words]
            if self.signed:
                c = [v - (v >> bits - 1 << bits) for v in c]
            if self.normal:
                most = (1 << bits - self.signed) - 1
                c = [max(v / most, -1) for v in c]
            columns.append(c)
        return columns


def little(values):
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def finite(data):
    return all(map(math.isfinite, array.array("f", data) if sys.byteorder == "little" else struct.unpack("<%df" % (len(data) // 4), data)))


# ---- the file ----

class GLB:
    """A GLB in the making. Its bytes go to a file beside it at once; equal ones are kept once."""

    def __init__(self, path):
        self.path = path
        self.parts = ["%s.%d.%s" % (path, os.getpid(), end) for end in ("bin", "part")]
        self.bin = open(self.parts[0], "wb")
        self.size, self.known = 0, {}
        self.views, self.accessors, self.nodes, self.meshes = [], [], [], []

    def accessor(self, data, component, kind, count, **more):
        key = (hashlib.blake2b(data, digest_size=20).digest(), component, kind, bool(more.get("normalized")))
        if key not in self.known:
            target = 34963 if kind == "SCALAR" and component == 5125 else 34962
            view = {"buffer": 0, "byteOffset": self.size, "byteLength": len(data), "target": target}
            if target == 34962:
                view["byteStride"] = len(data) // count
            self.views.append(view)
            self.accessors.append(dict(bufferView=len(self.views) - 1, componentType=component, type=kind, count=count, **more))
            self.known[key] = len(self.accessors) - 1
            self.bin.write(data + bytes(-len(data) % 4))
            self.size += (len(data) + 3) & ~3
        return self.known[key]

    def save(self, extras):
        roots = [i for i, n in enumerate(self.nodes) if "children" in n]
        doc = {"asset": {"version": "2.0", "generator": "shadeonce export.py", "extras": {"shadeonce": extras}},
               "scene": 0, "scenes": [{"nodes": roots}], "nodes": self.nodes, "meshes": self.meshes,
               "accessors": self.accessors, "bufferViews": self.views, "buffers": [{"byteLength": self.size}]}
        text = json.dumps(doc, separators=(",", ":"), allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        whole = 12 + 8 + len(text) + 8 + self.size
        if whole >= 1 << 32:
            raise Bad("the frame needs %d bytes, and a GLB has 4 GiB at most" % whole)
        self.bin.close()
        with open(self.parts[1], "wb") as out, open(self.parts[0], "rb") as data:
            out.write(b"glTF" + struct.pack("<III4s", 2, whole, len(text), b"JSON") + text)
            out.write(struct.pack("<I4s", self.size, b"BIN\0"))
            shutil.copyfileobj(data, out, 1 << 20)
        os.replace(self.parts[1], self.path)

    def close(self):
        self.bin.close()
        for p in self.parts:
            if os.path.exists(p):
                os.remove(p)


# ---- draws ----

def to_list(indices, topology, restart):
    """Indices of a strip or fan as a triangle list; restart is None where nothing restarts."""
    pieces = [indices]
    if restart is not None and restart in indices:
        pieces, piece = [], array.array("I")
        for i in indices:
            if i == restart:
                pieces.append(piece)
                piece = array.array("I")
            else:
                piece.append(i)
        pieces.append(piece)
    out = array.array("I")
    for p in pieces:
        n = len(p) // 3 if topology == "TriangleList" else max(len(p) - 2, 0)
        t = array.array("I", bytes(12 * n))
        if topology == "TriangleList":
            t = p[:3 * n]
        elif topology == "TriangleFan":
            t[0::3], t[1::3], t[2::3] = array.array("I", p[:1] * n), p[1:n + 1], p[2:n + 2]
        else:
            t[0::3] = p[:n]
            t[1::3], t[2::3] = p[1:n + 1], p[2:n + 2]
            t[3::6], t[4::6] = t[4::6], t[3::6]  # every second one is turned to keep its front
        out.extend(t)
    return out


def position_rank(name):
    name = name.lower()
    if name.startswith("gl_"):
        return 0
    return 3 if name.endswith("position") else 2 if "position" in name else 1 if "pos" in name else 0


class Exporter:
    def __init__(self, rd, controller, glb):
        self.rd, self.c, self.glb = rd, controller, glb
        self.structured = controller.GetStructuredFile()
        self.textures = {int(t.resourceId): t for t in controller.GetTextures()}
        self.api = controller.GetAPIProperties().pipelineType.name
        self.passes, self.skipped, self.draws = [], {}, 0

    def run(self):
        last = None
        for d, groups in self.walk(self.c.GetRootActions(), ()):
            target = (tuple(int(o) for o in d.outputs), int(d.depthOut), self.begun(d))
            name = d.GetName(self.structured).split("(")[0].strip()
            try:
                draw = self.draw(d)
                size = self.size(target)
                if target != last:
                    self.passes.append({"name": "pass %d" % (len(self.passes) + 1), "width": size[0], "height": size[1],
                                        "colour": next((o for o in target[0] if o), 0), "depth": target[1]})
                    self.glb.nodes.append({"name": self.passes[-1]["name"], "children": []})
                    root, last = self.glb.nodes[-1], target
                self.add(d, draw, size, " / ".join((root["name"],) + groups + ("event %d %s" % (d.eventId, name),)), root)
            except Skip as e:
                what = "%s: %s" % (name, e)
                self.skipped[what] = self.skipped.get(what, 0) + 1
        if not self.draws:
            raise Bad("no draws that can be exported" + "".join("; %d x %s" % (n, what) for what, n in self.skipped.items()))
        self.glb.save({"version": VERSION, "api": self.api, "passes": self.passes,
                       "skipped": [{"what": what, "count": n} for what, n in self.skipped.items()]})

    def walk(self, actions, groups):
        flags = self.rd.ActionFlags
        for d in actions:
            if d.flags & flags.Drawcall:
                yield d, groups
            inner = groups
            if d.flags & flags.PushMarker and not d.IsFakeMarker() and not d.flags & (flags.PassBoundary | flags.CommandBufferBoundary | flags.MultiAction):
                inner = groups + (d.GetName(self.structured),)
            yield from self.walk(d.children, inner)

    def begun(self, d):
        """The event of the render pass that the draw is in, 0 where the API has none."""
        flags = self.rd.ActionFlags
        while d is not None:
            if d.flags & flags.BeginPass:
                return d.eventId
            d = d.previous
        return 0

    def size(self, target):
        for id in target[0] + (target[1],):
            if id in self.textures:
                return self.textures[id].width, self.textures[id].height
        raise Skip("draws into nothing")

    def draw(self, d):
        """What a draw has in all its instances: indices, vertices, inputs, and how outputs are found."""
        rd = self.rd
        if d.numIndices == 0 or d.numInstances == 0 and d.flags & rd.ActionFlags.Instanced:
            raise Skip("nothing to draw")
        self.c.SetFrameEvent(d.eventId, False)
        state = self.c.GetPipelineState()
        topology = state.GetPrimitiveTopology().name
        if state.IsTessellationEnabled():
            raise Skip("tessellated")
        if topology not in ("TriangleList", "TriangleStrip", "TriangleFan"):
            raise Skip("no triangles (%s)" % topology)
        if int(state.GetShader(rd.ShaderStage.Geometry)):
            raise Skip("geometry shader")
        inputs = [a for a in state.GetVertexInputs() if a.used and a.name]
        position = self.position(inputs)
        raw, restart = self.indices(d, state)
        flat = to_list(raw, topology, restart)
        if not flat:
            raise Skip("less than a triangle")
        first, last = min(flat), max(flat)
        base = d.baseVertex if d.flags & rd.ActionFlags.Indexed else d.vertexOffset
        draw = {"first": first, "count": last - first + 1, "base": base, "raw": raw, "restart": restart, "state": state}
        if first + base < 0:
            raise Skip("vertices ahead of the buffer")
        draw["indices"] = array.array("I", [i - first for i in flat]) if first else flat
        f = Format(rd, position.format)
        data = f.floats(self.vertices(position, draw, f), 3) if f.plain() != 5126 or f.size != 12 else self.vertices(position, draw, f)
        if not finite(data):
            raise Skip("positions that are not finite")
        draw["attributes"] = {"POSITION": self.positions(data, draw["count"])}
        draw["instance"] = [a for a in inputs if a.perInstance]
        for a in inputs:
            if a is not position and not a.perInstance and not a.genericEnabled:
                self.attribute(a, draw)
        return draw

    def position(self, inputs):
        candidates = [a for a in inputs if not a.perInstance and not a.genericEnabled]
        if not candidates:
            raise Skip("no positions, no vertex attributes at all")
        best = max(candidates, key=lambda a: position_rank(a.name))  # the first of the best
        if best.format.compCount < 3:
            raise Skip("%dD positions" % best.format.compCount)
        return best

    def indices(self, d, state):
        """The indices as they are drawn, and the one that restarts the primitive, or None."""
        if not d.flags & self.rd.ActionFlags.Indexed:
            return array.array("I", range(d.numIndices)), None
        ib = state.GetIBuffer()
        width = ib.byteStride
        if width not in (1, 2, 4) or not int(ib.resourceId):
            raise Skip("no index buffer")
        data = self.c.GetBufferData(ib.resourceId, ib.byteOffset + d.indexOffset * width, d.numIndices * width)
        if len(data) < d.numIndices * width:
            raise Skip("its indices end early")
        restart = state.GetRestartIndex() & (1 << 8 * width) - 1 if state.IsRestartEnabled() else None
        return array.array("I", struct.unpack("<%d%s" % (d.numIndices, " BH I"[width]), data)), restart

    def vertices(self, a, draw, f):
        """An input of every vertex, packed."""
        vb = draw["state"].GetVBuffers()[a.vertexBuffer]
        if not int(vb.resourceId):
            raise Skip("no vertex buffer")
        at = vb.byteOffset + a.byteOffset + (draw["first"] + draw["base"]) * vb.byteStride
        n = draw["count"]
        return gather(self.c.GetBufferData(vb.resourceId, at, (n - 1) * vb.byteStride + f.size), 0, vb.byteStride, f.size, n)

    def positions(self, data, count):
        columns = struct.unpack("<%df" % (3 * count), data)
        return self.glb.accessor(data, 5126, "VEC3", count, min=[min(columns[k::3]) for k in range(3)],
                                 max=[max(columns[k::3]) for k in range(3)])

    def attribute(self, a, draw):
        try:
            f = Format(self.rd, a.format)
            data, component = self.vertices(a, draw, f), f.plain()
            if component is None:
                data, component = f.floats(data, f.count), 5126
            if component == 5126 and not finite(data):
                raise Skip("numbers that are not finite")
        except Skip as e:
            what = "attribute: %s" % e
            self.skipped[what] = self.skipped.get(what, 0) + 1
            return
        kind = ("SCALAR", "VEC2", "VEC3", "VEC4")[f.count - 1]
        normal = {"normalized": True} if f.normal and component != 5126 else {}
        name = "_" + re.sub("[^A-Z0-9_]", "_", a.name.upper()).lstrip("_")
        while name in draw["attributes"] or name == "_CLIP":
            name += "_"
        draw["attributes"][name] = self.glb.accessor(data, component, kind, draw["count"], **normal)

    def add(self, d, draw, size, name, root):
        """The mesh of a draw: a primitive an instance."""
        instances = range(max(d.numInstances, 1))
        window = self.window(draw["state"].GetViewport(0), size)
        indices = self.glb.accessor(little(draw["indices"]), 5125, "SCALAR", len(draw["indices"]))
        rows, primitives, writes, culls = {}, [], self.depth_writes(), self.culls()
        for i in instances:
            clip = self.outputs(draw, i, rows)
            extras = {"event": d.eventId, "pass": len(self.passes) - 1, "instance": i, "depthWrites": writes, "culls": culls, "window": window}
            values = self.per_instance(draw, d, i)
            if values:
                extras["inputs"] = values
            attributes = dict(draw["attributes"], _CLIP=self.glb.accessor(clip, 5126, "VEC4", draw["count"]))
            primitives.append({"attributes": attributes, "indices": indices, "mode": 4, "extras": extras})
        self.draws += len(primitives)
        root["children"].append(len(self.glb.nodes))
        self.glb.nodes.append({"name": name, "mesh": len(self.glb.meshes)})
        self.glb.meshes.append({"name": name, "primitives": primitives})

    def per_instance(self, draw, d, i):
        values = {}
        for a in draw["instance"]:
            try:
                f, vb = Format(self.rd, a.format), draw["state"].GetVBuffers()[a.vertexBuffer]
                row = d.instanceOffset + (i // a.instanceRate if a.instanceRate else 0)
                data = self.c.GetBufferData(vb.resourceId, vb.byteOffset + a.byteOffset + row * vb.byteStride, f.size)
                floats = f.floats(gather(data, 0, 0, f.size, 1), f.count)
                if finite(floats):
                    values[a.name] = list(struct.unpack("<%df" % f.count, floats))
            except Skip:
                pass  # its outputs tell what it did
        return values

    def outputs(self, draw, instance, rows):
        """Clip-space positions of the vertices first.. of one instance."""
        m = self.c.GetPostVSData(instance, 0, self.rd.MeshDataStage.VSOut)
        if not int(m.vertexResourceId) or m.vertexByteStride < 16:
            raise Skip("no vertex outputs" + (": " + m.status.split("\n")[0] if m.status else ""))
        if not rows:
            self.match(draw, m, rows)
        data = self.c.GetBufferData(m.vertexResourceId, m.vertexByteOffset, (max(rows.values()) + 1) * m.vertexByteStride)
        if len(data) < max(rows.values()) * m.vertexByteStride + 16:
            raise Skip("its vertex outputs end early")
        read, out, stride = struct.Struct("<16s").unpack_from, bytearray(16 * draw["count"]), m.vertexByteStride
        for vertex, row in rows.items():
            out[16 * vertex:16 * vertex + 16] = read(data, row * stride)[0]
        if not finite(out):
            raise Skip("clip positions that are not finite")
        return bytes(out)

    def match(self, draw, m, rows):
        """Which row of the outputs is of which vertex: RenderDoc numbers them anew."""
        raw, first = draw["raw"], draw["first"]
        if int(m.indexResourceId) and m.indexByteStride:
            width = m.indexByteStride
            data = self.c.GetBufferData(m.indexResourceId, m.indexByteOffset, len(raw) * width)
            if len(data) < len(raw) * width:
                raise Skip("indices of its vertex outputs end early")
            to = struct.unpack("<%d%s" % (len(raw), " BH I"[width]), data)
        else:
            to = range(len(raw))
        found = dict(zip(raw, to))
        found.pop(draw["restart"], None)
        for vertex, row in found.items():
            if 0 <= vertex - first < draw["count"]:
                rows[vertex - first] = row + m.baseVertex
        if min(rows.values()) < 0:
            raise Skip("vertex outputs that lie ahead of their buffer")

    def depth_writes(self):
        c = self.c
        if self.api == "OpenGL":
            state = c.GetGLPipelineState().depthState
            return bool(state.depthEnable and state.depthWrites)
        if self.api == "Vulkan":
            state = c.GetVulkanPipelineState().depthStencil
            return bool(state.depthTestEnable and state.depthWriteEnable)
        state = (c.GetD3D11PipelineState() if self.api == "D3D11" else c.GetD3D12PipelineState()).outputMerger.depthStencilState
        return bool(state.depthEnable and state.depthWrites)

    def culls(self):
        c = self.c
        if self.api == "Vulkan":
            state = c.GetVulkanPipelineState().rasterizer
        else:
            of = {"OpenGL": c.GetGLPipelineState, "D3D11": c.GetD3D11PipelineState, "D3D12": c.GetD3D12PipelineState}[self.api]
            state = of().rasterizer.state
        modes = self.rd.CullMode
        if state.cullMode == modes.NoCull:
            return ""
        if state.cullMode == modes.FrontAndBack:
            return "both"
        return "ccw" if (state.cullMode == modes.Front) == bool(state.frontCCW) else "cw"

    def window(self, v, size):
        """How clip space maps to that of the whole target, Vulkan's conventions: see the top."""
        width, height = size
        sx, ox = v.width / width, (2 * v.x + v.width) / width - 1
        sy, oy = v.height / height, (2 * v.y + v.height) / height - 1
        sz, oz = v.maxDepth - v.minDepth, v.minDepth
        if self.api == "OpenGL":
            sy, oy = -sy, -oy  # y up, and so is the viewport's
            processing = self.c.GetGLPipelineState().vertexProcessing
            if not processing.clipOriginLowerLeft:
                sy = -sy
            if processing.clipNegativeOneToOne:
                sz, oz = sz / 2, oz + sz / 2
        elif self.api != "Vulkan":
            sy = -sy  # Direct3D: y up, its viewport's down
        return [sx, ox, sy, oy, sz, oz]


def export(rd, controller, path):
    try:
        glb = GLB(path)
    except OSError as e:
        raise Bad("%s: cannot write: %s" % (path, e.strerror))
    try:
        e = Exporter(rd, controller, glb)
        e.run()
    except OSError as error:
        raise Bad("%s: cannot write: %s" % (path, error.strerror))
    finally:
        glb.close()
    left = "".join("; left out: %d x %s" % (n, what) for what, n in e.skipped.items())
    draws = "1 draw" if e.draws == 1 else "%d draws" % e.draws
    passes = "1 pass" if len(e.passes) == 1 else "%d passes" % len(e.passes)
    return "%s: %s of %s%s" % (path, draws, passes, left)


# ---- standalone, and inside qrenderdoc ----

def arguments(argv):
    if len(argv) == 4 and argv[2] == "-o" and argv[3]:
        return argv[1], argv[3]
    if len(argv) == 2 and not argv[1].startswith("-"):
        return argv[1], os.path.splitext(argv[1])[0] + ".glb"
    print("usage: export.py FRAME.rdc [-o FRAME.glb]", file=sys.stderr)
    sys.exit(2)


def check(path):
    """Refuses what is no capture before RenderDoc loads drivers for it."""
    try:
        with open(path, "rb") as f:
            head = f.read(4)
    except OSError as e:
        raise Bad("%s: cannot be read: %s" % (path, e.strerror))
    if head != b"RDOC":
        raise Bad("%s: is no RenderDoc capture" % path)


def replay(rd, path):
    """The capture and its replay; both must be shut down."""
    capture = rd.OpenCaptureFile()
    result = capture.OpenFile(path, "", None)
    if result != rd.ResultCode.Succeeded:
        raise Bad("%s: RenderDoc cannot open it: %s" % (path, one_line(result)))
    if capture.LocalReplaySupport() != rd.ReplaySupport.Supported:
        raise Bad("%s: a %s capture cannot be replayed here" % (path, capture.DriverName()))
    result, controller = capture.OpenCapture(rd.ReplayOptions(), None)
    if result != rd.ResultCode.Succeeded:
        raise Bad("%s: RenderDoc cannot replay it: %s" % (path, one_line(result)))
    return capture, controller


def one_line(result):
    return " ".join(str(result.Message() if hasattr(result, "Message") else result).split())


def main(argv):
    path, out = arguments(argv)
    try:
        check(path)
        rd = load_renderdoc()
        rd.InitialiseReplay(rd.GlobalEnvironment(), [])
        capture, controller = replay(rd, path)
        try:
            print(export(rd, controller, out))
        finally:
            controller.Shutdown()
            capture.Shutdown()
    except Bad as e:
        print("export.py: " + one_line(e), file=sys.stderr)
        return 1
    return 0


def inside(ui):
    """In qrenderdoc: the capture that is open."""
    rd = load_renderdoc()
    if not ui.IsCaptureLoaded():
        print("export.py: open a capture first")
        return
    out, said = os.path.splitext(ui.GetCaptureFilename())[0] + ".glb", []

    def work(controller):
        try:
            said.append(export(rd, controller, out))
        except Bad as e:
            said.append("export.py: " + one_line(e))
        controller.SetFrameEvent(ui.CurEvent(), True)  # what the windows show

    ui.Replay().BlockInvoke(work)
    print("".join(said))


if "pyrenderdoc" in globals():
    inside(globals()["pyrenderdoc"])
elif __name__ == "__main__":
    status = main(sys.argv)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # RenderDoc 1.24 now and then hangs or crashes when Python takes its threads down
