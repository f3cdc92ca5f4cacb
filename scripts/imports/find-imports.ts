import { readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, join, relative, sep } from 'node:path'
import { parseSync } from 'rolldown/utils'

/** One import of a file; paths are from the repository's root, with forward slashes. */
export interface Import {
  readonly file: string
  /** As written, e.g. `../runs/index.ts` or `@touchstone/contract`. */
  readonly specifier: string
  /** The imported file or package folder; `undefined` for a package from outside or of Node. */
  readonly target: string | undefined
  /** Whether types alone are imported, so that nothing is loaded when the program runs. */
  readonly isType: boolean
  readonly isDynamic: boolean
}

/** Returns every import and re-export of the TypeScript files below a folder, static or dynamic. */
export function findImports(folder: string): Import[] {
  return listSources(folder).flatMap((path) => {
    const file = toSlashes(relative(folder, path))
    return parseImports(path).map((one) => ({ ...one, file, target: resolveImport(file, one.specifier) }))
  })
}

function parseImports(path: string): Omit<Import, 'file' | 'target'>[] {
  const text = readFileSync(path, 'utf8')
  const { module } = parseSync(path, text)
  return [
    ...module.staticImports.map(({ moduleRequest, entries }) => ({
      specifier: moduleRequest.value,
      isType: entries.length > 0 && entries.every((entry) => entry.isType),
      isDynamic: false,
    })),
    ...module.staticExports.flatMap(({ entries }) => {
      const specifiers = new Set(entries.flatMap((entry) => entry.moduleRequest?.value ?? []))
      return [...specifiers].map((specifier) => ({
        specifier,
        isType: entries.every((entry) => entry.moduleRequest?.value !== specifier || entry.isType),
        isDynamic: false,
      }))
    }),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => ({
      specifier: text.slice(start + 1, end - 1),
      isType: false,
      isDynamic: true,
    })),
  ]
}

/** `#ui/button.tsx` is the package's own alias of `src/ui/button.tsx`. */
function resolveImport(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return toSlashes(join(dirname(file), specifier))
  if (specifier.startsWith('#')) return `${file.split('/').slice(0, 2).join('/')}/src/${specifier.slice(1)}`
  const ours = /^@touchstone\/([a-z0-9-]+)(?:\/|$)/.exec(specifier)
  return ours === null ? undefined : `packages/${ours[1]}`
}

function listSources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return IGNORED_FOLDERS.has(entry.name) ? [] : listSources(path)
    return SOURCE_EXTENSIONS.has(extname(entry.name)) && !entry.name.endsWith('.d.ts') ? [path] : []
  })
}

const IGNORED_FOLDERS = new Set(['node_modules', 'dist', '.git', '.venv', '.cache', 'test-results', 'coverage'])
const SOURCE_EXTENSIONS = new Set(['.ts', '.tsx', '.mts', '.cts'])
const toSlashes = (path: string) => path.split(sep).join('/')
