import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findForbiddenWords, parseForbiddenWords } from './glossary/find-forbidden-words.ts'
import { root } from './steps/root.mjs'

/** Files whose words are not ours or must not change. */
const EXCLUDED: readonly RegExp[] = [
  /^docs\/glossary\.md$/,
  // Applied migrations are never rewritten.
  /\/migrations\/\d{4}-/,
  // Lists the names in which the words are allowed.
  /^scripts\/glossary\/find-forbidden-words\.ts$/,
  // Contains the name of a Unix user that is also a forbidden word.
  /^scripts\/steps\/prepare-postgres\.mjs$/,
]
const CHECKED = /\.(ts|tsx|mts|mjs|js|css|html|md|py|yml)$/

/** Returns `file:line: "word"; write …` for each use of a word that docs/glossary.md forbids. */
export function checkGlossary(): string[] {
  const words = parseForbiddenWords(readFileSync(join(root, 'docs/glossary.md'), 'utf8'))
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0')
  const checked = files.filter((file) => CHECKED.test(file) && !EXCLUDED.some((pattern) => pattern.test(file)))
  return checked.flatMap((file) => {
    // Line 0 is the name of the file.
    const uses = findForbiddenWords(`${file}\n${readFileSync(join(root, file), 'utf8')}`, words)
    return uses.map(({ line, word, instead }) => `${file}:${line}: "${word}"; write ${instead}`)
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const sentences = checkGlossary()
  for (const sentence of sentences) console.error(sentence)
  console.log(`glossary: ${sentences.length} problems`)
  process.exit(sentences.length === 0 ? 0 : 1)
}
