import { ApiError, ExampleCreate, type RuleAction } from '@touchstone/contract'
import { addItems } from '../../annotation-queues/index.ts'
import { createExamples, findExamples } from '../../datasets/examples/index.ts'
import { toStableId } from '../../model-jobs/index.ts'
import { type Act, done, failed } from './action.ts'

/** Adds an example with the inputs and outputs of the run. An example that the rule has added is not added again. */
export const addToDataset: Act<Extract<RuleAction, { kind: 'add_to_dataset' }>> = async (deps, claim, action) => {
  const id = toStableId('rule-example', claim.rule_id, action.dataset_id, claim.run_id)
  const { found } = await findExamples(deps, claim.tenant_id, { id: [id], limit: 1 })
  if (found.length > 0) return done(id)
  const body = {
    id,
    dataset_id: action.dataset_id,
    source_run_id: claim.run_id,
    use_source_run_io: true,
    ...(action.split != null && { split: action.split }),
  }
  try {
    await createExamples(deps, claim.tenant_id, [{ body: ExampleCreate.parse(body), text: JSON.stringify(body) }])
    return done(id)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const isGone = (error.problems ?? []).some(({ loc }) => loc.at(-1) === 'dataset_id')
    if (isGone) return missing('The dataset was deleted. Choose another one.')
    return failed(error.message)
  }
}

/** Adds the run to a queue; a run that is in it stays where it is. */
export const addToQueue: Act<Extract<RuleAction, { kind: 'add_to_queue' }>> = async (deps, claim, { queue_id }) => {
  try {
    await addItems(deps, claim.tenant_id, queue_id, [{ runId: claim.run_id }])
    return done(queue_id)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error
    return /queue/i.test(error.message) ? missing('The queue was deleted. Choose another one.') : failed(error.message)
  }
}

const missing = (message: string) => failed(message, { block: { reason: 'target_missing', message } })
