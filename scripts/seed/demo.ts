import { randomUUID } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import { answerFromDocs } from './answer-from-docs.ts'
import { buildTrace, type SeededRun, type Step } from './build-trace.ts'
import { chanceFrom } from './random.ts'
import { researchAgent } from './research-agent.ts'
import { reviewContracts } from './review-contracts.ts'
import { supportConversation } from './support-agent.ts'

const HOUR = 3_600_000

export interface DemoOptions {
  /** Time of the newest trace, milliseconds since 1970. @default now */
  readonly nowMs?: number
  /** Age of the oldest trace in hours, at most. @default 23 */
  readonly hours?: number
  /** @default 60 */
  readonly questions?: number
  /** @default 12 */
  readonly conversations?: number
  /** Contracts of the one large trace; each has four to six runs. @default 120 */
  readonly contracts?: number
}

/**
 * Fills a server with a day of an invented team's traces: a retrieval chain, an agent with tools and threads, a
 * research agent with sub-agents, a large batch job, streaming, errors, a run that is still going.
 *
 * @param url  of the server, without `/api/v1`
 * @returns number of runs sent
 */
export async function seedDemo(url: string, options: DemoOptions = {}): Promise<number> {
  const runs = inventDemo(options)
  for (let at = 0; at < runs.length; at += 500) await send(url, runs.slice(at, at + 500))
  return runs.length
}

function inventDemo({
  nowMs = Date.now(),
  hours: span = 23,
  questions = 60,
  conversations = 12,
  contracts = 120,
}: DemoOptions): SeededRun[] {
  const chance = chanceFrom(4711)
  const ago = () => nowMs - chance.between(0.1, span) * HOUR
  const docs = (step: Step, startMs = ago()) => buildTrace(step, { startMs, project: 'docs-assistant' })

  const asked = Array.from({ length: questions }, () => docs(answerFromDocs(chance)))
  const talked = Array.from({ length: conversations }, () => {
    const [startMs, thread] = [ago(), `conversation-${randomUUID().slice(0, 8)}`]
    return supportConversation(chance).map((turn, at) =>
      buildTrace(turn, { startMs: startMs + at * 95_000, project: 'support-agent', thread }),
    )
  })
  const researched = [2, 7, 15].map((hours) =>
    buildTrace(researchAgent(chance), { startMs: nowMs - hours * HOUR, project: 'research-agent' }),
  )
  const reviewed = buildTrace(reviewContracts(chance, contracts), {
    startMs: nowMs - 3 * HOUR,
    project: 'contract-review',
  })
  const running = docs(
    { name: 'answer_from_docs', run_type: 'chain', inputs: { question: 'Still thinking?' }, ms: 0, pending: true },
    nowMs,
  )
  return [...asked.flat(), ...talked.flat(2), ...researched.flat(), ...reviewed, ...running]
}

export async function send(
  url: string,
  post: readonly object[],
  key = process.env.TOUCHSTONE_API_KEY ?? '',
): Promise<void> {
  const answer = await fetch(`${url}/api/v1/runs/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ post }),
  })
  if (!answer.ok) throw new Error(`The server answered ${answer.status}: ${await answer.text()}`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const url = (process.argv[2] ?? 'http://localhost:3000').replace(/\/+$/, '')
  console.log(`${await seedDemo(url)} runs sent to ${url}`)
}
