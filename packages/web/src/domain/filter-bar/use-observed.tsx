import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import type { ObservedValue, observedValuesQuery, ValueAsk } from '#data/filter-values.ts'
import type { Filters } from '#lib/filter/chips.ts'

/**
 * Where observed values come from.
 *
 * @param filters  those that hold beside what is being written
 */
export type Suggest = (ask: ValueAsk, filters: Filters) => ReturnType<typeof observedValuesQuery>

/** Observed values for what is being written; what was there stays until the answer is. */
export function useSuggestions(suggest: Suggest, ask: ValueAsk, filters: Filters, isWanted: boolean): ObservedValue[] {
  const late = useDeferredValue(ask)
  const options = suggest(late, filters)
  const { data } = useQuery({
    ...options,
    enabled: isWanted && options.enabled !== false,
    placeholderData: keepPreviousData,
  })
  return isWanted && options.enabled !== false ? (data ?? []) : []
}
