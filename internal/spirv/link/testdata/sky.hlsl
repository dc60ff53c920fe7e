// glslang: -S vert -e main --target-env vulkan1.1
// As HLSL has it: a row vector, semantics, a structure for what is returned.
cbuffer Frame : register(b0) { float4x4 world; float4x4 viewProjection; float3 eye; float time; };
StructuredBuffer<float4> tints : register(t1);
struct Out { float4 position : SV_Position; float3 normal : NORMAL; float4 tint : COLOR0; nointerpolation uint number : NUMBER; };
Out main(float3 position : POSITION, float3 normal : NORMAL, uint vertex : SV_VertexID, uint instance : SV_InstanceID) {
    Out o;
    float4 p = mul(float4(position, 1.0), world);
    o.position = mul(p, viewProjection);
    o.normal = mul(normal, (float3x3)world);
    o.tint = tints[instance & 7] * saturate(dot(normalize(eye - p.xyz), o.normal)) + time;
    o.number = vertex ^ instance;
    return o;
}
