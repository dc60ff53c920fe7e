// The position of a workgroup in its dispatch.
#ifndef DISPATCH_GLSL
#define DISPATCH_GLSL

// The workgroup's number. A dispatch has two dimensions if one would be too long.
uint dispatch_workgroup() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }

#endif
