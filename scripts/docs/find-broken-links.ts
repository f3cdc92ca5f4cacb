import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Returns `file: link` for every relative link of a Markdown file whose file or heading does not exist. */
export function findBrokenLinks(root: string, file: string): string[] {
  const text = withoutCode(readFileSync(join(root, file), 'utf8'))
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link) && !isReachable(root, file, link))
    .map((link) => `${file}: ${link}`)
}

/** Returns `file: path` for every `@see` of a source file that names a path of the repository that does not exist. */
export function findBrokenReferences(root: string, file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/@see\s+`?([A-Za-z0-9_@$./-]+\.[a-z]{2,4})/g)]
    .map(([, path = '']) => path)
    .filter((path) => ![root, join(root, dirname(file))].some((folder) => existsSync(join(folder, path))))
    .map((path) => `${file}: ${path}`)
}

function isReachable(root: string, file: string, link: string): boolean {
  const [path = '', heading] = link.split('#')
  const target = path === '' ? join(root, file) : join(root, dirname(file), decodeURIComponent(path))
  if (!existsSync(target)) return false
  return heading === undefined || !target.endsWith('.md') || listAnchors(target).has(heading)
}

function listAnchors(file: string): Set<string> {
  const headings = withoutCode(readFileSync(file, 'utf8')).matchAll(/^#{1,6} (.+)$/gm)
  return new Set(Array.from(headings, ([, heading = '']) => toAnchor(heading)))
}

/** The anchor that GitHub gives a heading. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

const withoutCode = (text: string) => text.replaceAll(/^```[\s\S]*?^```/gm, '')
