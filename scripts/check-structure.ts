import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './steps/root.mjs'
import { measurePackage, type PackageFigures } from './structure/measure-package.ts'

interface Limits {
  readonly filesPer1000Lines: number
  readonly functionP95: number
  readonly functionMax: number
}

/**
 * The figures of today, rounded up. They only go down, and none is above 10 files per 1,000 lines (except the small CLI)
 * or above 120 lines per function.
 */
const LIMITS: Readonly<Record<string, Limits>> = {
  contract: { filesPer1000Lines: 10, functionP95: 60, functionMax: 120 },
  sdk: { filesPer1000Lines: 9.2, functionP95: 60, functionMax: 120 },
  server: { filesPer1000Lines: 9, functionP95: 60, functionMax: 120 },
  web: { filesPer1000Lines: 9.4, functionP95: 60, functionMax: 120 },
  cli: { filesPer1000Lines: 11.4, functionP95: 60, functionMax: 120 },
}

/** All packages together. Lower it whenever the count has fallen; it never rises. */
const MAX_NON_NULL_ASSERTIONS = 120

/** Measures the packages; prints a row for each, and a sentence for every limit that is exceeded. */
export function checkStructure(): { figures: ReadonlyMap<string, PackageFigures>; problems: string[] } {
  const figures = new Map(Object.keys(LIMITS).map((name) => [name, measurePackage(listSources(name))]))
  const problems = [...figures].flatMap(([name, measured]) => findExcess(name, measured))
  const assertions = [...figures.values()].reduce((sum, { nonNullAssertions }) => sum + nonNullAssertions, 0)
  if (assertions > MAX_NON_NULL_ASSERTIONS) {
    problems.push(
      `${assertions} non-null assertions (!), at most ${MAX_NON_NULL_ASSERTIONS} are allowed; check the value`,
    )
  }
  return { figures, problems }
}

function findExcess(name: string, measured: PackageFigures): string[] {
  const limits = LIMITS[name]
  if (limits === undefined) return []
  return (['filesPer1000Lines', 'functionP95', 'functionMax'] as const)
    .filter((figure) => measured[figure] > limits[figure])
    .map((figure) => {
      const where = figure === 'functionMax' ? `, in ${relative(root, measured.longestFunction)}` : ''
      return `packages/${name}: ${figure} is ${measured[figure]}, at most ${limits[figure]} is allowed${where}`
    })
}

function listSources(name: string): string[] {
  const folder = join(root, 'packages', name, 'src')
  return (
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path) && !NOT_SOURCE.test(path))
      // In the SDK, `testing` is what users import into their tests.
      .filter((path) => name === 'sdk' || !TEST_SUPPORT.test(path))
      .map((path) => join(folder, path))
  )
}

const NOT_SOURCE = /\.test(-d)?\.tsx?$|\.gen\.tsx?$|\.d\.ts$/
const TEST_SUPPORT = /(^|\/)testing\//

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { figures, problems } = checkStructure()
  console.table(
    Object.fromEntries([...figures].map(([name, { longestFunction: _, ...rest }]) => [`packages/${name}`, rest])),
  )
  for (const problem of problems) console.error(problem)
  console.log(`structure: ${problems.length} problems`)
  process.exit(problems.length === 0 ? 0 : 1)
}
