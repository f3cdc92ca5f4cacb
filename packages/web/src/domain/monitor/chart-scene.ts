import type { RunGrouping } from '@touchstone/contract'
import { createContext, use } from 'react'
import type { Window } from '#data/monitor.ts'
import type { Filters } from '#lib/filter/chips.ts'

/** What all charts of a page have in common. */
export interface ChartContextValue {
  tenant: string
  projectId: string
  /** Of the page; a chart adds its own. */
  filters: Filters
  window: Window
  /** For charts that have no grouping of their own. */
  group: RunGrouping | undefined
  /** Whether the period before is drawn. */
  isCompared: boolean
  /** Keys whose means are read in one question for all charts. */
  feedbackKeys: readonly string[]
  theme: string
  onZoom: (from: number, to: number) => void
}

export const ChartContext = createContext<ChartContextValue | undefined>(undefined)

export function useChartContext(): ChartContextValue {
  const scene = use(ChartContext)
  if (!scene) throw new Error('A chart was drawn outside of a monitor.')
  return scene
}
