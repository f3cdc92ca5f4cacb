import { ApiError, contract, type EvaluatorListQuery, parseUuid } from '@touchstone/contract'
import { splitMembers } from '@touchstone/formats/cut-json'
import { type App, type Caller, RawJson, serve } from '../../../http/serve.ts'
import { readMetadataQuery } from '../../../storage/relational/filter.ts'
import type { RuleServices } from '../actions/index.ts'
import { hasResourceFilter, selectAttachments } from './attachments.ts'
import { deleteEvaluator, updateEvaluator } from './change-evaluators.ts'
import { findEvaluatorIds } from './find-evaluators.ts'
import { presentEvaluators } from './present.ts'
import { createRecord, evaluatorNotFound } from './records.ts'
import { readEvaluatorSpend } from './spend.ts'

/** Evaluators as the public clients know them: those that the server runs, and records of those that it does not run. */
export function onlineEvaluatorRoutes(app: App, deps: RuleServices): void {
  const { evaluators } = contract

  const present = async ({ tenantId }: Caller, id: string): Promise<string> => {
    const [shown] = await presentEvaluators(deps, tenantId, [id])
    if (shown === undefined) throw evaluatorNotFound()
    return shown
  }

  serve(app, evaluators.list, async ({ caller, query }) => {
    const { texts, total } = await listEvaluators(deps, caller.tenantId, query)
    return new RawJson(`{"evaluators":[${texts.join(',')}],"total":${total}}`)
  })

  serve(app, evaluators.create, async ({ caller, body, bodyText }) => {
    const row = await createRecord(deps, caller, body, splitMembers(bodyText).get('metadata'))
    return new RawJson(`{"evaluator":${await present(caller, row.id)}}`)
  })

  serve(app, evaluators.spend, ({ caller, query }) => readEvaluatorSpend(deps, caller.tenantId, query))

  serve(app, evaluators.read, async ({ caller, params }) => new RawJson(await present(caller, params.evaluator_id)))

  serve(app, evaluators.update, async ({ caller, params, body, bodyText }) => {
    const { evaluator_id: id } = params
    await updateEvaluator(deps, caller, id, body, splitMembers(bodyText).get('metadata'))
    return new RawJson(`{"evaluator":${await present(caller, id)}}`)
  })

  serve(app, evaluators.delete, ({ caller, params, query }) =>
    deleteEvaluator(deps, caller.tenantId, params.evaluator_id, query.delete_run_rules ?? false),
  )

  serve(app, evaluators.deleteMany, async ({ caller, query }) => {
    const ids = [...new Set(query.evaluator_ids)]
    const succeeded: string[] = []
    const failed: { id: string; error: string }[] = []
    for (const given of ids) {
      const error = await tryDelete(deps, caller, given, query.delete_run_rules ?? false)
      if (error === undefined) succeeded.push(given)
      else failed.push({ id: given, error })
    }
    return { succeeded, failed }
  })
}

/** @returns why it was not deleted */
async function tryDelete(
  deps: RuleServices,
  { tenantId }: Caller,
  given: string,
  deletesRules: boolean,
): Promise<string | undefined> {
  const id = parseUuid(given)
  if (id === undefined) return evaluatorNotFound().message
  try {
    await deleteEvaluator(deps, tenantId, id, deletesRules)
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
}

/**
 * A page of evaluators and their total number. With a filter on resources, only rules on these are shown.
 *
 * @throws ApiError INVALID_REQUEST on metadata that is not a JSON object
 */
async function listEvaluators(
  deps: RuleServices,
  tenantId: string,
  query: EvaluatorListQuery,
): Promise<{ readonly texts: string[]; readonly total: number }> {
  const metadata = query.metadata === undefined ? undefined : readMetadataQuery(query.metadata)
  const attachments = await selectAttachments(deps, tenantId, query)
  const ids = hasResourceFilter(query) ? attachments.flatMap(({ evaluatorIds }) => evaluatorIds) : undefined
  const { type, name_contains, feedback_key } = query
  const filter = { type, name_contains, feedback_key, metadata, ids: ids && [...new Set(ids)] }
  const found = await findEvaluatorIds(deps.relational.db, tenantId, filter, query)
  return { texts: await presentEvaluators(deps, tenantId, found.ids, attachments), total: found.total }
}
