import { useRouter } from '@tanstack/react-router'
import type { Run } from '@touchstone/contract'
import { Columns3, Filter } from 'lucide-react'
import { useCallback } from 'react'
import type { PickedValue, ValueAction } from '#domain/json-view/value-actions.ts'
import { filterOfValue } from '#lib/json/path-filter.ts'
import { DEFAULT_COLUMNS, jsonColumn } from '#lib/runs/column-ids.ts'
import { addCondition, type ListSearch, useListLink } from './use-list-address.ts'

/** What of a run a list can show in columns. */
const COLUMN_TOPS = new Set(['inputs', 'outputs', 'extra'])

/** Actions on a value of a run that lead to the list of its project: the runs that have it too, or a column of it. */
export function useValueActions(run: Run) {
  const router = useRouter()
  const addressOf = useListLink(run)
  return useCallback(
    ({ path, kind, preview, text }: PickedValue): ValueAction[] => {
      const goTo = (change: (kept: ListSearch) => ListSearch) => void router.navigate(addressOf(change))
      const actions: ValueAction[] = []
      if (filterOfValue(path, kind, preview)) {
        const act = async () => {
          const filter = filterOfValue(path, kind, await text())
          if (filter) goTo(addCondition(filter))
        }
        actions.push({ label: 'Filter runs by this value', icon: Filter, act })
      }
      if (path.length > 1 && COLUMN_TOPS.has(String(path[0]))) {
        const column = jsonColumn(path)
        const act = () => goTo((kept) => ({ cols: withColumn(kept.cols, column) }))
        actions.push({ label: 'Pin as column', icon: Columns3, act })
      }
      return actions
    },
    [router, addressOf],
  )
}

function withColumn(cols: string | undefined, column: string): string {
  const shown = cols?.split(',') ?? DEFAULT_COLUMNS
  return [...shown.filter((id) => id !== column), column].join(',')
}
