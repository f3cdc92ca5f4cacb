export interface ForbiddenWord {
  /** As in the glossary, lower case; may contain spaces and hyphens. */
  readonly word: string
  readonly instead: string
}

export interface ForbiddenUse extends ForbiddenWord {
  /** From 0. */
  readonly line: number
}

/** Reads the table below "Words we do not use": words separated by commas, then what to write. */
export function parseForbiddenWords(glossary: string): ForbiddenWord[] {
  const [, section = ''] = glossary.split('## Words we do not use')
  const rows = section.split('\n').filter((line) => line.startsWith('| ') && !/^\| (---|Do not write)/.test(line))
  return rows.flatMap((row) => {
    const [, words = '', instead = ''] = row.split('|').map((cell) => cell.trim())
    return words.split(', ').map((word) => ({ word: word.toLowerCase(), instead }))
  })
}

/**
 * Names that must stay as they are: a product, a path kept for older clients, a column of a database, a method of the
 * compatible surface, a URL parameter of trace pages, a file of the icon library.
 */
const ALLOWED_NAMES =
  /ClickHouse|\/spine\b|text\('wish'\)|trackFinalisation|search\.colour|\bcolour(?==|\??: (by|optional|ColorBy)\b)|\|house\|/g

/** Finds the words as whole words, in any case; `gizmoOf`, `gizmo_of` and `GIZMO` contain "gizmo", `ingizmo` does not. */
export function findForbiddenWords(text: string, words: readonly ForbiddenWord[]): ForbiddenUse[] {
  const pattern = new RegExp(`(?<![a-z-])(${words.map(({ word }) => word).join('|')})(?![a-z])`, 'g')
  const byWord = new Map(words.map((one) => [one.word, one]))
  return text.split('\n').flatMap((content, line) => {
    const separated = content
      .replaceAll(ALLOWED_NAMES, '')
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1\n$2')
      .toLowerCase()
    return Array.from(separated.matchAll(pattern), ([found]) => byWord.get(found))
      .filter((one) => one !== undefined)
      .map((one) => ({ ...one, line }))
  })
}
