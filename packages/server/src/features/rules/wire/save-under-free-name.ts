import { ApiError, type EvaluatorDefinition } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/serve.ts'
import { createSavedEvaluator } from '../../evaluators/index.ts'

const MAX_TRIES = 100

/** Saves an evaluator under a name, or this name with a number. @throws ApiError when the workspace has as many as it may have */
export async function saveUnderFreeName(
  deps: Pick<Deps, 'relational' | 'clock' | 'ids'>,
  caller: Caller,
  name: string,
  definition: EvaluatorDefinition,
): Promise<string> {
  for (let number = 1; ; number++) {
    const free = number === 1 ? name : `${name.slice(0, 190)} (${number})`
    try {
      return (await createSavedEvaluator(deps, caller, { name: free, definition })).id
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'CONFLICT') || number === MAX_TRIES) throw error
    }
  }
}
