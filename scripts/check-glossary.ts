import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
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
  // The Unix user "nobody".
  /^scripts\/steps\/prepare-postgres\.mjs$/,
]
const CHECKED = /\.(ts|tsx|mts|mjs|js|css|html|md|py|yml)$/

/** Returns `file:line: "word"; write …` for every use of a word that docs/glossary.md forbids. */
export function checkGlossary(folder: string = root): string[] {
  const words = parseForbiddenWords(readFileSync(join(folder, 'docs/glossary.md'), 'utf8'))
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: folder, encoding: 'utf8' }).split('\0')
  return files
    .filter((file) => CHECKED.test(file) && !EXCLUDED.some((pattern) => pattern.test(file)))
    .flatMap((file) =>
      findForbiddenWords(`${file}\n${readFileSync(join(folder, file), 'utf8')}`, words).map(
        // Line 0 is the file's own name.
        ({ line, word, instead }) => `${file}:${line}: "${word}"; write ${instead}`,
      ),
    )
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const sentences = checkGlossary()
  for (const sentence of sentences) console.error(sentence)
  console.log(`glossary: ${sentences.length} problems`)
  process.exit(sentences.length === 0 ? 0 : 1)
}
