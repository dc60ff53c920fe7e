"""Stands in for RenderDoc's module: a frame made up of what the shared captures do not have.

Vertex buffer 1: eight corners of a cube, 16 bytes each (three floats, a colour of four bytes), the last corner's z as the
draw asks. Buffer 2: indices. Buffer 3: two half floats an instance. Buffers 100..: vertex outputs, vertices numbered
anew from the last one named down, and buffers 200..: the indices into them."""
import enum, struct


class Flags(enum.IntFlag):
    Drawcall = 2
    Indexed = 65536
    Instanced = 131072
    PushMarker = 4
    PassBoundary = 4096
    BeginPass = 8192
    CommandBufferBoundary = 1 << 20
    MultiAction = 1 << 21


class Named:
    def __init__(self, **values):
        self.__dict__.update(values)


def names(kind, *list):
    return enum.Enum(kind, list)


ActionFlags = Flags
CompType = names("CompType", "Float", "UNorm", "SNorm", "UInt", "SInt", "SScaled", "UScaled")
ResourceFormatType = names("ResourceFormatType", "Regular", "R10G10B10A2")
ShaderStage = names("ShaderStage", "Vertex", "Geometry")
MeshDataStage = names("MeshDataStage", "VSOut")
CullMode = names("CullMode", "NoCull", "Front", "Back", "FrontAndBack")
Topology = names("Topology", "TriangleList", "TriangleStrip", "TriangleFan", "LineList")
ResultCode = names("ResultCode", "Succeeded")
ReplaySupport = names("ReplaySupport", "Supported")
Pipeline = names("Pipeline", "Vulkan")
ReplayOptions = object


def GlobalEnvironment(): return None
def InitialiseReplay(*_): pass
def ShutdownReplay(): pass


class Format:
    def __init__(self, count, width, kind):
        self.compCount, self.compByteWidth, self.compType, self.type = count, width, kind, ResourceFormatType.Regular

    def BGRAOrder(self): return False
    def Name(self): return "x%d" % self.compCount


NAN = float("nan")
CORNERS = [(i & 1, i >> 1 & 1, i >> 2) for i in range(8)]
DRAWS = [  # event, name, topology, width of indices (0: none), what is drawn, base or first vertex, instances, more
    (10, "vkCmdDrawIndexed", "TriangleStrip", 2, [0, 1, 2, 3, 0xffff, 4, 5, 6, 7, 6], 0, 1, {}),
    (11, "vkCmdDrawIndexed", "TriangleFan", 1, [0, 1, 3, 2], 4, 1, {}),
    (12, "vkCmdDraw", "TriangleList", 0, list(range(6)), 2, 2, {}),
    (13, "vkCmdDraw", "LineList", 0, [0, 1], 0, 1, {}),
    (14, "vkCmdDraw", "TriangleList", 0, [0, 1, 2], 0, 1, {"count": 2}),
    (15, "vkCmdDraw", "TriangleList", 0, [0, 1, 2], 5, 1, {"z": NAN}),
    (16, "vkCmdDraw", "TriangleList", 0, [0, 1, 2], 0, 1, {"outputs": False}),
    (17, "vkCmdDrawIndexed", "TriangleList", 4, [7, 3, 5, 1, 8, 2, 8], -1, 1, {}),
]


def clip(p, instance):
    x, y, z = p[0] + 2 * instance, p[1], p[2] - 5  # before an eye that looks along -z
    return (x, -1.5 * y, -1.01 * z - .2, -z)


class State:
    def __init__(self, d): self.d = d
    def GetPrimitiveTopology(self): return Topology[self.d[2]]
    def IsTessellationEnabled(self): return False
    def GetShader(self, stage): return 0
    def IsRestartEnabled(self): return self.d[2] != "TriangleList"
    def GetRestartIndex(self): return 0xffffffff
    def GetViewport(self, i): return Named(x=0, y=0, width=150, height=100, minDepth=0, maxDepth=1)

    def GetVertexInputs(self):
        def one(name, buffer, offset, format, instance=False):
            return Named(name=name, vertexBuffer=buffer, byteOffset=offset, format=format, perInstance=instance,
                         instanceRate=1, used=True, genericEnabled=False)
        return [one("a_color", 0, 12, Format(4, 1, CompType.UNorm)),
                one("a_position", 0, 0, Format(self.d[7].get("count", 3), 4, CompType.Float)),
                one("a_offset", 1, 0, Format(2, 2, CompType.Float), True)]

    def GetVBuffers(self):
        return [Named(resourceId=1, byteOffset=0, byteStride=16), Named(resourceId=3, byteOffset=0, byteStride=4)]

    def GetIBuffer(self): return Named(resourceId=2, byteOffset=0, byteStride=self.d[3])


class Action:
    def __init__(self, flags, event, name, children=(), d=None, previous=None):
        self.flags, self.eventId, self.name, self.children, self.previous = flags, event, name, children, previous
        self.outputs, self.depthOut, self.indexOffset, self.instanceOffset = [9, 0], 8, 0, 0
        if d:
            self.numIndices, self.numInstances = len(d[4]), d[6]
            self.baseVertex, self.vertexOffset = (d[5], 0) if d[3] else (0, d[5])

    def GetName(self, structured): return self.name
    def IsFakeMarker(self): return False


class Controller:
    def GetStructuredFile(self): return None
    def GetAPIProperties(self): return Named(pipelineType=Pipeline.Vulkan)
    def GetTextures(self): return [Named(resourceId=9, width=150, height=100), Named(resourceId=8, width=150, height=100)]
    def Shutdown(self): pass
    def GetPipelineState(self): return State(self.d)

    def GetVulkanPipelineState(self):
        return Named(depthStencil=Named(depthTestEnable=True, depthWriteEnable=True), rasterizer=Named(cullMode=CullMode.Back, frontCCW=True))

    def GetRootActions(self):
        draws = [Action(Flags.Drawcall | (Flags.Indexed if d[3] else 0) | Flags.Instanced, d[0], d[1] + "(%d)" % len(d[4]), d=d) for d in DRAWS]
        return [Action(Flags.PushMarker, 9, "Opaque", draws[:2])] + draws[2:]

    def SetFrameEvent(self, event, force):
        self.d = [d for d in DRAWS if d[0] == event][0]

    def buffer(self, id):
        d = self.d
        if id == 1:
            corners = CORNERS[:7] + [CORNERS[7][:2] + (d[7].get("z", 1),)]
            return b"".join(struct.pack("<3f4B", *c, i, 0, 0, 255) for i, c in enumerate(corners))
        if id == 2:
            return struct.pack("<%d%s" % (len(d[4]), " BH I"[d[3]]), *d[4])
        if id == 3:
            return struct.pack("<4e", 0, 0, 2, 0)
        order = sorted({i for i in d[4] if i != 0xffff}, reverse=True)
        if id >= 200:
            return struct.pack("<%dI" % len(d[4]), *[order.index(i) if i != 0xffff else i for i in d[4]])
        instance = id - 100
        if not d[3]:
            order.reverse()  # without indices there are none to number anew
        inside = [CORNERS[i + d[5]] if 0 <= i + d[5] < 8 else (0, 0, 0) for i in order]
        return b"".join(struct.pack("<8f", *clip(c, instance), 7, 7, 7, 7) for c in inside)

    def GetBufferData(self, id, offset, length):
        return self.buffer(id)[offset:offset + length]

    def GetPostVSData(self, instance, view, stage):
        there = self.d[7].get("outputs", True)
        return Named(vertexResourceId=100 + instance if there else 0, vertexByteOffset=0, vertexByteStride=32, status="no room\nat all",
                     indexResourceId=200 if self.d[3] else 0, indexByteOffset=0, indexByteStride=4 if self.d[3] else 0, baseVertex=0)


class Capture:
    def OpenFile(self, *_): return ResultCode.Succeeded
    def LocalReplaySupport(self): return ReplaySupport.Supported
    def OpenCapture(self, *_): return ResultCode.Succeeded, Controller()
    def Shutdown(self): pass


def OpenCaptureFile(): return Capture()
