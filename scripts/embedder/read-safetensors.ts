// Reads a safetensors file: a header in JSON that says where each tensor lies, then the numbers.

export type Tensor = { shape: number[]; values: Float32Array };
/** Throws when there is no such tensor, or when it is not made of 16 bit floats. */
export type ReadTensor = (name: string) => Tensor;

type Entry = { dtype: string; shape: number[]; data_offsets: [number, number] };

export function readSafetensors(file: Buffer): ReadTensor {
  const headerBytes = Number(file.readBigUInt64LE(0));
  const header: Record<string, Entry> = JSON.parse(file.toString('utf8', 8, 8 + headerBytes));
  const start = 8 + headerBytes;
  return (name) => {
    const entry = header[name];
    if (entry?.dtype !== 'F16') throw new Error(`there is no 16 bit tensor ${name}`);
    const [from, to] = entry.data_offsets;
    const bytes = file.buffer.slice(file.byteOffset + start + from, file.byteOffset + start + to);
    return { shape: entry.shape, values: Float32Array.from(new Float16Array(bytes)) };
  };
}
