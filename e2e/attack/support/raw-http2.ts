/** Frames of HTTP/2 as bytes, for what no client library would send. */

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const FRAME = { headers: 1, reset: 3, settings: 4 } as const
const END_HEADERS = 0x4
const CANCEL = 8

/** The first bytes of a connection: the preface and empty settings. */
export const connectionStart = () => Buffer.concat([PREFACE, frame(FRAME.settings, 0, 0, Buffer.alloc(0))])

/** Opens a call of a gRPC method whose message does not follow. @param stream  an odd number, larger than those before */
export function openCall(stream: number, path: string): Buffer {
  const block = Buffer.concat([
    Buffer.from([0x83, 0x86]), // :method: POST, :scheme: http
    Buffer.from([0x04]), // literal with the indexed name :path
    text(path),
    Buffer.from([0x01]), // literal with the indexed name :authority
    text('127.0.0.1'),
    Buffer.from([0x00]), // literal with a new name
    text('content-type'),
    text('application/grpc'),
    Buffer.from([0x00]),
    text('te'),
    text('trailers'),
  ])
  return frame(FRAME.headers, END_HEADERS, stream, block)
}

export function resetCall(stream: number): Buffer {
  const code = Buffer.alloc(4)
  code.writeUInt32BE(CANCEL)
  return frame(FRAME.reset, 0, stream, code)
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A string literal of HPACK without Huffman coding. */
function text(value: string): Buffer {
  if (value.length >= 127) throw new Error('longer texts have another length')
  return Buffer.concat([Buffer.from([value.length]), Buffer.from(value)])
}
