import { ApiError, type FeedbackConfig, type FeedbackConfigUpdate, MAX_CATEGORIES } from '@touchstone/contract'

type CategoryChanges = Pick<FeedbackConfigUpdate, 'add_categories' | 'remove_categories'>
type Category = NonNullable<FeedbackConfig['categories']>[number]

/** Categories that a removal must leave: with one, there is nothing to choose. */
const FEWEST = 2

/**
 * The config without the categories of the removed values, then with the added ones at the end.
 *
 * @throws ApiError UNPROCESSABLE when it is not categorical, when a value or label would be there twice, or when a removal
 *   leaves fewer than two categories
 */
export function changeCategories(config: FeedbackConfig, changes: CategoryChanges): FeedbackConfig {
  const { add_categories: added, remove_categories: removed } = changes
  if (added == null && removed == null) return config
  if (config.type !== 'categorical') {
    throw new ApiError('UNPROCESSABLE', `The feedback config is ${config.type}; only a categorical one has categories.`)
  }
  const kept = (config.categories ?? []).filter(({ value }) => !removed?.includes(value))
  const categories = [...kept, ...(added ?? [])]
  if (removed != null && categories.length < FEWEST) {
    throw new ApiError('UNPROCESSABLE', `At least ${FEWEST} categories must be left.`)
  }
  if (categories.length > MAX_CATEGORIES) {
    throw new ApiError('UNPROCESSABLE', `A feedback config has at most ${MAX_CATEGORIES} categories.`)
  }
  assertDistinct(kept, added ?? [])
  return { ...config, categories }
}

function assertDistinct(kept: readonly Category[], added: readonly Category[]): void {
  const values = new Set(kept.map(({ value }) => value))
  const labels = new Set(kept.map(({ label }) => label))
  for (const { value, label } of added) {
    if (values.has(value)) throw new ApiError('UNPROCESSABLE', `A category with the value ${value} exists already.`)
    if (label != null && labels.has(label)) {
      throw new ApiError('UNPROCESSABLE', `A category with the label "${label}" exists already.`)
    }
    values.add(value)
    labels.add(label)
  }
}
