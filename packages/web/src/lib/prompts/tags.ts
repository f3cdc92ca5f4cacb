/** Names that the server takes. */
const TAG_NAME = /^[A-Za-z0-9._-]{1,200}$/

/** Why a text cannot become a commit tag; undefined for a good name and for no name at all. */
export function tagNameProblem(name: string): string | undefined {
  if (name === '') return undefined
  if (name === 'latest') return '“latest” always names the newest commit.'
  if (!TAG_NAME.test(name)) return 'Use letters, digits, “-”, “_” and “.”, at most 200.'
  // Addresses take any beginning of a hash, so a tag must not look like one.
  if (/^[0-9a-f]+$/i.test(name)) {
    return 'A tag cannot consist of digits and the letters a to f only: it would look like the beginning of a commit hash.'
  }
  return undefined
}
