/** The ids of a span in hex. */
export interface SpanIds {
  readonly traceId: string
  readonly spanId: string
}

/** Reads ids that OpenLLMetry prints as numbers; its clients of other languages print hex digits. */
export function readPrintedIds(trace: string, span: string): SpanIds {
  const isNumber = /^\d+$/.test(trace) && /^\d+$/.test(span)
  const toHex = (text: string, length: number) =>
    isNumber ? BigInt(text).toString(16).padStart(length, '0') : text.toLowerCase()
  return { traceId: toHex(trace, 32), spanId: toHex(span, 16) }
}

const IMAGE_URL = /\/v2\/traces\/([\da-f]{1,39})\/spans\/([\da-f]{1,20})\/images\/([^/?#]{1,1800})$/i

/** Reads the URL of an image that OpenLLMetry uploaded. @returns undefined for other URLs */
export function readImageUrl(url: string): (SpanIds & { readonly name: string }) | undefined {
  // A data URL may have millions of characters.
  const [, trace, span, name] = (url.length < 4_000 && IMAGE_URL.exec(url)) || []
  if (trace === undefined || span === undefined || name === undefined) return undefined
  try {
    return { ...readPrintedIds(trace, span), name: decodeURIComponent(name) }
  } catch {
    return undefined
  }
}
