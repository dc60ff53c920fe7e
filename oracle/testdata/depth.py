"""depth.py FRAME.rdc EVENT TEXTURE OUT: what RenderDoc's own replay has in a texture after an event, as it lies in memory."""
import sys
import renderdoc as rd

path, event, texture, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
rd.InitialiseReplay(rd.GlobalEnvironment(), [])
capture = rd.OpenCaptureFile()
capture.OpenFile(path, "", None)
result, controller = capture.OpenCapture(rd.ReplayOptions(), None)
controller.SetFrameEvent(event, True)
t = [t for t in controller.GetTextures() if int(t.resourceId) == texture][0]
with open(out, "wb") as f:
    f.write(controller.GetTextureData(t.resourceId, rd.Subresource(0, 0, 0)))
print(t.format.Name(), t.width, t.height)
controller.Shutdown()
capture.Shutdown()
rd.ShutdownReplay()
