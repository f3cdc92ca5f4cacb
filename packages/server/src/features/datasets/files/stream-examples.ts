import { setImmediate } from 'node:timers/promises'
import type { Deps } from '../../../deps.ts'
import { type ExampleQuery, type ExampleRow, findExamples, loadExamples } from '../examples/index.ts'

const PAGE = 1_000

/**
 * All examples of a query, some at a time: a dataset may be larger than memory. The query names a fixed version, so that
 * the pages belong together.
 *
 * @param most  ends after so many
 */
export async function* streamExamples(
  deps: Pick<Deps, 'relational'>,
  tenantId: string,
  query: ExampleQuery & { readonly as_of: string },
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<ExampleRow[]> {
  for (let offset = 0; offset < most; offset += PAGE) {
    const limit = Math.min(PAGE, most - offset)
    await setImmediate() // the embedded store answers without a pause: others get their turn here
    const page = await findExamples(deps, tenantId, { ...query, offset, limit })
    yield* loadExamples(deps, tenantId, page)
    if (page.found.length < limit) return
  }
}
