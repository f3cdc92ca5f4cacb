import { writeFileSync } from 'node:fs'
import type { MemoryPlan } from '../../../config.ts'
import { openChdbToRestore } from '../chdb.ts'
import type { Analytics } from '../port.ts'
import { LinkedTables } from './linked-tables.ts'
import type { StatementFailure, StatementMessage, StatementTask } from './messages.ts'

/** The process that runs statements of users: `statement-child.ts DIRECTORY MEMORY_PLAN`. */
const [directory = '', plan = '{}'] = process.argv.slice(2)
const memory = JSON.parse(plan) as Partial<MemoryPlan>

/** When memory runs out, the system ends this process and not the server. */
function volunteer(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Other systems have no such file.
  }
}

const ENDED_FROM_OUTSIDE = { seconds: Number.POSITIVE_INFINITY, tables: [] }

let engine: Promise<{ analytics: Analytics; tables: LinkedTables }> | undefined

async function open() {
  const analytics = await openChdbToRestore(directory, hasPlan(memory) ? memory : undefined)
  return { analytics, tables: new LinkedTables(analytics) }
}

const hasPlan = (plan: Partial<MemoryPlan>): plan is MemoryPlan => plan.analyticsBytes !== undefined

async function run({ id, tables: sources, text, params, settings }: StatementTask): Promise<StatementMessage> {
  try {
    engine ??= open()
    const { analytics, tables } = await engine
    for (const source of sources) await tables.update(source)
    send({ id, started: true })
    const table = await analytics.queryTable({ text, params }, settings, ENDED_FROM_OUTSIDE)
    return { id, table }
  } catch (error) {
    return { id, failure: describe(error) }
  }
}

function describe(error: unknown): StatementFailure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { code, type } = error as { code?: unknown; type?: unknown }
  return {
    name: error.name,
    message: error.message,
    code: code === undefined ? undefined : String(code),
    type: typeof type === 'string' ? type : undefined,
  }
}

const send = (message: StatementMessage) => process.send?.(message)

/** The engine may be in a statement that does not end; the server removes the folder. */
const end = () => process.kill(process.pid, 'SIGKILL')

volunteer()
process.on('message', (task: StatementTask) => void run(task).then(send))
process.on('disconnect', end)
// The server ends this process when it has stopped; a terminal signals the whole group.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
process.on('SIGHUP', () => {})
