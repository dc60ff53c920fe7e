"""depth.py FRAME.rdc EVENT TEXTURE OUT [whole]: what RenderDoc's own replay has in a texture after an event, as it lies in memory.

With "whole", fragment shaders discard nothing: all of them are replaced by one that writes white."""
import os
import sys
import renderdoc as rd

SOURCE = {"Vulkan": b"#version 450\nlayout(location = 0) out vec4 color; void main() { color = vec4(1.0); }",
          "OpenGL": b"#version 330\nout vec4 color; void main() { color = vec4(1.0); }"}


def draws(actions):
    for a in actions:
        if a.flags & rd.ActionFlags.Drawcall:
            yield a
        yield from draws(a.children)


path, event, texture, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
rd.InitialiseReplay(rd.GlobalEnvironment(), [])
capture = rd.OpenCaptureFile()
capture.OpenFile(path, "", None)
result, controller = capture.OpenCapture(rd.ReplayOptions(), None)
if sys.argv[5:] == ["whole"]:
    api = controller.GetAPIProperties().pipelineType.name
    white, said = controller.BuildTargetShader("main", rd.ShaderEncoding.GLSL, SOURCE[api], rd.ShaderCompileFlags(), rd.ShaderStage.Fragment)
    assert int(white), said
    shaders = {}
    for d in draws(controller.GetRootActions()):
        controller.SetFrameEvent(d.eventId, False)
        shader = controller.GetPipelineState().GetShader(rd.ShaderStage.Fragment)
        if int(shader):
            shaders[int(shader)] = shader
    for shader in shaders.values():
        controller.ReplaceResource(shader, white)
controller.SetFrameEvent(event, True)
t = [t for t in controller.GetTextures() if int(t.resourceId) == texture][0]
with open(out, "wb") as f:
    f.write(controller.GetTextureData(t.resourceId, rd.Subresource(0, 0, 0)))
print(t.format.Name(), t.width, t.height, flush=True)
os._exit(0)  # as the script does
