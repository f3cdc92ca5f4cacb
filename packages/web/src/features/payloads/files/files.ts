import { type CodeLanguage, findLanguage } from '#lib/code-languages.ts'

const TEXT_TYPES =
  /^(text\/[\w.+-]+|application\/((x-)?(ndjson|jsonl|json|yaml|xml|toml|sql|sh|python|javascript|typescript)|[\w.-]+\+(json|xml)))$/
const TEXT_NAMES = /\.(txt|md|csv|tsv|log|jsonl?|ndjson|ya?ml|toml|ini|xml|html?|py|[cm]?[jt]sx?|sh|sql|diff|patch)$/i

/** Whether an attachment can be shown as text, by its media type; by its name if it has only the general type. */
export function isTextType(mime: string, name: string): boolean {
  const type = mime.split(';')[0]?.trim().toLowerCase() ?? ''
  return TEXT_TYPES.test(type) || ((type === '' || type === 'application/octet-stream') && TEXT_NAMES.test(name))
}

/** The language to color a text file in. */
export function findFileLanguage(mime: string, name: string): CodeLanguage | undefined {
  const subtype = /^[^/]+\/(?:x-|[\w.-]+\+)?([\w-]+)/.exec(mime)?.[1] ?? ''
  return findLanguage(/\.(\w+)$/.exec(name)?.[1] ?? '') ?? findLanguage(subtype)
}

/**
 * The beginning of a file as text.
 *
 * @param bytes  may end within a character, which is left out
 * @returns undefined if it is not UTF-8 text
 */
export function decodeBeginning(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
