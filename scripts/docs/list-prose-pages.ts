import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const PAGES = ['docs/**/*.md', 'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md']
const GENERATED = '<!-- Written by scripts/write-reference.mjs'

/** Returns the Markdown files whose prose is written by hand, as paths from the root of the repository. */
export function listProsePages(root: string): string[] {
  const patterns = PAGES.map((page) => `:(glob)${page}`)
  const files = execFileSync('git', ['ls-files', '-z', '--', ...patterns], { cwd: root, encoding: 'utf8' }).split('\0')
  return files.filter((file) => file !== '' && !readFileSync(join(root, file), 'utf8').includes(GENERATED))
}
