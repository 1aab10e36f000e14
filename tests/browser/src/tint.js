// What Tint says about shaders, each in an error scope of its own.
async (shaders) => {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) throw new Error("there is no WebGPU adapter");
  const device = await adapter.requestDevice({ requiredFeatures: [...adapter.features] });
  const answers = [];
  for (const code of shaders) {
    device.pushErrorScope("validation");
    const module = device.createShaderModule({ code });
    const { messages } = await module.getCompilationInfo();
    const error = await device.popErrorScope();
    answers.push({
      is_valid: error === null,
      messages: messages.map((m) => ({
        severity: m.type, line: m.lineNum, column: m.linePos, text: m.message,
      })),
    });
  }
  device.destroy();
  return answers;
}
