import type { DashboardChart } from '@touchstone/contract'
import { isSameJson } from '#lib/changes.ts'

/** A chart that was changed here and elsewhere. */
export interface ChartConflict {
  readonly id: string
  /** Undefined: removed here. */
  readonly mine: DashboardChart | undefined
  /** Undefined: removed elsewhere. */
  readonly theirs: DashboardChart | undefined
}

type Charts = readonly DashboardChart[]

/**
 * Puts two changes of one dashboard together, chart by chart: a chart that only one side has changed, added or removed is as
 * that side has it. When both have moved charts, the order is
 * that of the preferred side.
 *
 * @param base  the charts that both changes are based on
 * @param prefer  whose version of a conflict is in the result
 */
export function mergeCharts(
  { base, mine, theirs }: { readonly base: Charts; readonly mine: Charts; readonly theirs: Charts },
  prefer: 'mine' | 'theirs',
): { charts: DashboardChart[]; conflicts: ChartConflict[] } {
  const conflicts: ChartConflict[] = []
  const chosen = new Map<string, DashboardChart>()
  for (const id of new Set([...mine, ...theirs, ...base].map((chart) => chart.id))) {
    const [before, here, there] = [base, mine, theirs].map((charts) => charts.find((chart) => chart.id === id))
    const isMet = !isSameChart(here, before) && !isSameChart(there, before) && !isSameChart(here, there)
    if (isMet) conflicts.push({ id, mine: here, theirs: there })
    const isMine = isMet ? prefer === 'mine' : !isSameChart(here, before)
    const chart = isMine ? here : there
    if (chart !== undefined) chosen.set(id, chart)
  }
  const [isMovedHere, isMovedThere] = [isReordered(base, mine), isReordered(base, theirs)]
  const isTheirOrder = prefer === 'theirs' ? isMovedThere || !isMovedHere : isMovedThere && !isMovedHere
  const [first, second] = isTheirOrder ? [theirs, mine] : [mine, theirs]
  const ids = new Set([...first, ...second].map(({ id }) => id))
  return { charts: [...ids].flatMap((id) => chosen.get(id) ?? []), conflicts }
}

/** The server may return the fields of a chart in another order, and leave out those without a value. */
const isSameChart = (one: DashboardChart | undefined, other: DashboardChart | undefined) =>
  JSON.stringify(one, sortFields) === JSON.stringify(other, sortFields)

function sortFields(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const fields = Object.entries(value).filter(([, field]) => field != null)
  return Object.fromEntries(fields.sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Whether charts that both lists have are in another order. */
function isReordered(before: Charts, after: Charts): boolean {
  const idsIn = (list: Charts, other: Charts) =>
    list.map(({ id }) => id).filter((id) => other.some((chart) => chart.id === id))
  return !isSameJson(idsIn(before, after), idsIn(after, before))
}
