import { Info } from 'lucide-react'
import { formatCount } from '#lib/format.ts'
import type { Comparison } from './comparison.ts'
import { MAX_EXPERIMENTS } from './logic/compare-state.ts'

export interface CompareNoticesProps {
  comparison: Comparison
  /** Number of experiments of the address beyond the limit. */
  omitted: number
}

/** What the comparison leaves out, and why. */
export function CompareNotices({ comparison, omitted }: CompareNoticesProps) {
  const { missingIds, omittedKeys, experiments } = comparison.cells
  const notices = [
    missingIds.length > 0 &&
      experiments.length > 0 &&
      `${missingIds.length === 1 ? 'One experiment' : `${missingIds.length} experiments`} of this address no longer ${missingIds.length === 1 ? 'exists' : 'exist'} in this dataset: ${missingIds.join(', ')}`,
    omitted > 0 && `A comparison has ${MAX_EXPERIMENTS} experiments at most; ${omitted} more are not shown.`,
    omittedKeys.length > 0 && describeOmitted(omittedKeys),
    describeCommon(comparison),
  ].filter((notice) => notice !== false && notice !== undefined)
  return notices.map((notice) => (
    <p
      key={notice}
      role="status"
      className="flex items-center gap-2 border-b border-border bg-sunken px-3 py-1.5 text-row text-fg-muted [overflow-wrap:anywhere]"
    >
      <Info size={13} aria-hidden className="shrink-0" />
      {notice}
    </p>
  ))
}

/** Keys that a notice names. There can be hundreds. */
const MAX_NAMES = 10

/** The server leaves keys out that would make the answer too large. */
function describeOmitted(keys: readonly string[]): string {
  const more = keys.length - MAX_NAMES
  const names = keys.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` and ${formatCount(more)} more` : '')
  const counted = keys.length === 1 ? 'One feedback key is' : `${formatCount(keys.length)} feedback keys are`
  return `${counted} not shown, because these experiments have too many keys or scores for one page: ${names}`
}

/** Experiments without a common example cannot be compared. */
function describeCommon({ cells }: Comparison): string | undefined {
  if (cells.experiments.length < 2) return undefined
  const sets = cells.experiments.map(({ runs }) => new Set(runs.example))
  const [first, ...others] = sets
  const hasCommon = [...(first ?? [])].some((example) => others.some((set) => set.has(example)))
  if (hasCommon || sets.some((set) => set.size === 0)) return undefined
  const counts = cells.experiments.map(({ name }, at) => `${name}: ${formatCount(sets[at]?.size)}`)
  return `These experiments have no example in common (${counts.join(', ')}).`
}
