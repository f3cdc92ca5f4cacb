import type { EvaluatorDefinition } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/serve.ts'
import type { EvaluatorRow } from '../../../storage/relational/tables/feedback.ts'
import { selectNewestVersions } from '../../evaluators/index.ts'
import { toJudge } from '../wire/judges.ts'
import { unprocessable } from '../wire/problems.ts'
import { toProgram } from '../wire/programs.ts'
import { saveUnderFreeName } from '../wire/save-under-free-name.ts'
import { releaseDefinition, selectRecord } from './records.ts'

type RunnableDeps = Pick<Deps, 'relational' | 'clock' | 'ids'>

/**
 * Makes a saved evaluator of a record, under the same id, when a rule is to run it. From then on name and definition are those of
 * the saved evaluator.
 *
 * @throws ApiError UNPROCESSABLE when the server cannot run it, or there is none
 */
export async function makeRunnable(deps: RunnableDeps, caller: Caller, id: string): Promise<void> {
  const { db } = deps.relational
  if ((await selectNewestVersions(db, caller.tenantId, [id])).has(id)) return
  const record = await selectRecord(db, caller.tenantId, id)
  if (record === undefined) throw unprocessable(['evaluator_id'], 'Evaluator not found')
  const definition = await toDefinition(deps, caller, record)
  await saveUnderFreeName({ ...deps, ids: () => id }, caller, record.name.slice(0, 200), definition)
  await releaseDefinition(db, record)
}

function toDefinition(
  deps: RunnableDeps,
  caller: Caller,
  { name, code_evaluator: code, llm_evaluator: llm }: EvaluatorRow,
): Promise<EvaluatorDefinition> | EvaluatorDefinition {
  const path = ['evaluator_id']
  if (code != null) {
    const language = code.language?.toLowerCase() === 'javascript' ? 'javascript' : 'python'
    return toProgram({ code: code.code ?? '', language }, path)
  }
  if (!llm?.prompt_repo_handle) {
    throw unprocessable(path, `The evaluator "${name}" names no prompt of this workspace, so the server cannot run it.`)
  }
  const structured = {
    hub_ref: `${llm.prompt_repo_handle}:${llm.commit_hash_or_tag ?? ''}`,
    variable_mapping: (llm.variable_mapping ?? {}) as Record<string, string>,
  }
  return toJudge(deps, caller, structured, path)
}
