export interface Part {
  readonly name: string
  readonly json: object
}

const BOUNDARY = 'bench-boundary-0197f2a43c107d219b55'

export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`

/** A form of JSON parts as the SDKs send it. */
export function formBody(parts: readonly Part[]): { readonly bytes: Buffer; readonly contentType: string } {
  const texts = parts.map(({ name, json }) => {
    const text = JSON.stringify(json)
    const type = `application/json; length=${Buffer.byteLength(text)}`
    return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: ${type}\r\n\r\n${text}\r\n`
  })
  return {
    bytes: Buffer.from(`${texts.join('')}--${BOUNDARY}--\r\n`),
    contentType: FORM_TYPE,
  }
}
