import { type Bytes, encodeText } from '../tracing/text-bytes.ts'

/**
 * A `multipart/form-data` body, written by hand: platforms disagree about what they add to the parts of a `FormData`, and
 * strict servers refuse the additions.
 */
export class Multipart {
  readonly #boundary = `----LangSmithFormBoundary${globalThis.crypto.randomUUID().replaceAll('-', '')}`
  readonly #chunks: Uint8Array[] = []

  get contentType(): string {
    return `multipart/form-data; boundary=${this.#boundary}`
  }

  /** @param type media type; absent for the plain text of a form's field */
  add(name: string, bytes: Uint8Array, type?: string, fileName?: string): void {
    const file = fileName === undefined ? '' : `; filename="${quotable(fileName)}"`
    const typed = type === undefined ? '' : `\r\nContent-Type: ${oneLine(type)}; length=${bytes.length}`
    const head = `--${this.#boundary}\r\nContent-Disposition: form-data; name="${quotable(name)}"${file}${typed}\r\n\r\n`
    this.#chunks.push(encodeText(head), bytes, LINE_END)
  }

  /** The body with what was added so far. */
  bytes(): Bytes {
    const chunks = [...this.#chunks, encodeText(`--${this.#boundary}--\r\n`)]
    return concat(chunks)
  }
}

const LINE_END = encodeText('\r\n')

function quotable(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function oneLine(type: string): string {
  return type.replace(/[\r\n]+/g, ' ')
}

/** One array of all. */
export function concat(chunks: readonly Uint8Array[]): Bytes {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
