/** A body or a field that is not valid OTLP; the message is for the sender. */
export class OtlpProblem extends Error {
  override readonly name = 'OtlpProblem'
}

/**
 * Reads the fields of one protobuf message. Unlike the readers of npm it keeps all digits of 64-bit integers (times are
 * nanoseconds), and a field that ends after its message is an error instead of a short value.
 *
 * @see https://protobuf.dev/programming-guides/encoding
 */
export class WireReader {
  /** Number of the current field shifted by three, plus its wire type: 0 varint, 1 eight bytes, 2 a length and bytes, 5 four bytes. */
  tag = 0

  constructor(
    private readonly bytes: Buffer,
    private at = 0,
    private readonly end = bytes.length,
  ) {}

  /** Length of the message in bytes. */
  get size(): number {
    return this.end - this.at
  }

  /** Moves to the next field; false at the end. The value of each field must be read or skipped. */
  next(): boolean {
    if (this.at >= this.end) return false
    const tag = this.varint()
    if (tag > 0xffff_ffffn || tag < 8n) throw new OtlpProblem(`it is not protobuf at byte ${this.at}`)
    this.tag = Number(tag)
    return true
  }

  /** A varint of up to 64 bits, unsigned. */
  varint(): bigint {
    let low = 0
    // Almost all varints have fewer than five bytes, and numbers are faster than bigints.
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.byte()
      low |= (byte & 0x7f) << shift
      if (byte < 0x80) return BigInt(low)
    }
    let value = BigInt(low)
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.byte()
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new OtlpProblem(`a number has more than ten bytes at byte ${this.at}`)
  }

  /** A 32-bit integer or an enum. */
  int32(): number {
    return Number(BigInt.asIntN(32, this.varint()))
  }

  int64(): bigint {
    return BigInt.asIntN(64, this.varint())
  }

  fixed64(): bigint {
    return this.bytes.readBigUInt64LE(this.take(8))
  }

  double(): number {
    return this.bytes.readDoubleLE(this.take(8))
  }

  /** A view, not a copy. */
  buffer(): Buffer {
    const length = this.length()
    const start = this.take(length)
    return this.bytes.subarray(start, start + length)
  }

  text(): string {
    const length = this.length()
    const start = this.take(length)
    return this.bytes.toString('utf8', start, start + length)
  }

  message(): WireReader {
    const length = this.length()
    const start = this.take(length)
    return new WireReader(this.bytes, start, start + length)
  }

  /** The same message from its current field on. */
  copy(): WireReader {
    return new WireReader(this.bytes, this.at, this.end)
  }

  skip(): void {
    switch (this.tag & 7) {
      case 0:
        this.varint()
        return
      case 1:
        this.take(8)
        return
      case 2:
        this.take(this.length())
        return
      case 5:
        this.take(4)
        return
      default:
        throw new OtlpProblem(`it is not protobuf at byte ${this.at}: wire type ${this.tag & 7}`)
    }
  }

  private length(): number {
    const length = this.varint()
    if (length > BigInt(this.end - this.at)) {
      throw new OtlpProblem(`it ends within a field: ${length} bytes are announced at byte ${this.at}`)
    }
    return Number(length)
  }

  private byte(): number {
    const byte = this.at < this.end ? this.bytes[this.at++] : undefined
    if (byte === undefined) throw new OtlpProblem('it ends within a number')
    return byte
  }

  private take(count: number): number {
    if (count > this.end - this.at) throw new OtlpProblem('it ends within a field')
    const start = this.at
    this.at += count
    return start
  }
}
