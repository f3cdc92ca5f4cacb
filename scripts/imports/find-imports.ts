import { readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, join, relative, sep } from 'node:path'
import { parseSync } from 'rolldown/utils'

/** One import as it stands in a file; paths are from the repository's root, with forward slashes. */
export interface Import {
  readonly file: string
  /** As written, e.g. `../runs/index.ts` or `@touchstone/contract`. */
  readonly specifier: string
  /** The file or package folder it leads to; `undefined` for a package from outside or of Node. */
  readonly target: string | undefined
}

/** Every import and re-export, static or dynamic, of the TypeScript under a folder. */
export function findImports(folder: string): Import[] {
  return sourcesBelow(folder).flatMap((path) => {
    const file = slashes(relative(folder, path))
    return specifiersIn(path).map((specifier) => ({ file, specifier, target: leadsTo(file, specifier) }))
  })
}

function specifiersIn(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  const { module } = parseSync(path, text)
  const quoted = (request: { start: number; end: number }) => text.slice(request.start + 1, request.end - 1)
  return [
    ...module.staticImports.map((one) => one.moduleRequest.value),
    ...module.staticExports.flatMap((one) => one.entries.flatMap((entry) => entry.moduleRequest?.value ?? [])),
    ...module.dynamicImports.map((one) => quoted(one.moduleRequest)),
  ]
}

/** `#ui/button.tsx` is the package's own name for `src/ui/button.tsx`. */
function leadsTo(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return slashes(join(dirname(file), specifier))
  if (specifier.startsWith('#')) return `${file.split('/').slice(0, 2).join('/')}/src/${specifier.slice(1)}`
  const ours = /^@touchstone\/([a-z0-9-]+)(?:\/|$)/.exec(specifier)
  return ours === null ? undefined : `packages/${ours[1]}`
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : sourcesBelow(path)
    return SOURCE.has(extname(entry.name)) && !entry.name.endsWith('.d.ts') ? [path] : []
  })
}

const NOT_OURS = new Set(['node_modules', 'dist', '.git', '.venv', '.cache', 'test-results', 'coverage'])
const SOURCE = new Set(['.ts', '.tsx', '.mts', '.cts'])
const slashes = (path: string) => path.split(sep).join('/')
