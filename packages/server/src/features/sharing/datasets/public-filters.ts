import {
  EXAMPLE_FILTERS,
  type FilterSurface,
  PROJECT_FILTERS,
  PUBLIC_FILTER_LIMITS,
  parseFilter,
} from '@touchstone/contract'

type Text = string | null | undefined

/**
 * Refuses run filters that are larger than a reader without a key may ask.
 *
 * @throws FilterError
 */
export function checkRunFilters(...texts: readonly Text[]): void {
  check(undefined, texts)
}

/** The same for filters of examples. */
export function checkExampleFilter(text: Text): void {
  check(EXAMPLE_FILTERS, [text])
}

/** The same for filters of experiments. */
export function checkProjectFilter(text: Text): void {
  check(PROJECT_FILTERS, [text])
}

function check(surface: FilterSurface | undefined, texts: readonly Text[]): void {
  for (const text of texts) parseFilter(text ?? '', surface, PUBLIC_FILTER_LIMITS)
}
