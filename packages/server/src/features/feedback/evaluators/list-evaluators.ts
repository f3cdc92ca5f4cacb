import type { EvaluatorListQuery } from '@touchstone/contract'
import { readMetadataQuery } from '../../../storage/relational/metadata-query.ts'
import type { EvaluatorRow } from '../../../storage/relational/tables/feedback.ts'
import type { EvaluatorDeps } from './save-evaluator.ts'
import { selectEvaluators } from './store.ts'

/**
 * A page of evaluators, and how many there are.
 *
 * @throws ApiError INVALID_REQUEST on metadata that is not a JSON object
 */
export async function listEvaluators(
  { relational }: Pick<EvaluatorDeps, 'relational'>,
  tenantId: string,
  query: EvaluatorListQuery,
): Promise<{ readonly rows: EvaluatorRow[]; readonly total: number }> {
  const metadata = query.metadata === undefined ? undefined : readMetadataQuery(query.metadata)
  // No rule runs an evaluator yet, so none belongs to an agent or a resource, has a known key, or is tagged.
  const { agent_id, feedback_key, resource_id, tag_value_id } = query
  if (agent_id || feedback_key || resource_id?.length || tag_value_id?.length) return { rows: [], total: 0 }
  return selectEvaluators(relational.db, tenantId, { ...query, metadata }, query)
}
