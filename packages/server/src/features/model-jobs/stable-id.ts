import { createHash } from 'node:crypto'

/** The same id for the same parts (UUID version 8), so that work that is repeated after a crash replaces itself. */
export function toStableId(...parts: readonly (string | number)[]): string {
  const bytes = createHash('sha256')
    .update(JSON.stringify(['playground', ...parts]))
    .digest()
    .subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
}
