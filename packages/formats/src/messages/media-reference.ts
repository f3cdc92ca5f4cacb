/** A file that the Langfuse SDKs took out of a message and uploaded beside it. */
export interface MediaReference {
  readonly mime: string
  /** The first 22 characters of the SHA-256 of its bytes, in base64 for URLs. */
  readonly id: string
}

/** The longest type and source that are read, so that a text with many beginnings costs linear time. */
const REFERENCE = /@@@langfuseMedia:type=([^|@]{1,200})\|id=([\w-]{22})\|source=\w{1,40}@@@/

/** Reads a text that is one reference: `@@@langfuseMedia:type=image/png|id=…|source=base64_data_uri@@@`. */
export function readMediaReference(text: string): MediaReference | undefined {
  const found = text.startsWith(MARK) ? REFERENCE.exec(text) : null
  return found?.[0].length === text.length ? { mime: found[1] ?? '', id: found[2] ?? '' } : undefined
}

/** Cuts a text at its references; the texts between them may be empty. */
export function splitAtReferences(text: string): (string | MediaReference)[] {
  if (!text.includes(MARK)) return [text]
  // Python prints a value that is only a reference as JSON.
  const alone = readMediaReference(text.replace(/^"|"$/g, ''))
  if (alone !== undefined) return [alone]
  const pieces = text.split(new RegExp(REFERENCE, 'g'))
  // Each reference leaves its type and its id between two texts.
  return Array.from({ length: Math.ceil(pieces.length / 3) }, (_, at) => at * 3).flatMap((at) => {
    const [before = '', mime, id] = pieces.slice(at, at + 3)
    return mime === undefined || id === undefined ? [before] : [before, { mime, id }]
  })
}

/** Whether a text may have a reference. */
export const mayReferToMedia = (text: string) => text.includes(MARK)

const MARK = '@@@langfuseMedia:'

/** The name of the attachment that holds the file. */
export function nameMedia({ mime, id }: MediaReference): string {
  const [kind = '', subtype = ''] = mime.toLowerCase().split('/')
  const extension = EXTENSIONS.get(subtype) ?? (/^[a-z0-9]{1,8}$/.test(subtype) ? subtype : 'bin')
  const prefix = ['image', 'audio', 'video'].includes(kind) ? kind : 'file'
  return `${prefix}-${id}.${extension}`
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['jpeg', 'jpg'],
  ['svg+xml', 'svg'],
  ['mpeg', 'mp3'],
  ['plain', 'txt'],
  ['octet-stream', 'bin'],
  ['x-wav', 'wav'],
])
