import type { FeedbackConfig } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type ConfigDeps, configsOf, noteConfigs } from './configs.ts'
import type { FeedbackChanges, NewFeedback } from './feedback-row.ts'
import { type GivenFeedback, normalizeFeedback } from './normalize-feedback.ts'

export type PrepareDeps = ConfigDeps & Pick<Deps, 'ids'>

/**
 * Rows of feedback as given. A config that came along becomes that of its key when the key has none, and categorical
 * feedback gets the half that is missing: the label of its score, or the score of its label.
 *
 * @throws ApiError INVALID_REQUEST when a field is too large
 */
export async function prepareFeedback(
  deps: PrepareDeps,
  tenantId: string,
  given: readonly GivenFeedback[],
): Promise<NewFeedback[]> {
  const rows = given.map((one) => normalizeFeedback(one, deps.ids))
  const noted = new Map<string, FeedbackConfig>()
  for (const { body } of given) {
    const config = body.feedback_config ?? body.feedbackConfig
    if (config != null && !noted.has(body.key)) noted.set(body.key, config)
  }
  if (noted.size > 0) await noteConfigs(deps, tenantId, noted)
  const halves = rows.filter(isHalf).map((row) => row.key)
  const configs = await configsOf(deps, tenantId, halves)
  return rows.map((row) => ({ ...row, ...otherHalf(row, configs.get(row.key)) }))
}

/** What an update of a record of that key changes, with the half that it leaves out; a half that it clears stays cleared. */
export async function completeChanges(
  deps: Pick<Deps, 'relational'>,
  tenantId: string,
  key: string,
  changes: FeedbackChanges,
): Promise<FeedbackChanges> {
  const half = { score: changes.score ?? null, value: changes.value ?? '', label: changes.label ?? '' }
  const isClearing = changes.score === null || changes.value === ''
  if (isClearing || !isHalf(half)) return changes
  const config = (await configsOf(deps, tenantId, [key])).get(key)
  return { ...changes, ...otherHalf(half, config) }
}

type Judged = Pick<NewFeedback, 'score' | 'value' | 'label'>

/** Whether it has a score and no value, or a label and no score. */
function isHalf({ score, value, label }: Judged): boolean {
  return score === null ? label !== '' : value === ''
}

function otherHalf(row: Judged, config: FeedbackConfig | undefined): Partial<Judged> {
  if (config?.type !== 'categorical' || !isHalf(row)) return {}
  if (row.score === null) {
    const category = config.categories?.find(({ label }) => label === row.label)
    return category === undefined ? {} : { score: category.value }
  }
  const label = config.categories?.find(({ value }) => value === row.score)?.label
  return label == null ? {} : { value: JSON.stringify(label), label }
}
