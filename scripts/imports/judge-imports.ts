import type { Import } from './find-imports.ts'
import type { Debt, House, Part } from './house.ts'

/** What the house's table says about imports: a sentence for each that it does not allow, and for each idle debt. */
export function judgeImports(imports: readonly Import[], house: House): string[] {
  const isOf = (debt: Debt, one: Import) => debt.file === one.file && debt.imports === one.specifier
  const isDebt = (one: Import) => house.debts.some((debt) => isOf(debt, one))
  const against = imports.flatMap((one) => {
    const reason = objection(one, house)
    return reason === undefined ? [] : [{ one, reason }]
  })
  const paid = house.debts.filter((debt) => !against.some(({ one }) => isOf(debt, one)))
  return [
    ...against.filter(({ one }) => !isDebt(one)).map(({ one, reason }) => `${one.file}: "${one.specifier}" ${reason}`),
    ...paid.map((debt) => `${debt.file}: the debt "${debt.imports}" is paid; strike it from the table`),
  ]
}

function objection({ file, target }: Import, house: House): string | undefined {
  if (target === undefined) return undefined
  const isInside = packageOf(file) === packageOf(target)
  // A test may look into any room of its own package: it stands beside what it tests and brings its own world.
  if (isInside && isTest(file)) return undefined
  const from = partOf(file, house, isInside)
  const to = partOf(target, house, isInside)
  if (from === undefined || to === undefined || from === to) return sideways(file, target)
  if (from.assembles && isInside) return undefined
  if (!house.edges.some(([a, b]) => covers(a, from) && covers(b, to))) {
    return `crosses from ${from.folder} to ${to.folder}, an edge that the table does not have`
  }
  if (isInside && to.door !== undefined && target !== to.door) return `passes by the front door ${to.door}`
  return undefined
}

/** Pages of the UI share nothing with each other but what lies below them. */
function sideways(file: string, target: string): string | undefined {
  const routes = 'packages/web/src/routes/'
  if (!file.startsWith(routes) || !target.startsWith(routes)) return undefined
  const folder = target.slice(0, target.lastIndexOf('/') + 1)
  return file.startsWith(folder) ? undefined : 'goes sideways to another route'
}

/** Between packages, a whole package is one part; inside one, its parts count. */
function partOf(path: string, house: House, isInside: boolean): Part | undefined {
  const holds = (part: Part) => path === part.folder || path.startsWith(`${part.folder}/`)
  const holding = house.parts.filter(holds).sort((a, b) => a.folder.length - b.folder.length)
  return isInside ? holding.at(-1) : holding[0]
}

function covers(pattern: string, part: Part): boolean {
  if (!pattern.endsWith('/*')) return pattern === part.folder
  const below = pattern.slice(0, -1)
  return part.folder.startsWith(below) && !part.folder.slice(below.length).includes('/')
}

const packageOf = (path: string) =>
  path.startsWith('packages/') ? path.split('/').slice(0, 2).join('/') : path.split('/')[0]
const isTest = (file: string) => /\.test\.tsx?$/.test(file) || /\/test\//.test(file)
