import { Client } from '@touchstone/sdk'
import type { SeededEvaluations } from '../seed/evaluations.ts'
import type { SeededPeople } from '../seed/people.ts'

/** Ids and tokens that the paths of the screens contain. */
export interface DemoIds extends SeededPeople, SeededEvaluations {
  readonly tenant: string
  readonly docs: string
  readonly support: string
  readonly research: string
  /** Roots: a report with sub-agents, an answer, a failed run, an earlier report. */
  readonly report: string
  readonly answer: string
  readonly failure: string
  readonly earlierReport: string
  /** A retriever run of an answer, and a model run of the report. */
  readonly retriever: string
  readonly model: string
  readonly thread: string
}

export async function findDemoIds(url: string, reviewed: SeededPeople & SeededEvaluations): Promise<DemoIds> {
  const client = new Client({ apiUrl: url, apiKey: reviewed.key })
  const findProject = async (projectName: string) => (await client.readProject({ projectName })).id
  const first = async (query: object) => {
    const { value } = await client.listRuns({ limit: 1, ...query }).next()
    if (!value) throw new Error(`The demo has no run of ${JSON.stringify(query)}`)
    return value
  }
  const reports = []
  for await (const run of client.listRuns({ projectName: 'research-agent', isRoot: true, limit: 2 })) reports.push(run)
  const turn = await first({ projectName: 'support-agent', isRoot: true, error: false })
  return {
    ...reviewed,
    tenant: (await client.getSettings()).id,
    docs: await findProject('docs-assistant'),
    support: await findProject('support-agent'),
    research: await findProject('research-agent'),
    report: reports[0]!.id,
    earlierReport: reports[1]!.id,
    answer: (
      await first({ projectName: 'docs-assistant', isRoot: true, error: false, filter: 'eq(feedback_key, "helpful")' })
    ).id,
    failure: (await first({ projectName: 'docs-assistant', isRoot: true, error: true })).id,
    retriever: (await first({ projectName: 'docs-assistant', runType: 'retriever', error: false })).id,
    model: (await first({ projectName: 'research-agent', runType: 'llm' })).id,
    thread: String(turn.extra?.metadata?.thread_id),
  }
}
