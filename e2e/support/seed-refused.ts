import { appendFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { uuid7 } from '@touchstone/contract'

/** Why the store refused it. */
export const REFUSAL = 'The store did not accept the run.'

/**
 * Adds a run to the file in which a server keeps what its store refused after it was acknowledged, as if that had
 * happened.
 *
 * @returns the id of the run
 */
export async function seedRefused(dataDir: string, tenantId: string, sessionName: string): Promise<string> {
  const id = uuid7()
  const at = new Date().toISOString().replace('Z', '000Z')
  const write = {
    kind: 'post',
    id,
    traceId: id,
    dottedOrder: `${at.replaceAll(/[-:.]/g, '')}${id}`,
    sessionName,
    name: 'answer',
    runType: 'chain',
    startTime: at,
    receivedAt: at,
    inputs: '{"question":"why"}',
    bytes: 500,
  }
  const path = join(dataDir, 'journal', 'refused', `${tenantId}.jsonl`)
  await mkdir(dirname(path), { recursive: true })
  await appendFile(path, `${JSON.stringify({ at, reason: REFUSAL, item: { kind: 'run', tenantId, write } })}\n`)
  return id
}
