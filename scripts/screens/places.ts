import { Client } from '@touchstone/sdk'
import type { Reviewed } from '../seed/people.ts'

/** What the paths of the pictures name. */
export interface Places extends Reviewed {
  readonly tenant: string
  readonly docs: string
  readonly support: string
  readonly research: string
  /** Roots: a report with sub-agents, an answer, one that failed, another report. */
  readonly report: string
  readonly answer: string
  readonly failure: string
  readonly earlierReport: string
  /** A search for what an answer rests on, and a model call inside the report. */
  readonly retriever: string
  readonly model: string
  readonly thread: string
}

export async function findPlaces(url: string, reviewed: Reviewed): Promise<Places> {
  const client = new Client({ apiUrl: url, apiKey: reviewed.key })
  const idOf = async (projectName: string) => (await client.readProject({ projectName })).id
  const first = async (query: object) => {
    const { value } = await client.listRuns({ limit: 1, ...query }).next()
    if (!value) throw new Error(`The demo has no run of ${JSON.stringify(query)}`)
    return value
  }
  const reports = []
  for await (const run of client.listRuns({ projectName: 'research-agent', isRoot: true, limit: 2 })) reports.push(run)
  const said = await first({ projectName: 'support-agent', isRoot: true, error: false })
  return {
    ...reviewed,
    tenant: (await client.getSettings()).id,
    docs: await idOf('docs-assistant'),
    support: await idOf('support-agent'),
    research: await idOf('research-agent'),
    report: reports[0]!.id,
    earlierReport: reports[1]!.id,
    answer: (
      await first({ projectName: 'docs-assistant', isRoot: true, error: false, filter: 'eq(feedback_key, "helpful")' })
    ).id,
    failure: (await first({ projectName: 'docs-assistant', isRoot: true, error: true })).id,
    retriever: (await first({ projectName: 'docs-assistant', runType: 'retriever', error: false })).id,
    model: (await first({ projectName: 'research-agent', runType: 'llm' })).id,
    thread: String(said.extra?.metadata?.thread_id),
  }
}
