import type { Import } from './find-imports.ts'
import type { ImportRules, Layer } from './rules.ts'

/** Returns a sentence for each import that the rules forbid, and for each exception that no import needs. */
export function findViolations(imports: readonly Import[], rules: ImportRules): string[] {
  const unused = new Set(rules.exceptions)
  const sentences = imports.flatMap((one) => {
    const problem = findProblem(one, rules)
    if (problem === undefined) return []
    const exception = rules.exceptions.find(
      ({ from, to }) => contains(from, one.file) && contains(to, one.target ?? ''),
    )
    if (exception === undefined) return [`${one.file}: "${one.specifier}" ${problem}`]
    unused.delete(exception)
    return []
  })
  return [
    ...sentences,
    ...findUnlisted(imports, rules),
    ...[...unused].map(({ from, to }) => `no import from ${from} to ${to} needs its exception any more; remove it`),
  ]
}

/** Pairs of features of which the first imports the second, tests aside. */
export function listFeatureEdges(imports: readonly Import[], folder: string): string[] {
  const edges = imports.flatMap(({ file, target }) => {
    if (isTest(file) || target === undefined || !contains(folder, file) || !contains(folder, target)) return []
    const [from, to] = [file, target].map((path) => path.slice(folder.length + 1).split('/')[0])
    return from === to ? [] : [`${from} → ${to}`]
  })
  return [...new Set(edges)].sort()
}

function findProblem({ file, target }: Import, rules: ImportRules): string | undefined {
  if (target === undefined) return undefined
  const [from, to] = [findPackage(file, rules), findPackage(target, rules)]
  if (from !== to) {
    if (from === undefined || to === undefined || rules.packages[from]?.includes(to)) return undefined
    return `goes from ${from} to ${to}; ${from} may import ${rules.packages[from]?.join(', ') || 'no other package'}`
  }
  // A test may import any module of its own package.
  if (isTest(file)) return undefined
  return findUpward(file, target, rules) ?? findBypass(file, target, rules) ?? findSideways(file, target)
}

function findUpward(file: string, target: string, { layers }: ImportRules): string | undefined {
  for (const [folder, order] of Object.entries(layers)) {
    if (!contains(folder, file) || !contains(folder, target)) continue
    const [from, to] = [findLayer(file, folder, order), findLayer(target, folder, order)]
    if (from.path === to.path || from.level > to.level) continue
    return `goes from ${folder}/${from.path} to ${folder}/${to.path}, which is not below it`
  }
  return undefined
}

/** The longest path of a layer that contains the file; a file outside all layers is at the top. */
function findLayer(file: string, folder: string, order: readonly Layer[]): { level: number; path: string } {
  const found = order
    .flatMap((layer, level) => [layer].flat().map((path) => ({ level, path })))
    .filter(({ path }) => contains(`${folder}/${path}`, file))
    .sort((a, b) => b.path.length - a.path.length)
  return found[0] ?? { level: order.length, path: '' }
}

function findBypass(file: string, target: string, { entryPoints }: ImportRules): string | undefined {
  for (const pattern of entryPoints) {
    const module = pattern.endsWith('/*') ? findChild(pattern.slice(0, -2), target) : pattern
    if (module === undefined || !contains(module, target) || contains(module, file)) continue
    if (!target.endsWith('/index.ts')) return `bypasses the index.ts of ${module} or of its sub-folder`
  }
  return undefined
}

/** A route reads the URL and chooses a page; it shares nothing with another route. */
function findSideways(file: string, target: string): string | undefined {
  const routes = 'packages/web/src/routes'
  if (!contains(routes, file) || !contains(routes, target)) return undefined
  return 'goes to another route; pages and what they need are in features'
}

function findUnlisted(imports: readonly Import[], { complete, layers }: ImportRules): string[] {
  const children = complete.flatMap((folder) => imports.map(({ file }) => [folder, findChild(folder, file)] as const))
  const unlisted = children.flatMap(([folder, child]) => {
    if (child === undefined || layers[folder]?.flat().some((path) => `${folder}/${path}` === child)) return []
    return [`${child} is not in the order of ${folder}; add it to scripts/imports/rules.ts`]
  })
  return [...new Set(unlisted)]
}

function findChild(folder: string, file: string): string | undefined {
  if (!contains(folder, file)) return undefined
  const rest = file.slice(folder.length + 1).split('/')
  return rest.length < 2 ? undefined : `${folder}/${rest[0]}`
}

function findPackage(file: string, { packages }: ImportRules): string | undefined {
  return Object.keys(packages).find((name) => contains(name, file))
}

const contains = (folder: string, file: string) => file === folder || file.startsWith(`${folder}/`)
const isTest = (file: string) => /\.test\.tsx?$|\/testing\/|\/test\//.test(file)
