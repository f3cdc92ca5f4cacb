/** Characters of the names of commit tags. */
export const TAG_NAME = /^[A-Za-z0-9._-]{1,200}$/

/** Characters from which on a reference is read as the beginning of a hash before it is read as a tag. */
export const MIN_HASH_PREFIX = 8

/** What a name of a tag cannot be, for hints beside the field. */
export const TAG_NAME_RULE =
  'A name cannot be a number, nor 8 or more digits and letters from a to f, which look like the beginning of a commit hash; ' +
  'latest always names the newest commit.'

/** Why a name cannot become a commit tag; undefined for a good name. */
export function findTagNameProblem(name: string): string | undefined {
  if (!TAG_NAME.test(name)) return 'A tag name has 1 to 200 letters, digits, "-", "_" and ".".'
  if (name === 'latest') return '"latest" is always the newest commit, not a tag.'
  if (/^\d+$/.test(name))
    return `"${name}" is a number, which could be read as a version. Add a letter, such as v${name.slice(0, 20)}.`
  if (name.length >= MIN_HASH_PREFIX && /^[0-9a-f]+$/i.test(name)) {
    return `"${name}" could be the beginning of a commit hash. Add another letter or a "-".`
  }
  return undefined
}
