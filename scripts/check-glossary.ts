import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findForbiddenWords, parseForbiddenWords } from './glossary/find-forbidden-words.ts'
import { root } from './steps/root.mjs'

/** Files whose words are not ours or must not change. */
const EXCLUDED: readonly RegExp[] = [
  /^docs\/glossary\.md$/,
  /^CHANGELOG\.md$/,
  // Applied migrations are never rewritten.
  /\/migrations\/\d{4}-/,
  // Contains the name of a Unix user that is also a forbidden word.
  /^scripts\/steps\/prepare-postgres\.mjs$/,
]
const CHECKED = /\.(ts|tsx|mts|mjs|js|css|html|md|py|yml)$/

/** Uses that were there before the check, by file. A file may not have more than this; the list only gets shorter. */
const REMAINING = join(root, 'scripts/glossary/remaining.json')

/** Returns `file:line: "word"; write …` for the files with more uses of forbidden words than `remaining` allows. */
export function checkGlossary(remaining: Readonly<Record<string, number>> = readRemaining()): string[] {
  return [...findUses()].flatMap(([file, uses]) => (uses.length > (remaining[file] ?? 0) ? uses : []))
}

/** Returns the sentences of each file that uses words which docs/glossary.md forbids. */
function findUses(folder: string = root): Map<string, string[]> {
  const words = parseForbiddenWords(readFileSync(join(folder, 'docs/glossary.md'), 'utf8'))
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: folder, encoding: 'utf8' }).split('\0')
  const checked = files.filter((file) => CHECKED.test(file) && !EXCLUDED.some((pattern) => pattern.test(file)))
  return new Map(
    checked.map((file) => {
      // Line 0 is the name of the file.
      const uses = findForbiddenWords(`${file}\n${readFileSync(join(folder, file), 'utf8')}`, words)
      return [file, uses.map(({ line, word, instead }) => `${file}:${line}: "${word}"; write ${instead}`)]
    }),
  )
}

function readRemaining(): Record<string, number> {
  return JSON.parse(readFileSync(REMAINING, 'utf8'))
}

function writeRemaining(): void {
  const counts = [...findUses()].filter(([, uses]) => uses.length > 0).map(([file, { length }]) => [file, length])
  writeFileSync(REMAINING, `${JSON.stringify(Object.fromEntries(counts.sort()), null, 2)}\n`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  // --update records the uses that are left; --all prints them too.
  if (process.argv.includes('--update')) writeRemaining()
  const sentences = checkGlossary(process.argv.includes('--all') ? {} : undefined)
  for (const sentence of sentences) console.error(sentence)
  const left = Object.values(readRemaining()).reduce((sum, count) => sum + count, 0)
  console.log(`glossary: ${sentences.length} problems, ${left} earlier uses left in scripts/glossary/remaining.json`)
  process.exit(sentences.length === 0 ? 0 : 1)
}
